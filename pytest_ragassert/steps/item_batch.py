"""The base class of steps about numbered items: packs the items, and reads replies by id."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from ..language.pieces import pieces_within
from ..language.suggestions import shown_value
from ..language.token_estimate import estimated_tokens
from ..runtime.canonical_json import Json
from .replies.schema import ReplyError, VoidReply
from .step import Reading, Step, id_of, with_history

_SHORTEST_PIECE = 60  # estimated tokens of a text that is not divided
_MOST_TOLD = 3  # maximum number of unknown labels in a message


class NumberedStep(Step):
    """A step that asks about numbered items and expects one judgement of each, by its id.

    Attributes:
        items: the key of the items in a message.
        judgements: the key of the judgements in a reply.
        decides: the field in which two judgements of one item must not differ.
        called: what a judgement is ("a verdict") and what it is about ("claim").
        labels: the possible values of `decides`, for people.
    """

    kept_whole = True
    items: ClassVar[str]
    judgements: ClassVar[str]
    decides: ClassVar[str]
    called: ClassVar[tuple[str, str]]
    labels: ClassVar[str]

    @abstractmethod
    def judgement(self, item: Json) -> Json | None:
        """Return one judgement in its normal form, or None if it says nothing."""

    @abstractmethod
    def is_normal(self, judgement: Any) -> bool:
        """Whether a stored judgement is one that `read` produced, so that it can be relied on."""

    def narrowed(self, input: Json, places: Sequence[int]) -> Json:
        items = input[self.items]
        if len(places) == len(items):
            return input
        return {**input, self.items: [items[place] for place in places]}

    def said_at(self, input: Json, reply: Json, places: Sequence[int]) -> list[Json]:
        """Return what a reply says about the items at these places."""
        by_id = {said["id"]: said for said in reply[self.judgements]}
        return [by_id[input[self.items][place]["id"]] for place in places]

    def asked(self, message: Json) -> list[int]:
        return [item["id"] for item in message[self.items]]

    def read(self, message: Json, value: Any, whole: Json | None = None) -> Reading:
        said = list_of(value, self.judgements)
        kept, missing = read_by_id(
            said,
            self.asked(message),
            self.asked(whole or message),
            self.judgement,
            decides=self.decides,
            called=self.called,
        )
        return Reading({self.judgements: kept}, missing, self._unread(said, missing))

    def _unread(self, said: list[Any], missing: Sequence[int]) -> str:
        """Return, for the missing ids, a text such as `; unknown verdict 'maybe' for claim 1; known
        are …`.
        """
        told = [
            f"{shown_value(item[self.decides])} for {self.called[1]} {id_of(item['id'])}"
            for item in said
            if id_of(item.get("id")) in missing
            and self.decides in item
            and self.judgement(item) is None
        ]
        if not told:
            return ""
        if len(told) > _MOST_TOLD:
            told[_MOST_TOLD:] = [f"{len(told) - _MOST_TOLD} more"]
        return f"; unknown {self.decides} {', '.join(told)}; known are {self.labels}"

    def only(self, message: Json, ids: tuple[int, ...]) -> Json:
        return only_of(message, self.items, ids)

    def halves(self, message: Json) -> tuple[Json, Json] | None:
        return halves_of(message, self.items)

    def shorter(self, message: Json) -> tuple[Json, Json] | None:
        return shorter_by(message, self.items)

    def rejoined(self, message: Json, replies: list[Json]) -> Json:
        # each half may judge the same items, by other passages or by a part of their text
        return self.merged(message, replies)

    def joined(self, replies: list[Json]) -> Json:
        said = [judgement for reply in replies for judgement in reply[self.judgements]]
        return {self.judgements: sorted(said, key=lambda judgement: judgement["id"])}

    def said(self, reply: Json, id: int) -> Json:
        return next((said for said in reply[self.judgements] if said["id"] == id), {})

    def replaced(self, reply: Json, other: Json) -> Json:
        new = {judgement["id"]: judgement for judgement in other[self.judgements]}
        return {self.judgements: [new.get(said["id"], said) for said in reply[self.judgements]]}

    def answers(self, message: Json, reply: Any) -> bool:
        said = reply.get(self.judgements) if isinstance(reply, dict) else None
        if not isinstance(said, list) or not all(map(self.is_normal, said)):
            return False
        return [judgement["id"] for judgement in said] == self.asked(message)

    def is_kept_whole(self, reply: Any) -> bool:
        if not isinstance(reply, dict) or reply.keys() != {self.judgements}:
            return False
        said = reply[self.judgements]
        if not isinstance(said, list) or not all(map(self.is_normal, said)):
            return False
        return len({judgement["id"] for judgement in said}) == len(said)

    def without_reasons(self, reply: Json) -> Json:
        if self.judgements not in reply:
            return {**reply, "reason": None}
        said = [{**judgement, "reason": None} for judgement in reply[self.judgements]]
        return {**reply, self.judgements: said}


class ItemStep(NumberedStep):
    """A step that judges each item by its text and by the rest of the input. A judgement is one
    item.

    Attributes:
        item: the name of an item's text in the input of its judgement.
        beside: names of the rest of the input; `history` may be there too.
        reply_fields: the fields of a judgement's reply, which is a judgement without its id.
    """

    item: ClassVar[str]
    beside: ClassVar[tuple[str, ...]]
    reply_fields: ClassVar[tuple[str, ...]]

    def asked_beside(self, input: Json) -> Json:
        """Return the part of an input other than the items."""
        return with_history({name: input[name] for name in self.beside}, input)

    def judgement_inputs(self, input: Json) -> list[Json]:
        asked = self.asked_beside(input)
        return [{**asked, self.item: one["text"]} for one in input[self.items]]

    def judgement_replies(self, input: Json, reply: Json, places: Sequence[int]) -> list[Json]:
        return [
            {name: said[name] for name in self.reply_fields}
            for said in self.said_at(input, reply, places)
        ]

    def assembled(self, input: Json, replies: Sequence[Json]) -> Json:
        return {
            self.judgements: [
                {"id": item["id"], **{name: reply[name] for name in self.reply_fields}}
                for item, reply in zip(input[self.items], replies, strict=True)
            ]
        }

    def is_normal(self, judgement: Any) -> bool:
        if not isinstance(judgement, dict) or type(judgement.get("id")) is not int:
            return False  # 1 and True, 1 and 1.0 are equal
        return self.judgement(judgement) == judgement

    def fits(self, input: Json, reply: Any) -> bool:
        return self.is_whole(reply) if self.item in input else self.answers(input, reply)

    def is_whole(self, reply: Any) -> bool:
        if not isinstance(reply, dict) or reply.keys() != set(self.reply_fields):
            return False
        return self.is_normal({"id": 1, **reply})


def groups(items: list[Json], budget: int) -> list[list[Json]]:
    """Divide the items, in order, into as few groups as fit. A larger item is a group of its
    own.
    """
    packed: list[list[Json]] = []
    room = 0
    for item in items:
        cost = estimated_tokens(item["text"])
        if not packed or cost > room:
            packed.append([])
            room = budget
        packed[-1].append(item)
        room -= cost
    return packed


def room_beside(asked: Json, budget: int) -> int:
    """Return the estimated tokens that items may take besides the rest: at least a quarter."""
    said = [turn["content"] for turn in asked.get("history", ())]
    said += [text or "" for name, text in asked.items() if name != "history"]
    return max(budget // 4, budget - sum(map(estimated_tokens, said)))


def in_pieces(passages: list[Json], budget: int) -> list[Json]:
    """Divide a passage that is larger than a request into pieces with its id and their headings."""
    return [
        {"id": passage["id"], "text": piece}
        for passage in passages
        for piece in pieces_within(passage["text"], budget)
    ]


def only_of(message: Json, key: str, ids: tuple[int, ...]) -> Json:
    """Return the message with only these of its items."""
    return {**message, key: [item for item in message[key] if item["id"] in ids]}


def halves_of(message: Json, key: str) -> tuple[Json, Json] | None:
    """Return two messages with half of the items each, or None if there is only one."""
    items = message[key]
    if len(items) < 2:
        return None
    middle = len(items) // 2
    return {**message, key: items[:middle]}, {**message, key: items[middle:]}


def shorter_by(message: Json, key: str) -> tuple[Json, Json] | None:
    """Return two messages with half of a list of texts, or of its only text; None if it is short.

    Each half of a text has the id of the text.
    """
    items = message[key]
    if len(items) == 1:
        tokens = estimated_tokens(items[0]["text"])
        items = in_pieces(items, tokens // 2 + 1) if tokens > _SHORTEST_PIECE else items
    return halves_of({**message, key: items}, key)


def list_of(value: Any, key: str) -> list[Any]:
    """Return the list under a key, or the bare list."""
    items = value.get(key) if isinstance(value, dict) else value
    if not isinstance(items, list):
        raise ReplyError(f'the reply has no list "{key}": {value!r:.80}')
    return items


def read_by_id(
    items: list[Any],
    asked: list[int],
    known: list[int],
    read: Callable[[Json], Json | None],
    *,
    decides: str,
    called: tuple[str, str],
) -> tuple[list[Json], tuple[int, ...]]:
    """Return what was read for the ids asked, in their order, and the ids that are missing.

    Args:
        known: ids asked before, whose items are ignored.
        read: returns one item in its normal form, or None if it says nothing.
        decides: the field in which two items of one id must not differ; if they do, the id is
            missing.
        called: what an item is ("a verdict") and what it is about ("claim").

    Raises:
        VoidReply: an item has an id that was not asked.
    """
    wanted, answered = frozenset(asked), frozenset(known) - frozenset(asked)
    found: dict[int, Json] = {}
    torn: set[int] = set()
    for item in items:
        id = id_of(item.get("id")) if isinstance(item, dict) else None
        if id in answered:
            continue
        if id is None or id not in wanted:
            raise VoidReply(_not_asked(item, *called))
        said = read(item)
        if said is None:
            continue
        if found.setdefault(id, said)[decides] != said[decides]:
            torn.add(id)
    kept = [found[id] for id in asked if id in found and id not in torn]
    return kept, tuple(id for id in asked if id not in found or id in torn)


def _not_asked(item: Any, called: str, about: str) -> str:
    """The problem of an item whose id was not asked."""
    if not isinstance(item, dict):
        return f"{called} for no {about} id, which was not asked"
    if "id" not in item:
        fields = ", ".join(map(repr, item)) or "no field"
        return f'{called} has no {about} id: the field "id" is missing, and it has {fields:.80}'
    return f"{called} for {about} {item['id']!r:.40}, which was not asked"
