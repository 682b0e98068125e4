"""`verdicts verify`: reads and checks every stored row and committed line."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ..errors import ConfigurationError
from ..language.escaping import visible
from ..language.number_format import plural
from ..runtime.canonical_json import Json
from ..steps.evidence.claim_ids import claim_id
from ..steps.evidence.passage_hashes import is_hash
from ..steps.stored_step import stored_step
from ..steps.verify_claims import VERIFY_CLAIMS
from ..storage.answers import is_answer_to, is_under
from ..storage.committed.committed_verdicts import is_folder, open_verdicts
from ..storage.committed.verdict_folder import file_of, verdict_files
from ..storage.committed.verdict_line import (
    VerdictLine,
    difference,
    has_conflict,
    one_of,
    read_line,
)
from ..storage.contents import Content, Row, UnreadableStore, asked_in, content_of
from ..storage.files.json_lines import lines_of
from ..storage.files.plain_files import open_plain, read_plain, unreadable
from ..storage.keys import question_key
from ..storage.open_store import open_store, repair_store
from ..storage.store import Store
from .foreign_lines import problem_of
from .locations import Places, add_action
from .lookup import passage_texts
from .output import Failed, counted, say

_ABOUT = """\
Read and check every row of the store and every committed verdict: the text, the JSON, the format
and the shape of the reply, and each passage against its hash. If the store has the question, the
reply and the key are checked against it too. Every problem is printed with its key. The exit status
is 1 if there are problems. A shared store is not checked: info counts what is damaged there, and
prune removes it."""

_PASSAGES_AT_HAND = 500  # number of texts kept in memory, since judgements share them
# A problem: its place, and what is wrong.
Problem = tuple[str, str]


def add_to(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = add_action(actions, "verify", "check every verdict", _ABOUT, _verify, shared=False)
    parser.add_argument(
        "--repair",
        action="store_true",
        help="if the store is damaged, keep what is readable and remove the rest",
    )


def _verify(args: argparse.Namespace, places: Places) -> int:
    found = _checked_store(places.folder)
    if args.repair and found.problems:
        _repair(places.folder, found)
        found = _checked_store(places.folder)
    problems = len(found.problems) + _checked_lines(places)
    return 1 if problems else 0


# -- the store -------------------------------------------------------------------------------------


@dataclass
class _Found:
    """The problems of a store.

    Attributes:
        rows: the rows of `problems` that can be removed.
        broken: whether the database itself is damaged.
        lacking: hashes of passages that judgements name and the store lacks.
    """

    problems: list[Problem] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    broken: bool = False
    lacking: set[str] = field(default_factory=set)


def _checked_store(folder: Path) -> _Found:
    kinds: Counter[str] = Counter()
    found = _Found()
    try:
        with open_store(folder) as store:
            if not store.exists():
                say(f"store {folder}: does not exist")
                return found
            _check(store, found, kinds)
    except UnreadableStore as error:
        found.broken = error.damaged
        found.problems.append(("the database", str(error)))
    count = sum(kinds.values())
    say(f"store {folder}: {plural(count, 'row')}, {plural(len(found.problems), 'problem')}")
    if kinds:
        say(f"  {', '.join(counted(kinds))}")
    for where, what in found.problems:
        say(f"  {visible(where)}: {visible(what)}")
    if found.lacking:
        say(
            f"  {plural(len(found.lacking), 'passage')} that judgements name by hash "
            f"{'is' if len(found.lacking) == 1 else 'are'} missing: the judgements are still used, "
            "but their passages cannot be shown"
        )
    return found


def _check(store: Store, found: _Found, kinds: Counter[str]) -> None:
    passages = _Passages(store)
    for trouble in store.problems():
        found.broken = True
        found.problems.append(("the database", trouble))
    for row in store.rows():
        content = content_of(row)
        kinds[content.kind] += 1
        problem = content.problem if content.kind == "damaged" else None
        if content.kind == "answer":
            record = content.record
            problem = _misfit(content.key, content.step, record, store, stored=True)
        if content.kind == "vector" and not is_under(content.key, content.record):
            problem = "its key is not that of its text and embedder"
        if content.kind == "question" and content.step == VERIFY_CLAIMS.name:
            problem = passages.problem_of(content.record) or _misnamed(content)
        if problem is not None:
            found.problems.append((row.key, problem))
            found.rows.append(row)
    found.lacking = passages.lacking


def _misnamed(content: Content) -> str | None:
    """Why a question about claims does not match its row; None if it does, or if another version
    asked it.
    """
    told, question = content.record.get("asked"), asked_in(content.record)
    if told is None or question is None or question.key != content.key:
        return None
    return None if told == question.asked else "it was asked in a different way than it records"


class _Passages:
    """Checks stored questions about claims against the passages that they name.

    Attributes:
        lacking: hashes of passages that are not stored.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._text = lru_cache(maxsize=_PASSAGES_AT_HAND)(self._read)
        self.lacking: set[str] = set()

    def problem_of(self, record: Json) -> str | None:
        """Why it cannot be found by its claim; None if it can, or if it is a whole question, which
        contains the texts.
        """
        claim, named = record["input"].get("claim"), record["input"].get("passages")
        if claim is None:
            return None
        if (
            not isinstance(claim, str)
            or not isinstance(named, list)
            or not all(map(is_hash, named))
        ):
            return "it has no claim with passages"
        texts = [self._text(one) for one in named]
        self.lacking.update(one for one, text in zip(named, texts, strict=True) if text is None)
        if None not in texts and record.get("id") != claim_id(claim, texts):
            return "its id is not that of its claim and passages"
        return None

    def _read(self, hash: str) -> str | None:
        return passage_texts(self._store, [hash]).get(hash)


def _misfit(key: str, step: str, said: Json, store: Store | None, *, stored: bool) -> str | None:
    """Why a reply does not match the question in the store; None if it does, or if there is no
    question.

    Args:
        said: the reply, with the other members of its record.
        stored: whether it is a record of the store.
    """
    row = store.row(question_key(key)) if store is not None else None
    asked = content_of(row) if row is not None else None
    if asked is None or asked.kind != "question":
        return None
    question = asked_in(asked.record)
    if question is None and stored_step(step) is not None and asked.step == step:
        return None  # a step of the project
    if question is None or question.step.name != step:
        return "the question in the store belongs to another step"
    try:
        if question.key != key:
            return "its key is not that of the question in the store"
        if stored and not is_answer_to(question, said):
            return "it answers another question"
        if not question.step.fits(question.input, said["reply"]):
            return "its reply does not fit the question in the store"
        # imported answers, and those of earlier versions, do not record them
        if said.get("asked") and said["asked"] != question.asked:
            return "it was asked in a different way than the question in the store"
        if said.get("passages") and list(said["passages"]) != question.passages:
            return "its passages are not those of the question in the store"
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        return "the question in the store is damaged"
    return None


def _repair(folder: Path, found: _Found) -> None:
    """Copy what is readable of a broken database to a new one, and remove damaged rows."""
    try:
        if found.broken:
            repaired = repair_store(folder)
            kept, lost = plural(repaired.kept, "row"), plural(repaired.lost, "row")
            say(f"  repaired: {kept} kept, {lost} lost; the damaged file is {repaired.aside}")
            found = _Found()
            with open_store(folder) as store:
                _check(store, found, Counter())
        if found.rows:
            with open_store(folder) as store:
                store.delete(found.rows)
            say(f"  removed: {plural(len(found.rows), 'row')}")
    except OSError as error:
        raise Failed(f"the store {folder} cannot be repaired: {error}") from None


# -- committed verdicts ----------------------------------------------------------------------------


def _checked_lines(places: Places) -> int:
    path = places.verdicts
    if path is None:
        return 0
    if not os.path.exists(path):
        say(f"committed verdicts {path}: do not exist")
        return 0
    counts: Counter[str] = Counter()
    try:
        found = _problems_in(path, counts, places.folder)
    except OSError as error:
        raise Failed(str(unreadable(path, error))) from None
    if not found:
        # problems that only show in the whole, as the tests read it
        try:
            open_verdicts(path)
        except ConfigurationError as error:
            found.append((path, str(error)))
    count = sum(counts.values())
    said = f"{plural(count, 'verdict')}, {plural(len(found), 'problem')}"
    say(f"committed verdicts {path}: {said}")
    if counts:
        say(f"  {', '.join(counted(counts))}")
    for where, what in found:
        say(f"  {visible(where)}: {visible(what)}")
    return len(found)


def _problems_in(path: str, counts: Counter[str], folder: Path) -> list[Problem]:
    """The problems of lines, including replies that do not match their questions in the store."""
    try:
        with open_store(folder) as store:
            return list(_problems_of_lines(path, counts, store))
    except UnreadableStore:
        counts.clear()
        return list(_problems_of_lines(path, counts, None))


def _problems_of_lines(path: str, counts: Counter[str], store: Store | None) -> Iterator[Problem]:
    known: dict[str, tuple[VerdictLine, str]] = {}
    for where, raw in _raw_lines(path):
        if has_conflict(raw):
            yield where, "git left a merge conflict here; keep the verdicts of both sides"
            continue
        try:
            line = read_line(raw, where)
        except ConfigurationError as error:
            yield where, str(error).removeprefix(f"{where}: ")
            continue
        counts[line.step] += 1
        said = {"reply": line.reply, "asked": line.asked, "passages": line.passages}
        problem = problem_of(line) or _misfit(line.key, line.step, said, store, stored=False)
        if problem is not None:
            yield f"{where}, key {line.key}", problem
        if is_folder(path) and file_of(Path(path), line.step, line.key) != Path(where):
            yield where, f"it contains the verdict {line.step}/{line.key}"
        first, before = known.setdefault(line.key, (line, where))
        if one_of(first, line) is None:
            yield f"{before} and {where}, key {line.key}", difference(first, line)


def _raw_lines(path: str) -> Iterator[tuple[str, bytes]]:
    """Every verdict as written, with its place, to report all problems; the tests read them less
    strictly.
    """
    if is_folder(path):
        for step, key in verdict_files(Path(path)):
            file = file_of(Path(path), step, key)
            yield str(file), read_plain(file)
        return
    with open_plain(path) as lines:
        for number, _, raw in lines_of(lines):
            yield f"{path}, line {number}", raw
