"""The rows of a store, classified by their text alone, without the question that looks for them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..runtime.canonical_json import Json, is_digest
from ..steps.catalogue import STEPS
from ..steps.evidence.passage_hashes import is_hash
from ..steps.step import Step
from ..steps.stored_step import stored_step
from ..usage import read_usage
from .answers import EMBED_TEXT, vector_of
from .judgement_rows import is_passage
from .keys import FORMATS, PART, PASSAGE_SUFFIX, QUESTION_SUFFIX, Question

REPAIR = "python -m pytest_ragassert verdicts verify --repair"
PRUNE = "python -m pytest_ragassert verdicts prune"

Kind = Literal["answer", "part", "vector", "question", "passage", "old", "damaged"]


class UnreadableStore(OSError):
    """The store can't be read or written, or does not exist.

    Attributes:
        damaged: its content is invalid; False if it can't be reached now (locked, no permission) or
            belongs to another program.
    """

    def __init__(self, text: str, *, damaged: bool = False) -> None:
        super().__init__(text)
        self.damaged = damaged


class Row(NamedTuple):
    """A row of the store.

    Attributes:
        handle: identifies the row to the store itself, for deleting it.
        key: escaped if it is not text.
        text: None if it is unavailable.
        trouble: why it is unavailable.
        when: when it was written, in seconds since 1970.
    """

    handle: Any
    key: str
    text: str | None
    trouble: str | None
    when: float


@dataclass(frozen=True)
class Content:
    """A row and its classification.

    Attributes:
        key: the key of the question, even if the row contains the question itself; the SHA-256 of a
            passage.
        kind: `old` for what another release stored and this one never looks for.
        problem: why it is `old` or `damaged`.
        record: its JSON object; empty if it has none.
    """

    row: Row
    key: str
    kind: Kind
    problem: str | None
    record: Json

    @property
    def is_sound(self) -> bool:
        """Whether this release uses it."""
        return self.kind not in ("damaged", "old")

    @property
    def step(self) -> str:
        return str(self.record.get("step"))

    @property
    def is_of_whole_question(self) -> bool:
        """Whether it is a sound answer to a whole question with several judgements, as format 2
        kept them.
        """
        step = STEPS.get(self.step)
        if self.kind != "answer" or step is None:
            return False
        return step.is_kept_whole(self.record["reply"])


def content_of(row: Row) -> Content:
    key, dot, suffix = row.key.partition(".")
    record: Any = {}
    kind: Kind = "damaged"
    problem = row.trouble
    if row.text is not None:
        try:
            record = json.loads(row.text)
        except (ValueError, RecursionError):
            problem = "it is not JSON"
        else:
            kind, problem = _judged(key, dot + suffix, record)
    return Content(row, key, kind, problem, record if isinstance(record, dict) else {})


def content_in(key: str, text: str) -> Content:
    """Return the content of a text under a key, of which no more is known."""
    return content_of(Row(key, key, text, None, 0.0))


def asked_in(record: Json) -> Question | None:
    """Return the question in a sound question row, or None if this release has no such step."""
    step = STEPS.get(record["step"])
    if step is None:
        return None
    names = ("judge", "model", "sampling", "sample")
    judge, model, sampling, sample = (record[name] for name in names)
    return Question(step, record["input"], judge, model, sampling, sample)


def named_passages(content: Content) -> list[str]:
    """Return the hashes of the passages that an answer or question names."""
    record = content.record.get("input", content.record)
    named = record.get("passages") if isinstance(record, dict) else None
    return list(filter(is_hash, named)) if isinstance(named, list) else []


def _judged(key: str, suffix: str, record: Any) -> tuple[Kind, str | None]:
    if not isinstance(record, dict) or "format" not in record:
        return "damaged", "it has no format"
    if not is_digest(key) or suffix not in ("", QUESTION_SUFFIX, PASSAGE_SUFFIX):
        return "damaged", "its key is not that of a question"
    if record["format"] not in FORMATS or type(record["format"]) is not int:
        return "old", f"format {record['format']!r:.20}"
    if suffix == PASSAGE_SUFFIX:
        sound = is_passage(key, record)
        return ("passage", None) if sound else ("damaged", "its passage does not match its key")
    step = record.get("step")
    if not isinstance(step, str):
        return "damaged", "it has no step"
    if suffix:
        return _question(record)
    if record.get("key", key) != key:
        return "damaged", "it answers another question"
    if not _has_fields(record):
        return "damaged", "fields are missing or invalid"
    if step == EMBED_TEXT:
        whole = isinstance(record["reply"], dict) and record["reply"].keys() == {"vector"}
        sound = whole and vector_of(record["reply"]["vector"]) is not None
        return ("vector", None) if sound else ("damaged", "its reply is not a vector")
    return _answer(step, record)


def _answer(step: str, record: Json) -> tuple[Kind, str | None]:
    if not isinstance(record.get("fingerprint"), str):
        return "damaged", "it has no fingerprint"
    made_by = stored_step(step)
    if made_by is None:
        return "old", f"step {step:.40}"
    # the prompt of a project's own step is not known here
    if step in STEPS and record["fingerprint"] != made_by.fingerprint:
        return "old", f"another prompt of {step}"
    if record["about"] == PART:
        return "part", None
    if not _is_reply(made_by, record):
        return "damaged", f"its reply does not fit the step {step}"
    return "answer", None


def _is_reply(step: Step, record: Json) -> bool:
    """Whether it contains a reply to a judgement or, in format 2, to a whole question."""
    reply = record["reply"]
    if step.is_whole(reply):
        return True
    return bool(record["format"] == FORMATS[0] and step.is_kept_whole(reply))


def _question(record: Json) -> tuple[Kind, str | None]:
    sound = (
        isinstance(record.get("judge"), str)
        and isinstance(record.get("model"), str)
        and isinstance(record.get("sampling"), dict)
        and type(record.get("sample")) is int
        and type(record.get("version")) is int
        and isinstance(record.get("input"), dict)
    )
    return ("question", None) if sound else ("damaged", "it contains no question")


def _has_fields(record: Json) -> bool:
    """Whether it has the fields that answers and vectors share."""
    try:
        read_usage(record["usage"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return False
    return (
        isinstance(record.get("judge"), str)
        and isinstance(record.get("about"), str)
        and isinstance(record.get("when"), str)
        and (record.get("model") is None or isinstance(record["model"], str))
        and (record.get("served") is None or isinstance(record["served"], str))
        and "reply" in record
    )
