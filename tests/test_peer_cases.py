"""Cases from other tools' files and objects: shapes that their current releases write."""

from __future__ import annotations

import csv
import dataclasses
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel

from pytest_ragassert import EvalCase, load_cases

# DeepEval 4.3: `EvaluationDataset.save_as`
DEEPEVAL: dict[str, Any] = {
    "input": "Q1",
    "actual_output": "A1",
    "expected_output": "E1",
    "retrieval_context": ["r1", "r2"],
    "context": ["c1", "c2"],
    "name": None,
    "comments": "checked",
    "source_file": "faq.md",
    "tools_called": None,
    "expected_tools": None,
    "additional_metadata": {"topic": "x"},
    "custom_column_key_values": None,
    "expectations": None,
}
DEEPEVAL_CSV = """\
input,actual_output,expected_output,retrieval_context,context,name,comments,source_file,tools_called,\
expected_tools,additional_metadata,custom_column_key_values,expectations
Q1,A1,E1,r1|r2,c1|c2,,checked,faq.md,,,"{""topic"": ""x""}",,
"""
AS_DEEPEVAL = EvalCase(
    question="Q1",
    answer="A1",
    ground_truth_answer="E1",
    retrieved_contexts=["r1", "r2"],
    ground_truth_contexts=["c1", "c2"],
    source_units=["faq.md"],
    metadata={"comments": "checked", "topic": "x"},
)
# ragas 0.4: `EvaluationDataset.to_jsonl` and `to_csv` of a `MultiTurnSample`
TURNS = [
    {"content": "Hi", "type": "human"},
    {"content": "Hello", "type": "ai"},
    {"content": "When?", "type": "human"},
    {"content": "{}", "type": "tool"},
    {"content": "At 5.", "type": "ai"},
]
AS_TURNS = EvalCase(
    question="When?",
    answer="At 5.",
    ground_truth_answer="R",
    history=[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
)
JOINED = {**DEEPEVAL, "retrieval_context": "r1|r2", "context": "c1|c2"}

FILES = {
    "DeepEval, JSON": ("a.json", json.dumps([DEEPEVAL]), AS_DEEPEVAL),
    "DeepEval, JSON lines": ("a.jsonl", json.dumps(JOINED), AS_DEEPEVAL),
    "DeepEval, CSV": ("a.csv", DEEPEVAL_CSV, AS_DEEPEVAL),
    "a golden alone": (
        "a.csv",
        "input,actual_output,expected_output,retrieval_context,context\nQ,,,,c\n",
        EvalCase(question="Q", ground_truth_contexts=["c"]),
    ),
    "ragas, turns": (
        "a.jsonl",
        json.dumps({"user_input": TURNS, "reference": "R"}),
        AS_TURNS,
    ),
    "ragas, turns in CSV": ("a.csv", f'user_input,reference\n"{TURNS}",R\n', AS_TURNS),
    "llama-index": (
        "a.json",
        json.dumps(
            {
                "examples": [
                    {
                        "query": "Q",
                        "query_by": {"type": "ai"},
                        "reference_contexts": ["c"],
                        "reference_answer": "R",
                        "reference_answer_by": None,
                    }
                ]
            }
        ),
        EvalCase(
            question="Q",
            ground_truth_answer="R",
            ground_truth_contexts=["c"],
            metadata={"query_by": {"type": "ai"}},
        ),
    ),
    # `outputs` is the reference
    "LangSmith": (
        "a.jsonl",
        json.dumps(
            {
                "id": "x",
                "inputs": {"question": "Q", "context": "c", "lang": "en"},
                "outputs": {"answer": "R"},
                "metadata": {"source": "faq.md"},
                "dataset_id": "d",
            }
        ),
        EvalCase(
            id="x",
            question="Q",
            retrieved_contexts=["c"],
            ground_truth_answer="R",
            metadata={"inputs": {"lang": "en"}, "source": "faq.md", "dataset_id": "d"},
        ),
    ),
    "LangSmith, messages": (
        "a.jsonl",
        json.dumps(
            {
                "inputs": {"messages": [{"role": "user", "content": "Q"}]},
                "outputs": {"messages": [{"role": "assistant", "content": "R"}]},
                "created_at": None,
            }
        ),
        EvalCase(question="Q", ground_truth_answer="R"),
    ),
    "LangSmith, no reference": (
        "a.jsonl",
        json.dumps({"inputs": {"input": "Q"}, "outputs": None}),
        EvalCase(question="Q"),
    ),
    # `outputs` is the answer
    "MLflow": (
        "a.json",
        json.dumps(
            [
                {
                    "inputs": {"query": "Q"},
                    "outputs": "A",
                    "expectations": {
                        "expected_response": "R",
                        "expected_facts": ["f"],
                        "context": "c",
                        "guidelines": ["g"],
                    },
                }
            ]
        ),
        EvalCase(
            question="Q",
            answer="A",
            retrieved_contexts=["c"],
            ground_truth_answer="R",
            ground_truth_claims=["f"],
            metadata={"expectations": {"guidelines": ["g"]}},
        ),
    ),
    "MLflow, a dict": (
        "a.jsonl",
        json.dumps({"inputs": {"query": "Q"}, "outputs": {"answer": "A"}, "expectations": None}),
        EvalCase(question="Q", answer="A"),
    ),
    "Haystack": (
        "a.jsonl",
        json.dumps(
            {
                "type": "haystack.dataclasses.answer.GeneratedAnswer",
                "init_parameters": {
                    "data": "A",
                    "query": "Q",
                    "documents": [{"id": "7", "content": "c", "meta": {"file_path": "faq.md"}}],
                    "meta": {"model": "m"},
                },
            }
        ),
        EvalCase(
            question="Q",
            answer="A",
            retrieved_contexts=["c"],
            retrieved_context_ids=["7"],
            retrieved_context_sources=["faq.md"],
            metadata={"model": "m"},
        ),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_tool(tmp_path: Path, name: str) -> None:
    file, content, expected = FILES[name]
    (tmp_path / file).write_text(content)
    (case,) = load_cases(tmp_path / file)
    if expected.id is None:
        assert case.id == "a-1"
        case.id = None
    assert case.model_dump() == expected.model_dump()


@pytest.mark.parametrize(
    "row",
    [
        {"input": "Q", "actual_output": "A", "retrieval_context": "a | b"},
        {"input": "Q", "actual_output": "A", "anwser": "B"},
        {"question": "Q", "context": "c", "answer": "A"},
        {"input": "Q", "context": "c", "answer": "A", "colour": "red"},
    ],
)
def test_a_file_by_hand_is_not_taken_for_another_tools(tmp_path: Path, row: Any) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    if "retrieval_context" in row:
        (case,) = load_cases(tmp_path / "a.jsonl")
        assert case.retrieved_contexts == ["a | b"]
        return
    with pytest.raises(ValueError, match=r"unknown field '(anwser|context|colour)'"):
        load_cases(tmp_path / "a.jsonl")


# -- objects ---------------------------------------------------------------------------------------


class Document:
    """As LangChain's."""

    id = "7"

    def __init__(self, text: str) -> None:
        self.page_content, self.metadata = text, {"source": "faq.md"}


@dataclasses.dataclass
class Node:
    """As LlamaIndex' NodeWithScore."""

    text: str

    def get_content(self) -> str:
        return self.text


@dataclasses.dataclass
class Response:
    """As LlamaIndex'."""

    response: str
    source_nodes: list[Node]
    metadata: dict[str, Any]


@dataclasses.dataclass
class GeneratedAnswer:
    """As Haystack's."""

    data: str
    query: str
    documents: list[Any]
    meta: dict[str, Any]


class Row(NamedTuple):
    question: str
    answer: str | None


class Slotless:
    def __init__(self) -> None:
        self.question, self._private = "Q", 1


class Sample(BaseModel):
    user_input: str
    response: str | None = None


@dataclasses.dataclass
class RetrievedContextData:
    context: str
    source: str


IN_CHAIN = {"input": "Q", "context": [Document("c")], "answer": "A"}
CHAINED = EvalCase(
    question="Q",
    answer="A",
    retrieved_contexts=["c"],
    retrieved_context_ids=["7"],
    retrieved_context_sources=["faq.md"],
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (IN_CHAIN, CHAINED),
        ({"query": "Q", "result": "A", "source_documents": [Document("c")]}, CHAINED),
        (
            {**IN_CHAIN, "chat_history": [types.SimpleNamespace(type="human", content="Hi")]},
            CHAINED.model_copy(update={"history": [{"role": "user", "content": "Hi"}]}),
        ),
        (
            Response("A", [Node("c")], {"n": 1}),
            EvalCase(answer="A", retrieved_contexts=["c"], metadata={"n": 1}),
        ),
        (
            GeneratedAnswer("A", "Q", [Node("c")], {"n": 1}),
            EvalCase(question="Q", answer="A", retrieved_contexts=["c"], metadata={"n": 1}),
        ),
        (Row("Q", None), EvalCase(question="Q")),
        (Slotless(), EvalCase(question="Q")),
        (Sample(user_input="Q"), EvalCase(question="Q")),
        (DEEPEVAL, AS_DEEPEVAL),
        (
            {"input": "Q", "retrieval_context": [RetrievedContextData("c", "faq.md"), "d"]},
            EvalCase(
                question="Q",
                retrieved_contexts=["c", "d"],
                retrieved_context_sources=["faq.md", None],
            ),
        ),
    ],
)
def test_objects_are_cases(given: Any, expected: EvalCase) -> None:
    assert EvalCase.of(given) == expected
    (case,) = load_cases([given])
    case.id = None
    assert case.model_dump() == expected.model_dump()


def test_a_case_is_itself() -> None:
    case = EvalCase(id="a")
    assert EvalCase.of(case) is case


@pytest.fixture
def peers_class(monkeypatch: pytest.MonkeyPatch) -> type:
    """A class of a tool that we know, with fields that we don't."""
    module = types.ModuleType("ragas.dataset_schema")
    monkeypatch.setitem(sys.modules, module.__name__, module)

    class Peers:
        def __init__(self, **fields: Any) -> None:
            vars(self).update(fields)

    Peers.__module__ = module.__name__
    return Peers


def test_what_another_tools_object_has_beside_is_metadata(peers_class: type) -> None:
    given = peers_class(user_input="Q", score=0.5, nothing=None, handle=object())
    expected = EvalCase(question="Q", metadata={"score": 0.5})
    assert EvalCase.of(given) == expected
    (case,) = load_cases([given])
    assert (case.id, case.metadata) == ("case-1", {"score": 0.5})


@pytest.mark.parametrize("given", [5, "text", None, EvalCase, b"x", object()])
def test_what_has_no_fields_is_no_case(given: Any) -> None:
    with pytest.raises(TypeError, match="a case must be an EvalCase or a dict, not "):
        EvalCase.of(given)


def test_an_unknown_field_of_an_object_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"unknown field 'anwser' \(did you mean 'answer'"):
        EvalCase.of(types.SimpleNamespace(question="Q", anwser="A"))


def test_messages_beside_a_history_are_no_question() -> None:
    with pytest.raises(ValueError, match=r"question is .*; it takes a text"):
        EvalCase.of({"user_input": TURNS, "history": [{"role": "user", "content": "Before"}]})


def test_messages_with_unknown_roles_are_no_history() -> None:
    with pytest.raises(ValueError, match=r"question is .*; it takes a text"):
        EvalCase.of({"user_input": [{"role": "judge", "content": "Hi"}]})


def test_a_row_of_a_tool_is_taken_by_the_constructor_as_by_of() -> None:
    row = {"user_input": "Q", "response": None, "retrieved_contexts": None, "reference": "R"}
    assert EvalCase(**row) == EvalCase(question="Q", ground_truth_answer="R")
    more = {**row, "rubrics": None, "persona_name": "commuter", "score": 0.5}
    made: Callable[[dict[str, Any]], EvalCase]
    for made in (lambda row: EvalCase(**row), EvalCase.of):
        # what is none of ours and not of what ragas writes
        with pytest.raises(ValueError, match="unknown field 'score'"):
            made(more)
        known = {name: value for name, value in more.items() if name != "score"}
        assert made(known) == EvalCase(question="Q", ground_truth_answer="R", persona="commuter")
    example = {"inputs": {"question": "Q"}, "outputs": {"answer": "R"}}
    assert EvalCase(**example) == EvalCase(question="Q", ground_truth_answer="R")
    chained = EvalCase(input="Q", context=["c"], answer="A")
    assert chained == EvalCase(question="Q", retrieved_contexts=["c"], answer="A")
    with pytest.raises(ValueError, match="its meaning varies between tools"):
        EvalCase(question="Q", context=["c"])


def test_what_langchain_dumps_are_documents_and_messages() -> None:
    def dumped(**fields: Any) -> dict[str, Any]:
        return {"lc": 1, "type": "constructor", "id": ["langchain", "X"], "kwargs": fields}

    blocks = [{"type": "text", "text": "Hello"}, {"type": "image"}, {"type": "text", "text": "!"}]
    calls: dict[str, Any] = {"content": "", "type": "ai", "tool_calls": [{"name": "search"}]}
    given = {
        "input": "Q",
        "context": [dumped(page_content="c", id="7", metadata={"source": "faq.md"})],
        "answer": "A",
        "chat_history": [dumped(content=blocks, type="human"), dumped(**calls)],
    }
    case = EvalCase.of(given)
    assert case == CHAINED.model_copy(update={"history": [{"role": "user", "content": "Hello\n!"}]})


@pytest.mark.parametrize("content", [5, None, {"text": "Hi"}])
def test_a_message_without_a_text_is_no_turn(content: Any) -> None:
    with pytest.raises(ValueError, match=r"turn 1.* content is .*; it takes a text"):
        EvalCase.of({"question": "Q", "history": [{"role": "user", "content": content}]})


def test_items_of_axion(tmp_path: Path) -> None:
    item = {
        "dataset_id": "x",
        "query": "When?",
        "expected_output": "At 5 o'clock.",
        "actual_output": "At 5.",
        "retrieved_content": ["c"],
        "latency": 2.13,
        "judgment": 1,
        "acceptance_criteria": ["names the hour"],
        "additional_input": {},
        "dataset_metadata": '{"topic": "times"}',
        "user_tags": ["summer"],
        "conversation": {"messages": [{**turn, "role": turn["type"]} for turn in TURNS]},
        "conversation_extraction_strategy": "last",
        "actual_ranking": [{"id": "d1", "score": 0.9}, {"id": "d2", "score": 0.8}],
        "expected_ranking": [{"id": "d1", "relevance": 1.0}, {"id": "d3", "relevance": 0.5}],
        "trace": None,
    }
    expected = EvalCase(
        id="x",
        question="When?",
        answer="At 5.",
        history=AS_TURNS.history,
        retrieved_contexts=["c"],
        retrieved_context_ids=["d1", "d2"],
        ground_truth_answer="At 5 o'clock.",
        ground_truth_context_ids={"d1": 1.0, "d3": 0.5},
        tags=["summer"],
        metadata={
            "latency": 2.13,
            "judgment": 1,
            "acceptance_criteria": ["names the hour"],
            "topic": "times",
        },
    )
    assert EvalCase.of(item).model_dump() == expected.model_dump()
    assert EvalCase.of({**item, "query": None, "actual_output": None}).answer == "At 5."
    data_set = {"name": "set", "description": "", "metadata": {"a": 1}, "items": [item]}
    (tmp_path / "set.json").write_text(json.dumps(data_set))
    assert load_cases(tmp_path / "set.json") == [expected]
    table = {name: str(value) for name, value in item.items()}
    table |= {
        name: json.dumps(item[name])
        for name in ("retrieved_content", "user_tags", "conversation", "acceptance_criteria")
    }
    with open(tmp_path / "set.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerows([table, ["" if item[name] is None else table[name] for name in table]])
    (case,) = load_cases(tmp_path / "set.csv")
    expected.metadata |= {"latency": "2.13", "judgment": "1"}
    assert case.model_dump() == expected.model_dump()


@pytest.mark.parametrize(
    "record",
    [
        {"input": "Q", "expected_output": "R", "retrieval_context": ["one"], "context": []},
        {
            "user_input": "Q",
            "reference": "R",
            "retrieved_contexts": ["one"],
            "reference_contexts": [],
        },
        {
            "question": "Q",
            "ground_truth_answer": "R",
            "retrieved_contexts": ["one"],
            "ground_truth_contexts": [None, " "],
        },
    ],
)
def test_contexts_of_the_ground_truth_that_are_none_are_no_field(record: dict[str, Any]) -> None:
    for case in (EvalCase(**record), EvalCase.of(record), *load_cases([record])):
        assert case.ground_truth_contexts is None
        assert case.retrieved_contexts == ["one"]
    assert EvalCase(retrieved_contexts=[]).retrieved_contexts == []


def test_deepevals_records_as_its_api_has_them(tmp_path: Path) -> None:
    record = {
        "input": "Q",
        "actualOutput": "A",
        "expectedOutput": "R",
        "retrievalContext": ["one"],
        "context": ["two"],
        "toolsCalled": None,
        "additionalMetadata": {"topic": "x"},
    }
    path = tmp_path / "a.json"
    path.write_text(json.dumps([record]))
    for format in (None, "deepeval"):
        assert load_cases(path, format=format) == [
            EvalCase(
                id="a-1",
                question="Q",
                answer="A",
                ground_truth_answer="R",
                retrieved_contexts=["one"],
                ground_truth_contexts=["two"],
                metadata={"topic": "x"},
            )
        ]


def test_a_test_set_of_ragas_with_answers(tmp_path: Path) -> None:
    record = {
        "question": "Q",
        "contexts": ["one"],
        "ground_truth": "R",
        "evolution_type": "simple",
        "metadata": [{"source": "faq.md"}],
        "episode_done": True,
        "answer": "A",
    }
    read = EvalCase(
        id="a-1",
        question="Q",
        answer="A",
        ground_truth_answer="R",
        ground_truth_contexts=["one"],
        source_units=[{"source": "faq.md"}],
        metadata={"evolution_type": "simple", "episode_done": True},
    )
    path = tmp_path / "a.json"
    path.write_text(json.dumps([record]))
    for format in (None, "ragas"):
        assert load_cases(path, format=format) == [read]
    found = {**record, "retrieved_contexts": ["two"]}
    assert EvalCase.of(found).retrieved_contexts == ["two"]


QUERIES: dict[str, Any] = {
    "queries": {"q1": "How often?", "q2": "Why?"},
    "corpus": {"d1": "Every 40 minutes.", "d2": "No."},
    "relevant_docs": {"q1": ["d1"]},
    "mode": "text",
}


@pytest.mark.parametrize("format", [None, "llama-index"])
def test_queries_of_llama_index_with_relevant_documents(tmp_path: Path, format: str | None) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(QUERIES))
    assert load_cases(path, format=format) == [
        EvalCase(
            id="q1",
            question="How often?",
            ground_truth_contexts=["Every 40 minutes."],
            ground_truth_context_ids={"d1": 1},
        ),
        EvalCase(id="q2", question="Why?"),
    ]
    path.write_text(json.dumps({**QUERIES, "relevant_docs": {"q2": ["d1", "d9"]}}))
    with pytest.raises(ValueError, match=r"query 'q2': the corpus has no text for the docu.* 'd9'"):
        load_cases(path, format=format)


def test_queries_of_llama_index_in_memory() -> None:
    data_set = type("Data", (), {})()
    vars(data_set).update(QUERIES)
    type(data_set).__module__ = "llama_index.core.llama_dataset"
    assert [case.id for case in load_cases(data_set)] == ["q1", "q2"]
