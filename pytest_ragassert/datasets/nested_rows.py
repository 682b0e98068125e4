"""Finds the tool, LangSmith or MLflow, that wrote rows with `inputs` and `outputs`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from ..interop.nested_records import nested_row
from ..language.suggestions import shown_value
from .case_reader import FileRow

_TOOLS = {"langsmith": "LangSmith's", "mlflow": "MLflow's"}
_SAID = (None, *_TOOLS)
_WAY_OUT = 'format="mlflow" reads `outputs` as answers, format="langsmith" reads them as references'


def with_common_tool(
    rows: Iterable[FileRow],
    tool: str | None,
    named: Collection[str],
    note: Callable[[str, str], None],
) -> Iterator[FileRow]:
    """The rows; the first row with `inputs` that shows its tool determines the tool of all others.

    Until then, rows are read as LangSmith's. A row of another tool than the rows before is a
    mistake.

    Args:
        tool: the tool that wrote the rows, as in `format=`; None: it is found out.
        named: the columns that the user mapped to fields.
        note: called with a row's place and what is unknown about it: its tool, or which of its
            entries is a field.
    """
    found: str | None = None
    unread: set[str] = set()  # places with a note
    said_by = unsure = ""  # the place of the row that shows the tool, and of the first that doesn't
    for row in rows:
        content = row.content
        nested = None
        if tool in _SAID and isinstance(content, Mapping) and not row.is_trace:
            nested = nested_row(content, named)
        if nested is not None:
            for place in sorted(nested.unread.keys() - unread):
                note(row.place, _why_unread(place, nested.unread[place]))
            unread.update(nested.unread)
        if nested is None or tool is not None:
            yield row
            continue
        before = found or ("langsmith" if unsure else None)
        if nested.tool and before and before != nested.tool:
            mixed = (
                f"this row is {_TOOLS[nested.tool]}, but {said_by or unsure} was read as "
                f"{_TOOLS[before]}; {_WAY_OUT}"
            )
            yield row._replace(content=ValueError(mixed))
            continue
        if found is None and nested.tool:
            found, said_by = nested.tool, row.place
        elif nested.is_unclear and found is None:
            unsure = unsure or row.place
        yield row._replace(tool=found or "langsmith")
    if unsure and found is None:
        note(
            unsure,
            f"nothing shows whether its `outputs` are a reference or an answer; they were read as "
            f"a reference, as LangSmith's. {_WAY_OUT}",
        )


def _why_unread(place: str, names: Sequence[str]) -> str:
    column = json.dumps(f"{place}.{names[0]}"[:60], ensure_ascii=False)
    what, field = "a question", '"question"}'
    if place == "outputs":
        what, field = "an answer or a reference", '"answer"}, or "ground_truth_answer",'
    listed = ", ".join(map(shown_value, names[:_MOST_NAMED]))
    return (
        f"no name in its `{place}` is known as the name of {what}: {listed}; all go into "
        f"metadata, and fields={{{column}: {field} reads one as a field"
    )


_MOST_NAMED = 10
