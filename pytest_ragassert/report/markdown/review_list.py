"""Formats the cases of a data set as Markdown for a review, with their passages and quotes.

A reviewer ticks the cases in the list. The line with the tick has a hash of the case in a comment,
so that the next list keeps the ticks of the cases that did not change.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import ConfigurationError
from ...generation.case_lines import CaseLine
from ...language.number_format import plural
from ...runtime.canonical_json import digest
from ...storage.files.plain_files import unreadable
from . import inline

_TITLE = "# Cases for review"
_LONGEST = 20_000  # characters of a text
_LONGEST_ID = 1_000  # characters
_HASH_DIGITS = 16  # hexadecimal
_TICKED = re.compile(r"^[ \t]*[-*+] \[[xX]\] reviewed <!-- ([0-9a-f]+) -->", re.MULTILINE)


def former_list(path: Path) -> str:
    """Return the text of a list that a new one may replace; empty if there is none.

    Raises:
        ConfigurationError: the file can't be read, or is not such a list.
    """
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise unreadable(path, error, "--markdown") from None
    except UnicodeDecodeError:
        text = "not such a list"
    if text.strip() and text.lstrip().splitlines()[0].rstrip() != _TITLE:
        raise ConfigurationError(
            f"--markdown: {path} exists and is not a list for a review, so it is not replaced; "
            "name another file, or delete this one"
        )
    return text


def review_list(lines: Sequence[CaseLine], former: str = "") -> str:
    """Return the cases as a Markdown document. Texts are escaped, and quotes are in bold.

    Args:
        lines: the data set.
        former: the list that this one replaces. A case that is ticked there remains ticked, unless
            its question, its answer or one of its passages changed.
    """
    ticked = frozenset(_TICKED.findall(former))
    parts = [
        _TITLE,
        "",
        f"{plural(len(lines), 'case')}. Is each question clear without its passages, do the "
        "passages answer it, and is the answer right? Change or delete cases in the data set; "
        "`generate --update` keeps your changes. When the command writes this list again, it keeps "
        "the ticks of unchanged cases, but not what you write here. Write a note in the data set, "
        "as the case's `metadata.note`: the list shows it.",
    ]
    for number, line in enumerate(lines, start=1):
        parts += ["", *_case(number, line, ticked)]
    return "\n".join([*parts, ""])


def _case(number: int, line: CaseLine, ticked: Container[str]) -> Iterator[str]:
    record = line.record
    case_id = _text(record, "id")
    yield f"## {number}. {_id(case_id) if case_id else 'a case without an id'}"
    yield ""
    own = _hash(record)
    yield f"- [{'x' if own in ticked else ' '}] reviewed <!-- {own} -->"
    if line.edited:
        yield f"- **{'Written' if line.kind is None else 'Changed'} by you**"
    kind = _within(record, "metadata", "question_type")
    for name, text in (
        ("Kind", kind),
        ("Asked by", _text(record, "persona")),
        ("Question", _text(record, "question")),
        ("Answer", _text(record, "ground_truth_answer")),
        ("Note", _within(record, "metadata", "note")),
    ):
        if text:
            yield f"- **{name}:** {inline.lines(text, _LONGEST)}"
    for unit in _units(record):
        yield ""
        yield from _passage(unit)


def _hash(record: Mapping[str, Any]) -> str:
    """Return a hash of what a reviewer judges."""
    # the texts alone: a document may get another name
    passages = [unit.get("text") for unit in _units(record)]
    judged = [record.get("question"), record.get("ground_truth_answer"), passages]
    return digest(judged)[:_HASH_DIGITS]


def _units(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    units = record.get("source_units")
    yield from (unit for unit in units if isinstance(unit, dict)) if isinstance(units, list) else ()


def _passage(unit: Mapping[str, Any]) -> Iterator[str]:
    listed = unit.get("headings")
    headings = [str(heading) for heading in listed] if isinstance(listed, list) else []
    above = f" ({inline.line(' › '.join(headings))})" if headings else ""
    unit_id = _text(unit, "id")
    yield f"**{_id(unit_id) if unit_id else 'passage'}**{above}"
    yield ""
    listed = unit.get("quotes")
    quotes = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    spans = [
        (one["start"], one["end"])
        for one in quotes
        if isinstance(one.get("start"), int) and isinstance(one.get("end"), int)
    ]
    yield f"> {inline.lines(_text(unit, 'text') or '', _LONGEST, spans)}"


def _id(text: str) -> str:
    return inline.code(text, _LONGEST_ID)


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return None if value is None else str(value)


def _within(record: Mapping[str, Any], name: str, key: str) -> str | None:
    inner = record.get(name)
    return _text(inner, key) if isinstance(inner, dict) else None
