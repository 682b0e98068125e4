"""A committed verdict: the answer to one judgement, and its written form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import ConfigurationError
from ...runtime.canonical_json import Json, is_digest
from ...steps.evidence.passage_hashes import is_hash, text_hash
from ..files import committed_text
from ..files.committed_text import json_mistake, readable, strictly_read
from ..files.plain_files import not_utf8
from ..judged_sets import ON_CLAIMS, JudgedSet, judged_set

OVERRIDE = "override"  # the step of human overrides
BY_HAND = "by hand"  # their judge
EMBED_TEXT = "embed_text"  # the step of vectors

# A step is also the name of a folder, so no line may lead out of it.
STEP = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
# The fields of lines for vectors, people and earlier versions, and of a judgement's line.
_FEW = ("key", "step", "judge", "about", "reply")
FIELDS = ("key", "step", "judge", "asked", "about", "passages", "reply")
_SOURCE = "from"  # before the reply, if a verdict was carried over


@dataclass(frozen=True)
class VerdictLine:
    """A judge's answer, an embedder's vector, or a human override.

    Attributes:
        key: the key of the judgement, 64 hexadecimal digits; of an override, the claim's id.
            Earlier versions committed the answers to whole questions, each under its key.
        step: the kind of question; `OVERRIDE`, `EMBED_TEXT`.
        judge: see `judge_name`; `BY_HAND`.
        about: what it is about, for people: a claim or a text.
        reply: a JSON object without NaN and infinities. JSON can't represent two adjacent halves of
            a
        surrogate pair: it reads them as one character.
        asked: `Question.asked`; empty if a line does not contain it.
        passages: `text_hash` of each passage that it is about or was made against, sorted; none if
            the reply depends on none, or if hashes are left out.
        source: the key of the judgement from which it was carried over; None: it was asked for.
    """

    key: str
    step: str
    judge: str
    about: str
    reply: dict[str, Any] = field(hash=False)
    asked: str = ""
    passages: tuple[str, ...] = ()
    source: str | None = None

    @property
    def sort_key(self) -> tuple[str, str, str]:
        return self.step, self.judge, self.key

    def is_by(self, judge_id: str, model: str) -> bool:
        return self.judge == judge_name(judge_id, model)

    def to_text(self) -> str:
        """Return the line without its end: the same text for the same content, in any order of
        fields.

        Raises:
            ConfigurationError: the key or step is invalid, or JSON can't represent the content.
        """
        return "{" + ", ".join(self._members()) + "}"

    def to_document(self) -> str:
        """Return the verdict as a separate file, with one line for each value.

        Raises:
            ConfigurationError: as in `to_text`.
        """
        # no text contains an unescaped line break
        members = (member.replace("\n", "\n  ") for member in self._members(indent=2))
        return "{\n  " + ",\n  ".join(members) + "\n}\n"

    def _members(self, indent: int | None = None) -> Iterable[str]:
        try:
            members = self._written()
            if problem := _problem(members):
                raise ValueError(problem)
            return [
                f'"{name}": {readable(value, sort_keys=True, indent=indent)}'
                for name, value in members.items()
            ]
        except (ValueError, TypeError, RecursionError) as error:
            raise ConfigurationError(
                f"the verdict {self.key!r} of step {self.step!r} can't be written: {error}"
            ) from None

    def _written(self) -> dict[str, Any]:
        """Return its members, in order."""
        if not self.asked:
            return {name: getattr(self, name) for name in _FEW}
        members = {name: getattr(self, name) for name in FIELDS[:-1]}
        members["passages"] = list(self.passages)
        if self.source is not None:
            members[_SOURCE] = self.source
        return {**members, "reply": self.reply}


def judge_name(judge_id: str, model: str | None) -> str:
    """Return the judge's name in a line: its id, followed by a space and the model if it has
    one.
    """
    return f"{judge_id} {model}" if model else judge_id


def parts_of_judge_name(name: str) -> tuple[str, str]:
    """Return the id and the model of a judge's name; the model is empty if it has none."""
    id, gap, model = name.rpartition(" ")
    return (id, model) if gap else (name, "")


def read_line(raw: bytes, where: str) -> VerdictLine:
    """Return the verdict in a line, or in a file of one verdict, in any form.

    Args:
        where: file and line, for the error.

    Raises:
        ConfigurationError: there is none; the message names `where` and says what to do.
    """
    try:
        text = raw.decode("utf-8").strip().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise damaged(where, f"{not_utf8(error)}; save the file as UTF-8") from None
    try:
        value: Any = strictly_read(text)
    except (ValueError, RecursionError) as error:
        raise damaged(where, json_mistake(error)) from None
    if problem := _problem(value):
        raise damaged(where, problem)
    passages, source = tuple(value.pop("passages", ())), value.pop(_SOURCE, None)
    return VerdictLine(**value, passages=passages, source=source)


def judged_set_of(line: VerdictLine) -> JudgedSet | None:
    """Return the passages that a line's claim was judged against; None if it is another kind of
    line, contains no passages or was carried over.
    """
    if line.step != ON_CLAIMS or not line.passages or line.source is not None:
        return None
    return judged_set(text_hash(line.about), line.asked, line.passages)


def has_conflict(raw: bytes) -> bool:
    """Whether it begins with a conflict marker from git."""
    return committed_text.has_conflict(raw[:8].decode("latin-1"))


def damaged(where: str, problem: str) -> ConfigurationError:
    return ConfigurationError(
        f"{where}: {problem}; restore the verdict from git, or delete it and record it with "
        "--ragassert-update-verdicts"
    )


def one_of(one: VerdictLine, other: VerdictLine) -> VerdictLine | None:
    """Return the line that remains of two with one key, or None if they say different things.

    A verdict that was asked for takes precedence over one that was carried over, and of two that
    were carried over, the smaller text. Fields other than the reply may differ between releases: of
    two lines, the one with more fields remains, otherwise the first in order.
    """
    if (one.step, one.judge) == (other.step, other.judge):
        if (one.source is None) != (other.source is None):
            return one if one.source is None else other
        if one.source is not None:
            return min(one, other, key=VerdictLine.to_text)
    first, second = sorted(
        (one, other), key=lambda line: (not line.asked, not line.passages, line.about)
    )
    same = replace(first, key=second.key, step=second.step, judge=second.judge, reply=second.reply)
    # compared as text: 1, 1.0 and true are equal in Python
    return first if first.to_text() == same.to_text() else None


def difference(one: VerdictLine, other: VerdictLine) -> str:
    """Return what two lines of one key disagree about."""
    for name in ("step", "judge"):
        if getattr(one, name) != getattr(other, name):
            return f"a different {name}"
    return "two different replies"


def _problem(value: Any) -> str | None:
    """Return why it is not a line, or None if it is."""
    if not isinstance(value, dict) or value.keys() - {_SOURCE} not in (set(FIELDS), set(_FEW)):
        return f"a verdict must be a JSON object with only {', '.join(FIELDS)}"
    if not all(isinstance(value[name], str) for name in _FEW[:-1]):
        return f"{', '.join(_FEW[:-1])} must be texts"
    if not isinstance(value["reply"], dict):
        return "reply must be a JSON object"
    if not is_digest(value["key"]):
        return "key must be 64 hexadecimal digits in lower case"
    if not STEP.fullmatch(value["step"]):
        return "step must be a name of at most 80 letters, digits, _ and -"
    return _problem_beside(value)


def _problem_beside(value: dict[str, Any]) -> str | None:
    """Return the same for the additional fields of a judgement's line."""
    for name in ("asked", _SOURCE):
        if name in value and not is_digest(value[name]):
            return f"{name} must be 64 hexadecimal digits in lower case"
    if _SOURCE in value and "asked" not in value:
        return f"a verdict with {_SOURCE} must also have {', '.join(FIELDS)}"
    passages = value.get("passages", [])
    if not isinstance(passages, list) or not all(map(is_hash, passages)):
        return "passages must be a list of texts of 32 hexadecimal digits in lower case"
    return None


def line_of(key: str, text: str) -> VerdictLine | None:
    """Return the line of a stored answer or vector, or None if the text is damaged, has an old
    form, or belongs to another question.
    """
    try:
        record = json.loads(text)
        return line_of_record(key, record) if record.get("key", key) == key else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def line_of_record(key: str, record: Json) -> VerdictLine:
    """Return the line of the record in a sound stored text."""
    return VerdictLine(
        key,
        record["step"],
        judge_name(record["judge"], record["model"]),
        record["about"],
        record["reply"],
        record.get("asked", ""),
        tuple(record.get("passages", ())),
        record.get(_SOURCE),
    )
