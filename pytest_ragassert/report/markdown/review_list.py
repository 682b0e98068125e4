"""Formats the cases of a data set as Markdown for a review, with their passages and quotes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...language.number_format import plural
from . import inline

_LONGEST = 20_000  # characters of a text


def review_list(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the cases as a Markdown document. Texts are escaped, and quotes are in bold.

    Args:
        records: the cases as objects of their data set.
    """
    lines = [
        "# Cases for review",
        "",
        f"{plural(len(records), 'case')}. Is each question clear without its passages, do the "
        "passages answer it, and is the answer right? Change or delete cases in the data set; "
        "`generate --update` keeps your changes.",
    ]
    for number, record in enumerate(records, start=1):
        lines += ["", *_case(number, record)]
    return "\n".join([*lines, ""])


def _case(number: int, record: Mapping[str, Any]) -> Iterator[str]:
    kind = _within(record, "metadata", "question_type")
    yield f"## {number}. {inline.line(_text(record, 'id') or 'a case without an id')}"
    yield ""
    yield "- [ ] reviewed"
    for name, text in (
        ("Kind", kind),
        ("Asked by", _text(record, "persona")),
        ("Question", _text(record, "question")),
        ("Answer", _text(record, "ground_truth_answer")),
    ):
        if text:
            yield f"- **{name}:** {inline.lines(text, _LONGEST)}"
    units = record.get("source_units")
    for unit in units if isinstance(units, list) else ():
        if isinstance(unit, dict):
            yield ""
            yield from _passage(unit)


def _passage(unit: Mapping[str, Any]) -> Iterator[str]:
    listed = unit.get("headings")
    headings = [str(heading) for heading in listed] if isinstance(listed, list) else []
    above = f" ({inline.line(' › '.join(headings))})" if headings else ""
    yield f"**{inline.line(_text(unit, 'id') or 'passage')}**{above}"
    yield ""
    listed = unit.get("quotes")
    quotes = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    spans = [
        (one["start"], one["end"])
        for one in quotes
        if isinstance(one.get("start"), int) and isinstance(one.get("end"), int)
    ]
    yield f"> {inline.lines(_text(unit, 'text') or '', _LONGEST, spans)}"


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    return None if value is None else str(value)


def _within(record: Mapping[str, Any], name: str, key: str) -> str | None:
    inner = record.get(name)
    return _text(inner, key) if isinstance(inner, dict) else None
