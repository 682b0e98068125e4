"""Stored verdicts on a Redis or Valkey server: the same keys and JSON texts as on disk.

Nothing on the server is trusted: whoever can write there could have put anything under a key. Only
texts are returned, nothing is unpickled, and what a text says is checked where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeVar

from ...runtime.clock import Clock
from ..contents import Row, content_in
from ..judged_claims import JudgedClaim, found_in
from ..judged_sets import JudgedSet
from ..keys import PASSAGE_SUFFIX, QUESTION_SUFFIX, is_answer_key, question_key
from ..store import Store
from ..store_url import StoreUrl
from . import messages
from .claim_index import index_of, judged_in, unindexed
from .client import Client, Command, WrongType
from .keys import Keys
from .leases import Leases

Item = TypeVar("Item")

_MOST_AT_ONCE = 500  # maximum keys in a command
_WRITTEN_AT_ONCE = 100  # maximum texts that a command puts together; a vector takes many kB
_SCANNED_AT_ONCE = 1000
_SUFFIXES = (QUESTION_SUFFIX, PASSAGE_SUFFIX)


class RedisStore(Store):
    """The store of a namespace on a server.

    Args:
        place: the store's name for people, without credentials.
        on_notice: called with a line for people if the store can't be used normally.
        on_state: as for `Client`.
        adds: as for `Client`.
    """

    networked = True

    def __init__(
        self,
        url: StoreUrl,
        namespace: str,
        place: str,
        on_notice: Callable[[str], None],
        on_state: Callable[[str], None] | None = None,
        *,
        adds: bool = True,
    ) -> None:
        self._place = place
        self._keys = Keys(namespace)
        self._client = Client(url, place, on_notice, on_state, adds=adds)
        self._leases = Leases(self._client, self._keys)

    def __repr__(self) -> str:
        return f"<RedisStore {self._place}>"

    @property
    def place(self) -> str:
        return self._place

    @property
    def is_usable(self) -> bool:
        """Whether the server may be tried now."""
        return self._client.is_usable

    @property
    def is_unused(self) -> bool:
        """Whether the last attempt to use the server failed."""
        return self._client.is_unused

    def contact(self) -> None:
        """Look whether the server can be used, unless that is known."""
        self._client.contact(("EXISTS", self._keys.row("0" * 64)))

    # -- for a run -------------------------------------------------------------------------------

    def get(self, key: str) -> str | None:
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        wanted, found = list(keys), dict[str, str]()
        for some in _batches(wanted, _MOST_AT_ONCE):
            replies = self._client.read([self._mget(some)])
            if replies is None:
                break
            for key, value in zip(some, replies[0], strict=True):
                if (text := self._text(value)) is not None:
                    found[key] = text
        return found

    def put_many(self, texts: Sequence[tuple[str, str]]) -> None:
        if texts:
            self._client.write([*self._sets(texts), *self._indexing(texts)])

    def put_first(self, texts: Sequence[tuple[str, str]]) -> Mapping[str, str]:
        if not texts:
            return {}
        keys = [key for key, _ in texts]
        sets = self._sets(texts, "NX")
        replies = self._client.write([*sets, *self._indexing(texts), self._mget(keys)])
        if replies is None:
            return {}
        remaining, replaced = dict[str, str](), list[tuple[str, str]]()
        for (key, text), was_set, value in zip(texts, replies, replies[-1], strict=False):
            there = None if was_set else self._text(value)
            if was_set or there == text:
                continue
            if there is not None and _remains(key, there):
                remaining[key] = there
            elif value is not None:
                replaced.append((key, text))
            else:
                # a value of another type, which belongs to another program
                self._client.notice(messages.other_values(self._place))
        if replaced:
            self._client.write(self._sets(replaced))
        return {key: text for key, text in remaining.items() if is_answer_key(key)}

    def lacking(self, keys: Sequence[str]) -> list[str]:
        """Return those of the keys that are not in the store; none if it can't be used."""
        lacking: list[str] = []
        for some in _batches(keys, _MOST_AT_ONCE):
            replies = self._client.read([("EXISTS", self._keys.row(key)) for key in some])
            if replies is None:
                break
            lacking += [key for key, exists in zip(some, replies, strict=True) if exists == 0]
        return lacking

    def flights(self) -> Leases:
        return self._leases

    def moment(self) -> float | None:
        return self._client.moment()

    def judged_sets_before(self, moment: float, about: Set[str], asked: str) -> Iterable[JudgedSet]:
        claims = sorted(about)
        replies = self._client.read([("HGETALL", self._keys.claim(claim)) for claim in claims])
        for claim, reply in zip(claims, replies or [], strict=False):
            for judged in judged_in(reply):
                if judged.asked == asked and judged.when < moment:
                    yield judged.set_of(claim)

    # -- for commands ----------------------------------------------------------------------------

    def exists(self) -> bool:
        return any(True for _ in self._scanned("", ""))

    def row(self, key: str) -> Row | None:
        return next(self._rows([key]), None)

    def rows_under(self, keys: Sequence[str]) -> Iterator[Row]:
        for some in _batches(keys, _MOST_AT_ONCE):
            yield from self._rows(some)

    def rows(self, suffix: str = "") -> Iterator[Row]:
        return self.rows_under(sorted(set(self._scanned("", suffix))))

    def replace_many(self, texts: Sequence[tuple[str, str]]) -> None:
        for some in _batches(texts, _WRITTEN_AT_ONCE):
            self._client.ask([*self._sets(some), *self._indexing(some)], writes=True)

    def keys(self, prefix: str = "") -> list[str]:
        return sorted(set(self._scanned(prefix, "")))

    def judged_claims(
        self, *, id: str = "", about: Set[str] = frozenset(), asked: str = ""
    ) -> list[JudgedClaim]:
        if not about:
            return super().judged_claims(id=id, about=about, asked=asked)
        claims = sorted(about)
        replies = self._client.ask([("HGETALL", self._keys.claim(claim)) for claim in claims])
        judged = {one.key for reply in replies for one in judged_in(reply)}
        rows = self._rows(sorted(map(question_key, judged)))
        return found_in(rows, id, about, asked)

    def delete(self, rows: Sequence[Row]) -> None:
        for some in _batches(rows, _MOST_AT_ONCE):
            commands: list[Command] = [("DEL", self._keys.row(row.key)) for row in some]
            for row in some:
                commands += [
                    ("HDEL", self._keys.claim(claim), field) for claim, field in unindexed(row)
                ]
            self._client.ask(commands, writes=True)

    def _rows(self, keys: Sequence[str]) -> Iterator[Row]:
        if not keys:
            return
        values = self._client.ask([self._mget(keys)])[0]
        for key, value in zip(keys, values, strict=True):
            if value is not None:
                text = _decoded(value)
                trouble = "its text is not UTF-8" if text is None else None
                # the server does not know when it was written
                yield Row(key, key, text, trouble, Clock.since_1970())
            elif (kind := self._client.ask([("TYPE", self._keys.row(key))])[0]) != b"none":
                what = f"its value is a {kind.decode('ascii', 'replace')}"
                yield Row(key, key, None, what, Clock.since_1970())

    def _scanned(self, prefix: str, suffix: str) -> Iterator[str]:
        """Return the keys of rows, possibly repeated."""
        cursor, pattern = b"0", self._keys.matching(prefix, suffix)
        while True:
            scan = ("SCAN", cursor, "MATCH", pattern, "COUNT", _SCANNED_AT_ONCE)
            cursor, found = self._client.ask([scan])[0]
            for name in found:
                key = self._keys.row_in(name)
                if key is not None and key.startswith(prefix):
                    yield key
            if int(cursor) == 0:
                return

    def close(self) -> None:
        self._leases.close()
        self._client.close()

    # -- commands of the server ------------------------------------------------------------------

    def _mget(self, keys: Sequence[str]) -> Command:
        return ("MGET", *map(self._keys.row, keys))

    def _sets(self, texts: Sequence[tuple[str, str]], *only: str) -> list[Command]:
        return [
            ("SET", self._keys.row(key), text.encode("utf-8", "surrogatepass"), *only)
            for key, text in texts
        ]

    def _indexing(self, texts: Sequence[tuple[str, str]]) -> list[Command]:
        """Return commands that add the judged claims in the texts to the index, if they are new."""
        found = index_of(texts)
        moment = self._client.moment() if found else None
        if moment is None:
            return []
        return [
            ("HSETNX", self._keys.claim(claim), judged.key, judged.to_text(moment))
            for claim, judged in found
        ]

    def _text(self, value: Any) -> str | None:
        """Return the text in a reply; None, with a notice, if it is something else."""
        if value is None:
            return None
        text = _decoded(value)
        if text is None:
            self._client.notice(messages.other_values(self._place))
        return text


def _batches(items: Sequence[Item], most: int) -> Iterator[Sequence[Item]]:
    return (items[start : start + most] for start in range(0, len(items), most))


def _decoded(value: Any) -> str | None:
    if isinstance(value, WrongType) or not isinstance(value, bytes):
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def _remains(key: str, text: str) -> bool:
    """Whether what is there is sound, and was not carried over."""
    content = content_in(key, text)
    return content.is_sound and content.record.get("from") is None
