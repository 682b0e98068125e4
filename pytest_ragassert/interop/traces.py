"""Makes cases from spans: all spans of a trace make one case.

Question and answer are the root's input and output. The contexts are what retrievers returned, in
order, each text once; the documents that a reranker was given are replaced by those it returned. A
retriever below another one is part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .inputs_and_outputs import answer_in, documents_in, history_in, question_in
from .spans import Document, Span, plain_metadata
from .written_values import parsed

# Used if the trace has no retriever: what the application returns beside its answer.
_BESIDE_THE_ANSWER = ("context", "contexts", "retrieved_contexts", "documents", "source_documents")
_MOST_NAMED = 10


class TraceRecord(NamedTuple):
    """A trace as the record of a case.

    Attributes:
        notes: messages about anything unusual in it.
        unasked: the message if no field becomes its question.
    """

    fields: dict[str, Any]
    notes: list[str]
    unasked: str | None = None


class Traces:
    """Collects spans by trace, and keeps what the case of each trace needs."""

    def __init__(self) -> None:
        self._traces: dict[str, _Trace] = {}

    def add(self, spans: Iterable[Span]) -> list[str]:
        """Add spans, in any order; a span that was added before is ignored.

        Returns:
            The ids of the traces that are new.
        """
        new = []
        for span in spans:
            if span.trace not in self._traces:
                self._traces[span.trace] = _Trace()
                new.append(span.trace)
            self._traces[span.trace].add(span)
        return new

    def records(self) -> Iterator[tuple[str, TraceRecord]]:
        """Yield each trace's id and record, in the order of first appearance, and forget it."""
        for trace in list(self._traces):
            yield trace, self._traces.pop(trace).record(trace)


class _Trace:
    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        # a root without input and output, such as a web server's; a span below it may be the root
        self._empty: set[str] = set()
        # spans without a known parent, by the id of the missing parent, None for roots
        self._tops: dict[str | None, list[Span]] = {}
        self._searches: list[Span] = []
        self._about: list[Mapping[str, Any]] = []

    def add(self, span: Span) -> None:
        if span.id in self._parents:
            return
        self._parents[span.id] = span.parent
        if span.about and (span.parent is None or not self._about):
            self._about.append(span.about)
        if span.documents is not None:
            self._searches.append(span._replace(input=None, output=None))
        below = self._tops.pop(span.id, [])
        if span.input is None and span.output is None:
            self._empty.add(span.id)
            self._place(span.parent, below)
        else:
            self._place(span.parent, [span._replace(documents=None, reranked=None)])

    def _place(self, parent: str | None, spans: list[Span]) -> None:
        """Keep spans whose nearest ancestor with input or output is missing."""
        seen = set()
        while parent in self._empty and parent not in seen:
            seen.add(parent)
            parent = self._parents[parent]
        if spans and (parent is None or parent not in self._parents):
            self._tops.setdefault(parent, []).extend(spans)

    def record(self, trace: str) -> TraceRecord:
        fields: dict[str, Any] = {"id": trace}
        for about in self._about:
            # the trace's own record comes first
            metadata = {**about.get("metadata", {}), **fields.get("metadata", {})}
            fields = {**about, **fields}
            if metadata:
                fields["metadata"] = metadata
        notes: list[str] = []
        roots = self._roots(notes)
        inputs = [one.input for one in roots if one.input is not None]
        unasked = None
        question = next((q for q in map(question_in, inputs) if q is not None), None)
        if question is not None:
            fields["question"] = question
            history = next((turns for turns in map(history_in, inputs) if turns), None)
            if history is not None and isinstance(question, str):
                fields["history"] = history
        elif inputs:
            others = plain_metadata(inputs[0])
            fields.update({f"input.{name}": value for name, value in others.items()})
            unasked = _no_question(others)
        elif not notes:
            unasked = "no span of the trace has a known kind of input, so it has no question"
        # the trace's own answer; without one, that of the last span
        last_first = [*roots[:1], *reversed(roots[1:])] if _has_own(roots) else roots[::-1]
        answers = (answer_in(one.output) for one in last_first if one.kind in ("other", "search"))
        answer = next((one for one in answers if one is not None), None)
        if answer is not None:
            fields["answer"] = answer
        contexts = self._contexts()
        if contexts is None:
            contexts = _beside_the_answer(one.output for one in last_first)
        if contexts is not None:
            fields.update(_as_fields(contexts))
        return TraceRecord(fields, notes, unasked)

    def _roots(self, notes: list[str]) -> list[Span]:
        """The trace itself and the spans without a parent, in the order of time."""
        roots = self._tops.get(None)
        if roots is None and self._tops:
            orphans = [span for spans in self._tops.values() for span in spans]
            roots = orphans if len(orphans) == 1 else []
            taken = (
                f"question and answer are those of {orphans[0].name!r:.60}"
                if roots
                else "it has no question and no answer"
            )
            notes.append(f"the root span of the trace is missing, so {taken}; export it too")
        return _by_time(roots or [])

    def _contexts(self) -> list[Document] | None:
        """The retrieved documents; None: no retriever's output is known."""
        searches = [one for one in self._searches if one.kind != "search"] or self._searches
        if not searches:
            return None
        ids = {one.id for one in searches}
        outer = [one for one in searches if not self._is_below(one, ids)]
        documents: list[Document] = []
        for one in _by_time(outer):
            if one.kind == "reranker":
                given = {document.text for document in one.reranked or documents}
                documents = [document for document in documents if document.text not in given]
            documents += one.documents or []
        once: dict[str, Document] = {}
        for document in documents:
            once.setdefault(document.text, document)
        return list(once.values())

    def _is_below(self, span: Span, ids: set[str]) -> bool:
        seen = {span.id}
        parent = span.parent
        while parent is not None and parent not in seen:
            if parent in ids:
                return True
            seen.add(parent)
            parent = self._parents.get(parent)
        return False


def _by_time(spans: list[Span]) -> list[Span]:
    """The spans in the order in which they began, the trace itself first.

    Spans without a time keep their order. If spans began together, rerankers are last.
    """
    if any(one.time is None and one.id for one in spans):
        return sorted(spans, key=lambda one: one.id != "")
    return sorted(spans, key=lambda one: (one.id != "", one.time or 0, one.kind == "reranker"))


def _has_own(roots: list[Span]) -> bool:
    return bool(roots) and roots[0].id == ""


def _beside_the_answer(outputs: Iterable[Any]) -> list[Document] | None:
    for output in outputs:
        record = parsed(output)
        if not isinstance(record, Mapping):
            continue
        for name in _BESIDE_THE_ANSWER:
            value = parsed(record.get(name))
            found = documents_in(value) if isinstance(value, list) else None
            if found is not None:
                return found
    return None


def _as_fields(contexts: list[Document]) -> dict[str, Any]:
    fields: dict[str, Any] = {"retrieved_contexts": [one.text for one in contexts]}
    if any(one.id for one in contexts):
        fields["retrieved_context_ids"] = [one.id for one in contexts]
    if any(one.source for one in contexts):
        fields["retrieved_context_sources"] = [one.source for one in contexts]
    return fields


def _no_question(others: Mapping[str, Any]) -> str:
    if not others:
        return "the trace's input has no text that is known to be the question"
    names = ", ".join(f"{name!r:.60}" for name in list(others)[:_MOST_NAMED])
    first = f"input.{next(iter(others))}"
    return (
        f"it is not known which text of the trace's input is the question: {names}; map it with "
        f'fields={{{first!r:.80}: "question"}}'
    )
