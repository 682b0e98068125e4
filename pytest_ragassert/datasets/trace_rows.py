"""Joins the rows of trace exports: all rows of a trace become one row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ..interop.trace_rows import item_of_row, may_be_of_a_trace, spans_of_row
from ..interop.traces import TraceRecord, Traces
from ..interop.vocabularies import ALIASES
from .case_reader import FileRow


def with_traces(
    rows: Iterable[FileRow],
    tool: str | None,
    mapped: Mapping[str, str],
    note: Callable[[str, str], None],
) -> Iterator[FileRow]:
    """The rows, with the spans of each trace joined into one row after all other rows.

    Args:
        tool: the tool that wrote the rows, as in `format=`; None: it is found out.
        mapped: the fields of columns, as the user mapped them. A row with such a column is read
            without joining.
        note: called with a row's place and a message about anything unusual in it.
    """
    columns = {column for column, field in mapped.items() if field != "metadata"}
    traces = Traces()
    first: dict[str, FileRow] = {}

    def whole(row: FileRow, record: TraceRecord) -> FileRow:
        fields = [mapped[name] for name in record.fields if name in mapped]
        is_asked = any(ALIASES.get(field, field) == "question" for field in fields)
        for text in record.notes:
            note(row.place, text)
        if record.unasked is not None and not is_asked:
            note(row.place, record.unasked)
        return row._replace(content=record.fields, is_table=False, is_trace=True)

    for row in rows:
        content = row.content
        if (
            not isinstance(content, Mapping)
            or not may_be_of_a_trace(content)
            or not columns.isdisjoint(content)
        ):
            yield row
            continue
        spans = spans_of_row(content, tool)
        if spans is None:
            item = item_of_row(content, tool)
            yield row if item is None else whole(row, TraceRecord(item, []))
        else:
            # other attributes of spans are not kept
            first.update(dict.fromkeys(traces.add(spans), row._replace(content=None)))
    for trace, record in traces.records():
        yield whole(first[trace], record)
