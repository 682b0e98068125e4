"""An application's answers to cases, recorded in a file, so that they can be judged without it.

The file has JSON lines. During a run, each answer is added at the end as it comes, so that a killed
run keeps the application's answers. At the end of the run, the lines are sorted. Of several lines
for one place, the last one counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from .files.atomic import update_whole
from .files.committed_text import readable
from .files.json_lines import add_line, read_lines

OPTION = "--ragassert-answers"


class Place(NamedTuple):
    """What identifies an answer in the file; a later answer with the same place replaces it.

    Attributes:
        case: the case's id; empty if it has none.
        input: a hash of everything else that the application may see of the case.
        hook: who implements the hook that was called.
    """

    case: str
    input: str
    hook: str


@dataclass(frozen=True)
class RecordedAnswer:
    """A hook's answer to a case.

    Attributes:
        case: see `Place`.
        hook: see `Place`.
        input: see `Place`.
        question: for people.
        key: the result of `pytest_ragassert_answer_key`; None: nothing.
        answer: as in `EvalCase`; None, like the contexts, if the hook left the case to others.
        retrieved_contexts: as in `EvalCase`.
        retrieved_context_ids: as in `EvalCase`. Without ids, the file's line does not have the
            field, as in earlier releases.
        retrieved_context_sources: likewise.
    """

    case: str
    question: str | None
    key: str | None
    answer: str | None
    retrieved_contexts: list[str | None] | None
    hook: str
    input: str
    retrieved_context_ids: list[str | None] | None = None
    retrieved_context_sources: list[str | None] | None = None

    @property
    def place(self) -> Place:
        return Place(self.case, self.input, self.hook)

    @property
    def is_empty(self) -> bool:
        given = (self.answer, self.retrieved_contexts, self.retrieved_context_ids)
        return all(one is None for one in given)

    def to_line(self) -> bytes:
        fields = asdict(self)
        for name in _OPTIONAL:
            if fields[name] is None:
                del fields[name]
        return f"{readable(fields)}\n".encode()


def read_answers(path: Path) -> dict[Place, RecordedAnswer]:
    """Return the answers in the file; none if it does not exist.

    Raises:
        ConfigurationError: it can't be read, or a line is damaged; the message names file and line.
    """
    if not path.exists():
        return {}
    return {answer.place: answer for answer in _read(path)}


def add_answer(path: Path, answer: RecordedAnswer) -> None:
    """Add an answer at the end of the file.

    Raises:
        OSError: it can't be written.
    """
    add_line(path, answer.to_line())


def sort_answers(path: Path, removed: Collection[Place] = ()) -> None:
    """Rewrite the file, if it exists, with one line for each place, sorted by place.

    Args:
        removed: places whose answers are left out.

    Raises:
        ConfigurationError: as in `read_answers`.
        OSError: it can't be written.
    """

    def content() -> bytes | None:
        if not path.exists():
            return None
        answers = read_answers(path)
        return b"".join(answers[place].to_line() for place in sorted(answers.keys() - set(removed)))

    if path.exists():
        update_whole(path, content)


def _read(path: Path) -> Iterator[RecordedAnswer]:
    for where, record in read_lines(path, OPTION, cut_end=True):
        if problem := _problem(record):
            raise ConfigurationError(
                f"{where}: {problem}; restore the file from git, or delete the line, so that "
                "the case is answered again"
            )
        yield RecordedAnswer(**{name: record[name] for name in _FIELDS if name in record})


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_text_or_null(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _are_contexts(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(map(_is_text_or_null, value)))


_FIELDS = {
    "case": (_is_text, "a text"),
    "question": (_is_text_or_null, "a text or null"),
    "key": (_is_text_or_null, "a text or null"),
    "answer": (_is_text_or_null, "a text or null"),
    "retrieved_contexts": (_are_contexts, "a list of texts, or null"),
    "hook": (_is_text, "a text"),
    "input": (_is_text, "a text"),
    "retrieved_context_ids": (_are_contexts, "a list of texts, or null"),
    "retrieved_context_sources": (_are_contexts, "a list of texts, or null"),
}
_OPTIONAL = ("retrieved_context_ids", "retrieved_context_sources")


def _problem(record: Mapping[str, Any]) -> str | None:
    """Return why it is not a recorded answer, or None if it is."""
    needed = [name for name in _FIELDS if name not in _OPTIONAL]
    absent = [name for name in needed if name not in record]
    if absent:
        return (
            f"a recorded answer must have {', '.join(needed)}; this one lacks {', '.join(absent)}"
        )
    wrong = (name for name, (fits, _) in _FIELDS.items() if not fits(record.get(name)))
    return next((f"{name} must be {_FIELDS[name][1]}" for name in wrong), None)
