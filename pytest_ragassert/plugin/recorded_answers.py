"""`--ragassert-answers`: finds and records the application's answers to cases."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import pytest

from ..interop.documents import CONTEXT_NAMES
from ..runtime.canonical_json import digest
from ..runtime.fake_files import real_files
from ..storage.recorded_answers import Place, RecordedAnswer, add_answer, read_answers
from .project_hooks import Implementer, answer_key, gives_keys, implementers

if TYPE_CHECKING:
    from ..case import EvalCase

# In the order of assignment: contexts replace the names of earlier contexts.
ANSWER_FIELDS = ("answer", "retrieved_contexts", *CONTEXT_NAMES)
# Fields that do not affect the application: the answer stays valid if a minimum changes or a file
# is renamed.
_OF_JUDGING = frozenset(
    {
        *("id", "results", "minimums", "label", *CONTEXT_NAMES),
        *("ground_truth_context_ids", "ground_truth_claims", "criteria"),
    }
)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_HASH = 32  # hexadecimal digits
# On a test item: where its case's answer comes from, until a report takes it.
ANSWERED = pytest.StashKey["Answered"]()


class Answered(TypedDict, total=False):
    """Where a case's answer comes from, as plain data on a test's report.

    Attributes:
        case: the case's name in messages.
        places: the lines of the file that have, or will have, the answer.
        origin: recorded, given by the application in this run, or missing in a replay. Absent:
            nothing provided one.
        why: the reason, if it is missing.
    """

    case: str
    places: list[list[str]]
    origin: Literal["recorded", "application", "missing"]
    why: str


@dataclass
class RecordedAnswers:
    """The file of recorded answers, in one process of a run.

    Args:
        replays: whether the application must not be asked.
        refreshes: whether to ask a hook, if there is one, instead of using recorded answers.
        on_trouble: called with a line for the summary if an answer cannot be written.
    """

    path: Path
    replays: bool
    refreshes: bool
    on_trouble: Callable[[str], None]
    # the answers from hooks, by the test's node id
    _keys: dict[str, str | None] = field(default_factory=dict)

    @cached_property
    def at_start(self) -> Mapping[Place, RecordedAnswer]:
        """The content of the file when this process first read it.

        Raises:
            ConfigurationError: the file cannot be read.
        """
        with real_files():
            return read_answers(self.path)

    @cached_property
    def of_cases(self) -> Mapping[tuple[str, str], list[RecordedAnswer]]:
        """The same by case and input."""
        found: dict[tuple[str, str], list[RecordedAnswer]] = {}
        for answer in self.at_start.values():
            found.setdefault((answer.case, answer.input), []).append(answer)
        return found

    def wanted(self, case: EvalCase, item: pytest.Item) -> Wanted:
        """Describe the answer that a case needs, before any hook is called.

        Raises:
            ConfigurationError: a hook returned a key that is not a text.
        """
        if item.nodeid not in self._keys:
            self._keys[item.nodeid] = answer_key(item, case)
        asked = implementers(item)
        any_key = not asked and not gives_keys(item)
        return Wanted(self, case, input_hash(case), self._keys[item.nodeid], any_key, asked)


@dataclass(frozen=True)
class Wanted:
    """The answer that a case needs.

    Attributes:
        key: the key that the recorded answer must have; None: no hook returned one.
        any_key: whether any key fits, because no hook provides keys.
        asked: the hooks that would answer the case.
    """

    answers: RecordedAnswers
    case: EvalCase
    input: str
    key: str | None
    any_key: bool
    asked: Sequence[Implementer]

    @property
    def places(self) -> list[Place]:
        """Its possible places in the file."""
        return [self._place(implementer) for implementer in self.asked]

    def _place(self, implementer: Implementer) -> Place:
        return Place(self.case.id or "", self.input, implementer.place)

    def _fits(self, answer: RecordedAnswer) -> bool:
        return self.any_key or answer.key == self.key

    @property
    def _of_case(self) -> Sequence[RecordedAnswer]:
        """All records for the case, from any hook and under any key."""
        return self.answers.of_cases.get((self.case.id or "", self.input), ())

    def recorded(self) -> RecordedAnswer | None:
        """The recorded answer; empty in a replay if every hook left the case to others; None: it
        must be asked for.
        """
        if self.answers.refreshes and self.asked:
            return None
        if not self.asked:
            # as in a run without the application
            found = [one for one in self._of_case if not one.is_empty and self._fits(one)]
            return found[0] if len(found) == 1 else None
        empty = None
        for place in self.places:
            one = self.answers.at_start.get(place)
            if one is None or not self._fits(one):
                return None
            if not one.is_empty:
                return one
            empty = one
        return empty if self.answers.replays else None

    def keep(self, implementer: Implementer, returned: Mapping[str, Any]) -> None:
        """Record what a hook returned."""
        answer = RecordedAnswer(
            case=self.case.id or "",
            question=self.case.question,
            key=self.key,
            hook=implementer.place,
            input=self.input,
            **{name: returned.get(name) for name in ANSWER_FIELDS},
        )
        path = self.answers.path
        try:
            with real_files():
                add_answer(path, answer)
        except OSError as error:
            self.answers.on_trouble(
                f"answers: {path} cannot be written ({error.strerror or error}): the application's "
                "answers are not recorded"
            )

    def missing(self) -> str:
        """Why a replay has no answer to the case."""
        other = next((one for one in self._of_case if not self._fits(one)), None)
        if other is not None:
            return f"recorded under the key {other.key!r}, but the key is now {self.key!r}"
        id = self.case.id
        if not self._of_case and id and any(place.case == id for place in self.answers.at_start):
            return "the case changed since it was recorded"
        return "never recorded"


def input_hash(case: EvalCase) -> str:
    """A hash of the fields of a case that may affect the application, without the id; equal in
    later releases, whose cases may have more fields.
    """
    names = type(case).model_fields.keys() - _OF_JUDGING
    fields = {name: plain(getattr(case, name)) for name in names}
    return digest({name: v for name, v in fields.items() if v not in (None, [], {})})[:_HASH]


def plain(value: Any) -> Any:
    """The value as JSON; other objects as their repr without addresses, which differ between
    processes.
    """
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, str | int | float | bool | None):
        return value
    return _ADDRESS.sub("", repr(value))


def fields_of(answer: RecordedAnswer) -> dict[str, Any]:
    """The fields of a case that the answer fills in."""
    return {name: getattr(answer, name) for name in ANSWER_FIELDS}
