"""Reads LangSmith runs, with their child runs inside or beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .inputs_and_outputs import found_documents
from .spans import Span, about_trace, kind_of, plain_metadata, seconds
from .written_values import dict_in, list_in, parsed

_TYPES = frozenset(
    {"chain", "llm", "tool", "retriever", "embedding", "prompt", "parser", "reranker"}
)
_DEEPEST = 100


def langsmith_spans(row: Mapping[str, Any]) -> list[Span] | None:
    """The spans of a run and of the runs below it; None if the row is not a run."""
    if str(row.get("run_type")) not in _TYPES or not row.keys() & {"inputs", "outputs"}:
        return None
    if not row.get("id"):
        return None
    return list(_runs(row, None, None, _DEEPEST))


def _runs(
    row: Mapping[str, Any], parent: str | None, trace: str | None, deepest: int
) -> Iterator[Span]:
    id = str(row["id"])
    above = row.get("parent_run_id")
    # if a run was exported without its parents, its own id is the trace's
    parent = str(above) if above and above == above else parent
    trace = str(row.get("trace_id") or trace or id)
    name = str(row.get("name") or "")
    kind = kind_of(row.get("run_type"), name)
    output = parsed(row.get("outputs"))
    inputs = parsed(row.get("inputs"))
    yield Span(
        trace,
        id,
        parent,
        kind,
        name,
        seconds(row.get("start_time")),
        inputs or None,
        output or None,
        found_documents(kind, output),
        about={} if parent is not None else _about(row, name),
    )
    for one in list_in(row.get("child_runs")) if deepest else []:
        if isinstance(one, Mapping) and one.get("id"):
            yield from _runs(one, id, trace, deepest - 1)


def _about(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    metadata = plain_metadata(dict_in(row.get("extra")).get("metadata"))
    scores = {
        str(key): one["avg"]
        for key, one in dict_in(row.get("feedback_stats")).items()
        if isinstance(one, Mapping) and isinstance(one.get("avg"), int | float)
    }
    session = metadata.get("session_id") or metadata.get("thread_id")
    return about_trace(
        row.get("tags"),
        **{"name": name, "session": session, **metadata, "scores": scores},
    )
