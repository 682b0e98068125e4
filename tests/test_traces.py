"""Spans of a trace as one case: root, retrievers, rerankers, order, and what is odd."""

from __future__ import annotations

import contextlib
import json
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.errors import RagAssertWarning


def span(id: str, parent: str | None = None, kind: str = "CHAIN", **attributes: Any) -> Any:
    """A row of OpenInference's; `at` is when it began, and `__` a dot."""
    at = attributes.pop("at", None)
    return {
        "name": attributes.pop("name", id),
        "context": {"trace_id": attributes.pop("trace", "t"), "span_id": id},
        "parent_id": parent,
        "start_time": None if at is None else f"2026-10-01T08:00:{at:02}Z",
        "attributes": {
            "openinference": {"span": {"kind": kind}},
            **{name.replace("__", "."): value for name, value in attributes.items()},
        },
    }


def docs(*texts: str) -> list[Any]:
    return [{"document": {"content": text, "id": f"id of {text}"}} for text in texts]


ROOT = span("root", input__value="Q", output__value="A", at=0)


def search(id: str, *texts: str, parent: str = "root", **attributes: Any) -> Any:
    return span(id, parent, "RETRIEVER", retrieval__documents=docs(*texts), **attributes)


def rerank(id: str, given: tuple[str, ...] | None, *texts: str, **attributes: Any) -> Any:
    if given is not None:
        attributes["reranker.input_documents"] = docs(*given)
    attributes["reranker.output_documents"] = docs(*texts)
    return span(id, "root", "RERANKER", **attributes)


def one(*rows: Any) -> EvalCase:
    (case,) = load_cases(list(rows))
    return case


def contexts(*rows: Any) -> list[str | None] | None:
    return one(*rows).retrieved_contexts


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param([], None, id="no retriever"),
        pytest.param([search("r")], [], id="nothing was found"),
        pytest.param([span("r", "root", "RETRIEVER")], None, id="what was found is not known"),
        pytest.param([search("r", '{"price": 4}', "[x]")], ['{"price": 4}', "[x]"], id="JSON"),
        pytest.param(
            [span("r", "root", "RETRIEVER", output__value=json.dumps(['{"price": 4}', "[1] a"]))],
            ['{"price": 4}', "[1] a"],
            id="texts that are JSON",
        ),
        pytest.param([search("r", "a"), search("s", "b", "a")], ["a", "b"], id="once"),
        pytest.param(
            [search("r", "a", at=2), search("s", "b", at=1)], ["b", "a"], id="by their time"
        ),
        pytest.param([search("r", "a", at=2), search("s", "b")], ["a", "b"], id="one has no time"),
        pytest.param(
            [search("r", "a", "b"), search("s", "c", parent="r"), search("u", "d", parent="s")],
            ["a", "b"],
            id="a retriever in a retriever",
        ),
        pytest.param(
            [span("r", "root", "RETRIEVER"), search("s", "c", parent="r")],
            ["c"],
            id="in one that says nothing",
        ),
        pytest.param(
            [search("r", "a", "b", at=1), rerank("k", ("a", "b"), "b", at=2)], ["b"], id="reranked"
        ),
        pytest.param(
            [rerank("k", None, "b", at=1), search("r", "a", "b", at=1)],
            ["b"],
            id="reranked within the same second",
        ),
        pytest.param(
            [search("r", "a", at=1), rerank("k", ("a",), at=2), search("s", "c", at=3)],
            ["c"],
            id="searched again after a reranker",
        ),
        pytest.param(
            [search("r", "a", at=1), search("s", "b", at=2), rerank("k", ("a",), "a", at=3)],
            ["b", "a"],
            id="one of two is reranked",
        ),
        pytest.param(
            [span("r", "root", name="retrieve_docs", output__value='["a", "b"]')],
            ["a", "b"],
            id="it is called so",
        ),
        pytest.param(
            [span("r", "root", name="retrieve_docs", output__value='["a"]'), search("s", "b")],
            ["b"],
            id="a retriever counts before what is called so",
        ),
        pytest.param(
            [span("r", "root", "RETRIEVER", output__value='{"documents": ["a"]}')],
            ["a"],
            id="in the output",
        ),
        pytest.param(
            [span("r", "root", "RETRIEVER", output__value="all in one text")],
            ["all in one text"],
            id="one text",
        ),
        pytest.param(
            [
                span(
                    "r", "root", "RETRIEVER", output__value='["<NodeWithScore(node=TextNode(id_=7"]'
                )
            ],
            None,
            id="objects as Python prints them",
        ),
        pytest.param(
            [span("r", "root", "TOOL", name="weather", output__value='["a"]')], None, id="a tool"
        ),
    ],
)
def test_contexts(rows: list[Any], expected: list[str] | None) -> None:
    assert contexts(ROOT, *rows) == expected


def test_contexts_have_ids_and_sources() -> None:
    document = {"content": "a", "id": 7, "metadata": '{"source": "faq.md"}'}
    case = one(ROOT, span("r", "root", "RETRIEVER", **{"retrieval.documents.0.document": document}))
    assert case.retrieved_contexts == ["a"]
    assert case.retrieved_context_ids == ["7"]
    assert case.retrieved_context_sources == ["faq.md"]


def test_documents_stay_in_the_order_of_their_numbers() -> None:
    attributes = {f"retrieval.documents.{n}.document.content": str(n) for n in (10, 9, 0)}
    assert contexts(ROOT, span("r", "root", "RETRIEVER", **attributes)) == ["0", "9", "10"]


def test_documents_beside_the_answer_are_contexts() -> None:
    output = {"answer": "A", "context": [{"page_content": "c", "metadata": {"source": "faq.md"}}]}
    case = one(span("root", input__value="Q", output__value=json.dumps(output)))
    assert (case.answer, case.retrieved_contexts) == ("A", ["c"])
    assert case.retrieved_context_sources == ["faq.md"]


USER = {"role": "user", "content": "Q"}


@pytest.mark.parametrize(
    ("value", "question", "history"),
    [
        ("Q", "Q", 0),
        ('"Q"', "Q", 0),
        ('{"query": "Q", "k": 3}', "Q", 0),
        ('{"asked": "Q", "k": 3}', "Q", 0),
        ('{"inputs": {"question": "Q"}, "question": "Q"}', "Q", 0),
        ('{"args": ["Q"], "kwargs": {"k": 3}}', "Q", 0),
        ('{"args": [], "kwargs": {"question": "Q"}}', "Q", 0),
        (json.dumps([USER]), "Q", 0),
        (json.dumps({"messages": [{"role": "system", "content": "Be short."}, USER]}), "Q", 0),
        (json.dumps({"messages": [{"type": "human", "data": {"content": "Q"}}]}), "Q", 0),
        (json.dumps([{"lc": 1, "kwargs": {"content": "Q", "type": "human"}}]), "Q", 0),
        (json.dumps([[USER]]), "Q", 0),
        (json.dumps([{"role": "user", "content": [{"type": "text", "text": "Q"}]}]), "Q", 0),
        (json.dumps([USER, {"role": "assistant", "content": "B"}, USER]), "Q", 2),
        (json.dumps({"input": "Q", "chat_history": [USER]}), "Q", 1),
        ('{"data": {"search": {"query": "Q"}, "prompt": {"question": "Q", "k": 3}}}', "Q", 0),
        ("{broken", "{broken", 0),
    ],
)
def test_question(value: str, question: str, history: int) -> None:
    case = one(span("root", input__value=value, output__value="A"))
    assert (case.question, len(case.history), case.answer) == (question, history, "A")


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("A", "A"),
        ('{"result": "A"}', "A"),
        ('{"output": {"answer": "A"}}', "A"),
        ('{"role": "assistant", "content": "A"}', "A"),
        ('{"choices": [{"message": {"role": "assistant", "content": "A"}}]}', "A"),
        ('{"generations": [[{"text": "A"}]]}', "A"),
        (json.dumps({"messages": [USER, {"role": "assistant", "content": "A"}]}), "A"),
        ('{"llm": {"replies": ["A"]}}', "A"),
        ('{"llm": {"replies": [{"role": "assistant", "content": [{"text": "A"}]}]}}', "A"),
        ('{"stars": 5, "reason": ["A"]}', '{"stars": 5, "reason": ["A"]}'),
        ("[1] says so", "[1] says so"),
        ("  ", None),
    ],
)
def test_answer(value: str, answer: str | None) -> None:
    assert one(span("root", input__value="Q", output__value=value)).answer == answer


def test_a_server_above_the_root_is_passed_over() -> None:
    server = span("server", name="POST /ask")
    middle = span("middle", "server")
    root = span("root", "middle", input__value="Q", output__value="A")
    below = span("llm", "root", "LLM", input__value="prompt", output__value="B")
    for rows in ([server, middle, root, below], [below, root, middle, server]):
        assert (one(*rows).question, one(*rows).answer) == ("Q", "A")


def test_a_root_is_not_looked_for_above_what_is_there() -> None:
    """The caller's span, in another service, is not exported."""
    with pytest.warns(RagAssertWarning, match=r"question and answer are those of 'root'"):
        case = one({**ROOT, "parent_id": "elsewhere"}, search("r", "a"))
    assert (case.question, case.answer, case.retrieved_contexts) == ("Q", "A", ["a"])


def test_steps_without_a_root_are_in_the_order_of_time() -> None:
    """As Langfuse's older SDKs have them."""
    steps = [
        {"type": "RETRIEVER", "id": "r", "input": "Q", "output": ["a"], "startTime": 1},
        {"type": "GENERATION", "id": "g", "input": "Q and a", "output": "A", "startTime": 2},
    ]
    rows = [{"traceId": "t", "parentObservationId": None, **step} for step in steps]
    for given_rows in (rows, rows[::-1]):
        case = one(*given_rows)
        assert (case.question, case.answer, case.retrieved_contexts) == ("Q", "A", ["a"])


def test_a_traces_own_name_and_tags_take_precedence() -> None:
    observation = {"type": "SPAN", "id": "o", "startTime": 1, "name": "step", "tags": ["b"]}
    trace = {"id": "t", "name": "ask", "tags": ["a"], "input": "Q", "observations": [observation]}
    assert one(trace) == EvalCase(id="t", question="Q", tags=["a"], metadata={"name": "ask"})


def test_traces_are_in_the_order_of_their_first_span() -> None:
    rows = [search("r", "a", trace=trace) for trace in "ba"]
    rows += [span("root", input__value=trace, trace=trace) for trace in "ab"]
    assert [(case.id, case.question) for case in load_cases(rows)] == [("b", "b"), ("a", "a")]


def test_a_span_that_is_there_twice_counts_once() -> None:
    assert contexts(ROOT, search("r", "a"), search("r", "b"), ROOT) == ["a"]


def test_other_rows_are_cases_too(tmp_path: Path) -> None:
    rows = [ROOT, {"id": "x", "question": "Q"}, search("r", "a")]
    assert [case.id for case in load_cases(rows)] == ["x", "t"]


def test_mistakes_of_a_trace_are_told_at_its_first_row(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    rows = [{"id": "t", "question": "Q"}, ROOT]
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match=r"line 2: two cases have the id 't', .* line 1"):
        load_cases(file)


@pytest.mark.parametrize(
    "rows",
    [
        [span("a", "b", input__value="Q"), span("b", "a", input__value="Q")],
        [span("a", "a", input__value="Q")],
        [search("a", "x", parent="b"), search("b", "y", parent="a")],
        [span("a", "b"), span("b", "a"), span("c", "b", input__value="Q")],
    ],
)
def test_spans_that_are_their_own_parents(rows: list[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagAssertWarning)
        assert one(*rows).id == "t"


DEEP = json.loads("[" * 200 + "]" * 200)


@pytest.mark.parametrize("value", [5, True, [], {}, [[]], DEEP, {"question": DEEP}, {"a": {}}])
@pytest.mark.parametrize("name", ["input.value", "output.value", "metadata", "tag.tags"])
def test_odd_values_are_no_fields(name: str, value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagAssertWarning)
        case = one(span("root", **{name: value}), search("r", "a"))
    assert (case.question, case.answer, case.tags) == (None, None, [])
    assert case.retrieved_contexts == ["a"]


@pytest.mark.parametrize("value", [5, "[[[", {"0": {}}, [None, 5, {}, {"document": {}}], DEEP])
def test_odd_documents_are_not_known(value: Any) -> None:
    assert contexts(ROOT, span("r", "root", "RETRIEVER", **{"retrieval.documents": value})) is None


@given(st.permutations(range(6)))
def test_the_order_of_rows_is_no_matter(order: list[int]) -> None:
    rows = [
        span("server"),
        span("root", "server", input__value="Q", output__value="A", at=0),
        search("r", "a", "b", at=1),
        search("inner", "z", parent="r", at=2),
        rerank("k", ("a", "b"), "b", at=3),
        search("s", "c", at=4),
    ]
    case = one(*(rows[place] for place in order))
    expected = EvalCase(
        id="t",
        question="Q",
        answer="A",
        retrieved_contexts=["b", "c"],
        retrieved_context_ids=["id of b", "id of c"],
        metadata=case.metadata,
    )
    assert case == expected


_NAMES = (
    *("context", "trace_id", "span_id", "parent_id", "attributes", "name", "start_time", "spans"),
    *("input.value", "output.value", "retrieval.documents", "openinference.span.kind", "metadata"),
    *("id", "traceId", "type", "observations", "trace", "input", "output", "tags", "scores"),
    *("run_type", "inputs", "outputs", "child_runs", "info", "data", "request", "response"),
    *("record_id", "app_id", "app_version", "record_json", "record_attributes", "record"),
    *("expectedOutput", "datasetId", "resourceSpans", "scopeSpans", "kwargs", "args", "content"),
    *("role", "messages", "documents", "document", "page_content", "assessments", "expectation"),
    *("context.trace_id", "context.span_id", "feedback_stats", "extra", "calls", "startTime"),
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**70)
    | st.floats()
    | st.sampled_from(["", "t", "RETRIEVER", "retriever", "user", '"', "[1", '{"a": "b"}', "[{}]"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=6)
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(_NAMES), _VALUES, min_size=3), max_size=3))
@example([{"run_type": "llm", "inputs": {}, "id": 1, "start_time": 10**400}])
@example([{"run_type": "llm", "inputs": {}, "id": 1, "start_time": "1" * 5000}])
@example([{"context.trace_id": "t", "context.span_id": {}, "parent_id": []}])
def test_odd_rows_are_cases_or_mistakes(rows: list[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RagAssertWarning)
        with contextlib.suppress(ValueError):
            load_cases(rows)


def test_memory_is_bounded_by_what_cases_need(tmp_path: Path) -> None:
    """Prompts, which repeat what was retrieved, are not held."""
    file = tmp_path / "spans.jsonl"

    def peak(prompt: int) -> int:
        with file.open("w") as lines:
            for trace in range(200):
                for row in (
                    span("llm", "root", "LLM", trace=f"{trace}", input__value="x" * prompt),
                    span("root", trace=f"{trace}", input__value="Q", output__value="A"),
                    span("more", "root", "LLM", trace=f"{trace}", input__value="x" * prompt),
                ):
                    lines.write(json.dumps(row) + "\n")
        tracemalloc.start()
        try:
            assert len(load_cases(file)) == 200
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(40_000) < peak(10) + 1_500_000
