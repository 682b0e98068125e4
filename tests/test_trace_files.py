"""Cases from files that Phoenix, OpenInference, Langfuse, LangSmith, MLflow and TruLens export.

`peer_files/` has them. Those of Phoenix (client 3.5), OpenInference's instrumentation of LangChain,
LlamaIndex and Haystack, LangSmith (0.15), MLflow (3.17) and TruLens (2.16) were written by the
tools, and shortened; those of Langfuse and of OTLP are made by hand from what their documentation
and code say.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import json
import operator
import shutil
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.errors import RagAssertWarning

FILES = Path(__file__).parent / "peer_files"

QUESTION, ANSWER = "How often does the ferry run?", "The ferry runs every 40 minutes."
TIMES = "From May to September the ferry runs every 40 minutes."
FARES = "Children under six travel free."

RERANKED = EvalCase(
    question="How often?",
    answer="Every 40 minutes.",
    retrieved_contexts=["two"],
    retrieved_context_ids=["2"],
    metadata={"name": "ask", "user": "u1", "session": "s1", "topic": "times"},
    tags=["a"],
)
NOTHING_FOUND = EvalCase(
    question="nothing",
    answer=ANSWER,
    retrieved_contexts=[],
    metadata={"name": "RunnableSequence"},
)
CHAIN = EvalCase(
    question=QUESTION,
    answer=ANSWER,
    retrieved_contexts=[TIMES],
    retrieved_context_ids=["d1"],
    retrieved_context_sources=["timetable.md"],
    metadata={"name": "RunnableSequence"},
)
PHOENIX = {
    "698776b13d9ed12aedf22760209da516": RERANKED,
    "6efc16c472a4a52b1aba4fce1b67b50e": NOTHING_FOUND,
    "089bd2ec05e25f88bb78a19ce473aa14": CHAIN,
}
LANGFUSE = "7c1d0f5be4d94b1a9d5ce33c2ba9b5f1"
LANGFUSE_CASE = EvalCase(
    question=QUESTION,
    answer=ANSWER,
    retrieved_contexts=[TIMES, FARES],
    retrieved_context_ids=["d1", None],
    retrieved_context_sources=["timetable.md", "fares.md"],
    tags=["ferry"],
)
PERSON = {"name": "ask", "user": "u1", "session": "s1", "environment": "production"}
LANGSMITH = "01a22847-7212-7a01-bdbc-0cc78557acd4"
LANGSMITH_CASE = EvalCase(
    question=QUESTION,
    answer=ANSWER,
    retrieved_contexts=[TIMES],
    retrieved_context_sources=["timetable.md"],
    metadata={"name": "answer", "user_id": "u1", "ls_method": "traceable"},
    tags=["t"],
)
MLFLOW_CONTEXTS: dict[str, Any] = {
    "retrieved_contexts": [TIMES, FARES],
    "retrieved_context_ids": ["t-7", None],
    "retrieved_context_sources": ["timetable.md", "fares.md"],
}
MLFLOW = {
    "tr-1bc1ff3aa46fa37c5989785b5a15a313": EvalCase(
        question=QUESTION,
        answer=ANSWER,
        metadata={"name": "answer", "user": "u1", "session": "s1", "topic": "times"},
        **MLFLOW_CONTEXTS,
    )
}
TRULENS = "dceb7a9f-73d9-4ba8-a59c-f87dc0f8cb69"


def with_metadata(case: EvalCase, **metadata: Any) -> EvalCase:
    return case.model_copy(update={"metadata": {**case.metadata, **metadata}})


EXPECTED: dict[str, dict[str, EvalCase]] = {
    "phoenix_frame.jsonl": PHOENIX,
    "phoenix_frame.csv": PHOENIX,
    "phoenix_client.json": PHOENIX,
    "phoenix_input_output_context.csv": {
        "089bd2ec05e25f88bb78a19ce473aa14": EvalCase(
            question=QUESTION, answer=ANSWER, retrieved_contexts=[TIMES]
        ),
        "6efc16c472a4a52b1aba4fce1b67b50e": EvalCase(
            question="nothing", answer=ANSWER, retrieved_contexts=[]
        ),
        "698776b13d9ed12aedf22760209da516": EvalCase(
            question="How often?",
            answer="Every 40 minutes.",
            retrieved_contexts=["one\n\ntwo"],
            metadata={"topic": "times"},
        ),
    },
    "phoenix_retrieved_documents.csv": {
        "089bd2ec05e25f88bb78a19ce473aa14": EvalCase(
            question=QUESTION,
            retrieved_contexts=[TIMES],
            retrieved_context_sources=["timetable.md"],
        ),
        "6efc16c472a4a52b1aba4fce1b67b50e": EvalCase(question="nothing", retrieved_contexts=[]),
        "698776b13d9ed12aedf22760209da516": EvalCase(
            question="How often?",
            retrieved_contexts=["one", "two"],
            retrieved_context_sources=["a.md", None],
        ),
    },
    "openinference_sdk.jsonl": {
        "0xd2413035a7f87e6929d0affede84cee8": CHAIN,
        "0xf5a17fcc1a95762d6bbca17dbf61239e": RERANKED,
    },
    "openinference_haystack.jsonl": {
        "0xf821d86d3f473519b4e06490a42a7614": EvalCase(
            question=QUESTION,
            answer=ANSWER,
            retrieved_contexts=[TIMES],
            retrieved_context_ids=[
                "3470572629512f25bb55de9c06ade4b26378b94e6f19ac484e8821d91f494abc"
            ],
            retrieved_context_sources=["timetable.md"],
            metadata={"name": "Pipeline.run"},
        )
    },
    "openinference_llama_index.jsonl": {
        "0x0107db0de50783bfdccf27df6ea0d1a3": EvalCase(
            question=QUESTION,
            answer=" ".join(["text"] * 20),
            retrieved_contexts=[FARES, TIMES],
            retrieved_context_ids=[
                "8af43b26-a469-4205-8f8c-2832104ffa4a",
                "bcfb5281-3c75-44c5-bb36-31d49040bd70",
            ],
            retrieved_context_sources=[None, "timetable.md"],
            metadata={"name": "RetrieverQueryEngine.query"},
        )
    },
    "openinference_otlp.jsonl": {"f5a17fcc1a95762d6bbca17dbf61239e": RERANKED},
    "langfuse_download.json": {
        LANGFUSE: with_metadata(LANGFUSE_CASE, **PERSON, topic="times", scores={"helpful": 0.5})
    },
    "langfuse_api_trace.json": {
        LANGFUSE: with_metadata(LANGFUSE_CASE, **PERSON, topic="times", scores={"helpful": 0.5})
    },
    "langfuse_traces.csv": {
        LANGFUSE: EvalCase(
            question=QUESTION,
            answer=ANSWER,
            tags=["ferry"],
            metadata={**PERSON, "topic": "times", "scores": {"helpful": 0.5}},
        )
    },
    "langfuse_observations.jsonl": {
        LANGFUSE: with_metadata(LANGFUSE_CASE, **{**PERSON, "environment": "default"})
    },
    "langfuse_blob.jsonl": {LANGFUSE: with_metadata(LANGFUSE_CASE, **PERSON, topic="times")},
    "langfuse_items.jsonl": {
        "item-1": EvalCase(
            question=QUESTION,
            ground_truth_answer="It runs every 40 minutes.",
            metadata={"data_set": "ferry", "topic": "times"},
        )
    },
    "langsmith_runs.jsonl": {LANGSMITH: LANGSMITH_CASE},
    "langsmith_run_with_children.json": {
        LANGSMITH: with_metadata(LANGSMITH_CASE, scores={"helpful": 0.5})
    },
    "mlflow_search_traces.csv": {
        "tr-369dfb6b965fd3f61e0f1f6ea7d0891d": EvalCase(
            question="How often?",
            history=[
                {"role": "user", "content": "Hi"},
                {"role": "assistant", "content": "Hello"},
            ],
            answer="Every 40 minutes.",
            ground_truth_answer="It runs every 40 minutes.",
            metadata={"name": "chat", "scores": {"ok": True}},
            **MLFLOW_CONTEXTS,
        ),
        **MLFLOW,
    },
    "mlflow_trace.json": {
        id: case.model_copy(update={"ground_truth_claims": ["40 minutes", "May to September"]})
        for id, case in MLFLOW.items()
    },
    "trulens_records.csv": {
        TRULENS: EvalCase(
            question=QUESTION, answer=ANSWER, metadata={"name": "rag", "app_version": "v1"}
        )
    },
    "trulens_events.json": {
        TRULENS: EvalCase(
            question=QUESTION,
            answer=ANSWER,
            retrieved_contexts=[TIMES, FARES],
            metadata={"name": "app.Rag.query"},
        )
    },
}
EXPECTED["langfuse_items.csv"] = EXPECTED["langfuse_items.jsonl"]


def cases_of(expected: dict[str, EvalCase]) -> list[EvalCase]:
    return [case.model_copy(update={"id": id}) for id, case in expected.items()]


@pytest.mark.parametrize("name", EXPECTED)
def test_an_exported_file(name: str) -> None:
    assert load_cases(FILES / name) == cases_of(EXPECTED[name])


@pytest.mark.parametrize("id", [{"context.span_id": "s"}, {"context.trace_id": "s"}])
@pytest.mark.parametrize("name", ["context", "reference"])
def test_phoenix_tables_have_an_id_of_either_kind(tmp_path: Path, id: Any, name: str) -> None:
    answered = {**id, "input": "Q", "output": "A", name: "C"}
    other = {"context.span_id": "t", "input": "R", "output": "B", name: None}
    (tmp_path / "a.json").write_text(json.dumps([answered, other]))
    assert load_cases(tmp_path / "a.json") == [
        EvalCase(id="s", question="Q", answer="A", retrieved_contexts=["C"]),
        EvalCase(id="t", question="R", answer="B", retrieved_contexts=[]),
    ]
    name = "document" if name == "context" else name
    retrieved = [
        {**id, "document_position": place, "input": "Q", name: text, "document_score": 0.5}
        for place, text in enumerate("CD")
    ]
    assert load_cases(retrieved) == [EvalCase(id="s", question="Q", retrieved_contexts=["C", "D"])]


def test_a_reference_beside_phoenix_contexts_is_no_context() -> None:
    row = {"context.span_id": "s", "input": "Q", "output": "A", "context": None, "reference": "R"}
    (case,) = load_cases([row])
    assert case.retrieved_contexts == []


def test_a_trace_of_phoenix_command_line(tmp_path: Path) -> None:
    spans = json.loads((FILES / "phoenix_client.json").read_text())
    traces = [
        {
            "traceId": trace,
            "status": "OK",
            "spans": [one for one in spans if one["context"]["trace_id"] == trace],
        }
        for trace in PHOENIX
    ]
    (tmp_path / "all.json").write_text(json.dumps(traces))
    assert load_cases(tmp_path / "all.json") == cases_of(PHOENIX)
    (tmp_path / "one.json").write_text(json.dumps(traces[0]))
    assert load_cases(tmp_path / "one.json") == cases_of(PHOENIX)[:1]


def test_attributes_as_columns(tmp_path: Path) -> None:
    """As tables of spans have them that are written from OTLP."""
    ids = {"trace_id": "t", "span_id": "r"}
    rows = [
        {**ids, "input.value": "Q", "output.value": "A"},
        {
            **ids,
            "span_id": "s",
            "parent_id": "r",
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents.0.document.content": "c",
        },
    ]
    assert load_cases(rows) == [
        EvalCase(id="t", question="Q", answer="A", retrieved_contexts=["c"])
    ]


def test_packed_and_in_a_folder(tmp_path: Path) -> None:
    for name in ("langsmith_runs.jsonl", "mlflow_trace.json"):
        shutil.copy(FILES / name, tmp_path)
    packed = gzip.compress((FILES / "phoenix_frame.csv").read_bytes())
    (tmp_path / "phoenix.csv.gz").write_bytes(packed)
    found = {case.id: case for case in load_cases(tmp_path)}
    assert found.keys() == {LANGSMITH, *MLFLOW, *PHOENIX}
    assert found[LANGSMITH] == cases_of(EXPECTED["langsmith_runs.jsonl"])[0]


def test_a_parquet_file(tmp_path: Path) -> None:
    lines = (FILES / "phoenix_frame.jsonl").read_text().splitlines()
    table = pa.Table.from_pylist([json.loads(line) for line in lines])
    pq.write_table(table, tmp_path / "spans.parquet")
    assert load_cases(tmp_path / "spans.parquet") == cases_of(PHOENIX)


def test_a_bulk_export_of_langsmith(tmp_path: Path) -> None:
    """Its columns are texts, and what is empty is null."""
    lines = (FILES / "langsmith_runs.jsonl").read_text().splitlines()
    rows = [
        {
            "parent_run_id": None,
            **{
                name: json.dumps(value) if isinstance(value, dict) else value
                for name, value in json.loads(line).items()
            },
        }
        for line in lines
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "runs.parquet")
    assert load_cases(tmp_path / "runs.parquet") == cases_of({LANGSMITH: LANGSMITH_CASE})


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.endswith(".jsonl")])
def test_rows_in_memory(name: str) -> None:
    rows = [json.loads(line) for line in (FILES / name).read_text().splitlines()]
    assert load_cases(rows) == cases_of(EXPECTED[name])


def places_in(value: Any, *above: Any) -> list[tuple[Any, ...]]:
    inner: Any = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    return [above, *(place for key, one in inner for place in places_in(one, *above, key))]


_ODD: list[Any] = [
    None,
    True,
    -1,
    1.5,
    float("nan"),
    10**400,
    "",
    "x",
    '"',
    "[",
    "[1, 2]",
    '{"a": 1}',
]
_ODD += [[], {}, [None], [[]], {"a": {}}, ["a", 5], [{"role": ["user"], "content": 5}]]


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.endswith(".jsonl")])
@given(data=st.data())
def test_an_odd_value_is_no_field_or_a_mistake(name: str, data: st.DataObject) -> None:
    rows = [json.loads(line) for line in (FILES / name).read_text().splitlines()]
    *above, last = data.draw(st.sampled_from([one for one in places_in(rows) if len(one) > 1]))
    functools.reduce(operator.getitem, above, rows)[last] = data.draw(st.sampled_from(_ODD))
    with warnings.catch_warnings(), contextlib.suppress(ValueError):
        warnings.simplefilter("ignore", RagAssertWarning)
        load_cases(rows)


@pytest.mark.parametrize(
    "name", ["langfuse_api_trace.json", "langsmith_run_with_children.json", "mlflow_trace.json"]
)
def test_a_trace_is_a_case(name: str) -> None:
    trace = json.loads((FILES / name).read_text())
    assert [EvalCase.of(trace)] == cases_of(EXPECTED[name])


def test_a_file_of_traces_is_tested_without_an_application(pytester: pytest.Pytester) -> None:
    shutil.copy(FILES / "phoenix_frame.jsonl", pytester.path / "traces.jsonl")
    pytester.makepyfile(
        """
        import pytest
        from pytest_ragassert import assert_faithful

        @pytest.mark.rag_cases("traces.jsonl")
        def test_trace(rag_case):
            assert_faithful(rag_case)
        """
    )
    result = pytester.runpytest("-v", "-p", "no:asyncio")
    # one was made of other passages, one of none; the third stands in what was retrieved
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*test_trace[[]089bd2ec05e25f88bb78a19ce473aa14[]] PASSED*"])


def test_spans_in_any_order_are_the_same_cases(tmp_path: Path) -> None:
    lines = (FILES / "phoenix_frame.jsonl").read_text().splitlines()
    file = tmp_path / "traces.jsonl"
    file.write_text("\n".join(reversed(lines)))
    assert load_cases(file) == cases_of(PHOENIX)[::-1]


def test_a_root_that_is_not_there_is_said(tmp_path: Path) -> None:
    lines = (FILES / "langsmith_runs.jsonl").read_text().splitlines()
    file = tmp_path / "runs.jsonl"
    file.write_text("\n".join(lines[1:]))
    said = r"runs\.jsonl, line 1: the root span of the trace is missing, so it has no question"
    with pytest.warns(RagAssertWarning, match=said):
        (case,) = load_cases(file)
    assert (case.question, case.answer, case.retrieved_contexts) == (None, None, [TIMES])
    file.write_text(lines[1])
    with pytest.warns(RagAssertWarning, match=r"so question and answer are those of 'retr"):
        (case,) = load_cases(file)
    assert (case.question, case.answer, case.retrieved_contexts) == (QUESTION, None, [TIMES])


def test_a_question_that_is_not_known_is_said_and_can_be_mapped(tmp_path: Path) -> None:
    run = json.loads((FILES / "langsmith_runs.jsonl").read_text().splitlines()[0])
    run["inputs"] = {"asked": "When?", "tone": "calm"}
    file = tmp_path / "runs.jsonl"
    file.write_text(json.dumps(run))
    said = r"the question: 'asked', 'tone'; map it with fields=\{'input\.asked': \"question\"\}"
    with pytest.warns(RagAssertWarning, match=said):
        (case,) = load_cases(file)
    assert case.question is None
    assert case.metadata["input.asked"] == "When?"
    (case,) = load_cases(file, fields={"input.asked": "question"})
    assert case.question == "When?"
    with pytest.warns(RagAssertWarning, match=said):
        load_cases(file, fields={"input.tone": "persona"})


def otlp(value: Any) -> dict[str, Any]:
    """A value as OTLP's JSON has it."""
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": k, "value": otlp(v)} for k, v in value.items()]}}
    if isinstance(value, list):
        return {"arrayValue": {"values": list(map(otlp, value))}}
    return {"stringValue": value}


def message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


@pytest.mark.parametrize("written", [json.dumps, lambda value: value], ids=["JSON", "structured"])
def test_messages_of_opentelemetrys_own_names_are_read(tmp_path: Path, written: Any) -> None:
    asked = [message("system", "Be kind."), message("user", "Hi"), message("assistant", "Hello")]
    asked.append(message("user", QUESTION))
    names = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.input.messages": written(asked),
        "gen_ai.output.messages": written([message("assistant", ANSWER)]),
    }
    attributes = [{"key": name, "value": otlp(value)} for name, value in names.items()]
    span = {"traceId": "t", "spanId": "s", "name": "ask", "attributes": attributes}
    export = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    file = tmp_path / "spans.jsonl"
    file.write_text(json.dumps(export))
    (case,) = load_cases(file)
    assert (case.question, case.answer) == (QUESTION, ANSWER)
    assert [turn["content"] for turn in case.history] == ["Hi", "Hello"]
    del attributes[1:]
    file.write_text(json.dumps(export))
    with pytest.warns(RagAssertWarning, match="no span of the trace has a known kind of input"):
        (case,) = load_cases(file)
    assert case.question is None


def test_columns_that_the_user_maps_are_read_so(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    row = {"context.trace_id": "t", "context.span_id": "s", "parent_id": None}
    row["attributes.input.value"] = "Q"
    file.write_text(json.dumps(row))
    fields = {
        "context.trace_id": "id",
        "context.span_id": "metadata",
        "attributes.input.value": "question",
    }
    assert load_cases(file, fields=fields) == [
        EvalCase(id="t", question="Q", metadata={"context.span_id": "s"})
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Q", "answer": "A", "trace_id": "t", "span_id": "s"},
        {"question": "Q", "trace_id": "t", "span_id": "s", "parent_id": "r"},
        {"question": "Q", "type": "TOOL", "id": "1", "trace_id": "t", "output": "A"},
        {"question": "Q", "request": "r", "response": "A"},
        {"input": "Q", "output": "A", "observations": "none"},
        {"input": "Q", "output": "A", "record_id": "1"},
        {"question": "Q", "run_type": "nightly", "inputs": "x", "outputs": "y"},
        {"question": "Q", "spans": ["s"], "answer": "A"},
        {"id": "a", "input": "Q", "expected_output": "A", "dataset_id": "d"},
        {"input": "Q", "context.trace_id": "t", "context.span_id": "s"},
        {"id": "a", "input": "Q", "actual_output": "A", "observations": ["seen"]},
        {"id": "a", "input": "Q", "actual_output": "A", "observations": [{"who": "me"}]},
        {"input": "Q", "actual_output": "A", "spans": [{"from": 1}]},
        {"question": "Q", "context": {"trace_id": "t", "span_id": "s"}},
    ],
)
def test_a_file_by_hand_is_not_taken_for_a_trace(tmp_path: Path, row: dict[str, Any]) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    with pytest.raises(ValueError, match=r"unknown field"):
        load_cases(tmp_path / "a.jsonl")
