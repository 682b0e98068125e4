"""Files that other tools' releases wrote, and their objects, as whole cases.

`tests/peer_files/` has the files; `python -m tests.peer_makers TOOL…` makes them anew.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_ragassert import load_cases

from .peer_makers.__main__ import FILES, TOOLS
from .peer_makers.ferry import (
    ANSWER,
    CONTEXTS,
    IDEAL,
    QUESTION,
    REFERENCE,
    SECOND,
    SECOND_ANSWER,
)

Case = dict[str, Any]
ASKED: Case = {"question": QUESTION, "answer": ANSWER}
FOUND: Case = {**ASKED, "retrieved_contexts": CONTEXTS}
JUDGED: Case = {**FOUND, "ground_truth_answer": REFERENCE, "ground_truth_contexts": IDEAL}
HISTORY: Case = {
    "history": [
        {"role": "user", "content": "Hello!"},
        {"role": "assistant", "content": "What do you want to know?"},
    ]
}
NEXT: Case = {"question": SECOND, "answer": SECOND_ANSWER}


def with_ids(case: Case, *ids: str) -> Case:
    return {
        **case,
        "retrieved_context_ids": list(ids),
        "retrieved_context_sources": ["faq.md"] * len(ids),
    }


SAMPLE: Case = {
    **JUDGED,
    "retrieved_context_ids": ["f1", "d1"],
    "ground_truth_context_ids": ["f1"],
    "persona": "commuter",
    "metadata": {
        "multi_responses": [ANSWER, SECOND_ANSWER],
        "rubrics": {"score1_description": "wrong"},
        "query_style": "MISSPELLED",
        "query_length": "SHORT",
    },
}


def beside(case: Case, **metadata: Any) -> Case:
    return {**case, "metadata": {**case.get("metadata", {}), **metadata}}


SYNTHESIZER = {"synthesizer_name": "single_hop_specific_query_synthesizer"}
# Its contexts are those that the question was made from.
GENERATED = {
    "question": QUESTION,
    "ground_truth_answer": REFERENCE,
    "ground_truth_contexts": IDEAL,
    "source_units": [{"source": "faq.md"}],
    "metadata": {"evolution_type": "simple"},
}
TURNS = {
    **HISTORY,
    **ASKED,
    "ground_truth_answer": REFERENCE,
    "metadata": {
        "reference_topics": ["ferry"],
        "reference_tool_calls": [{"name": "search", "args": {"query": "ferry"}}],
    },
}
GOLDEN = {
    **JUDGED,
    "source_units": ["faq.md"],
    "metadata": {
        "name": "timetable",
        "comments": "checked",
        "topic": "times",
        "custom_column_key_values": {"season": "summer"},
    },
}
CALL = {"name": "search", "type": "FUNCTION", "inputParameters": {"query": "ferry"}}
CONVERSATION = {
    **HISTORY,
    **FOUND,
    "ground_truth_contexts": IDEAL,
    "persona": {"characteristics": "in a hurry"},
    "metadata": {
        "scenario": "A commuter asks",
        "expected_outcome": "is told the interval",
        "user_description": "in a hurry",
        "topic": "times",
    },
}
# The table has no column for it.
IN_A_TABLE = {name: value for name, value in CONVERSATION.items() if name != "persona"}
LABELLED = {
    "question": QUESTION,
    "ground_truth_answer": REFERENCE,
    "ground_truth_contexts": IDEAL,
    "metadata": {
        "query_by": {"model_name": "gen-1", "type": "ai"},
        "reference_answer_by": {"model_name": "", "type": "human"},
    },
}
ROWS = [
    {**FOUND, "id": "a", "ground_truth_answer": REFERENCE},
    {"id": "b", "question": SECOND, "retrieved_contexts": []},
]


class Made(NamedTuple):
    tool: str
    cases: list[Case]
    format: str | None = None


def in_formats(name: str, tool: str, cases: list[Case], *suffixes: str) -> dict[str, Made]:
    return {f"{name}.{suffix}": Made(tool, cases) for suffix in suffixes}


EXPECTED = {
    **in_formats("ragas_samples", "ragas", [SAMPLE, NEXT], "jsonl", "csv"),
    **in_formats("ragas_turns", "ragas", [TURNS], "jsonl", "csv"),
    **in_formats(
        "ragas_test_set",
        "ragas",
        [beside(SAMPLE, **SYNTHESIZER), beside(NEXT, **SYNTHESIZER)],
        "jsonl",
        "csv",
    ),
    "ragas_results.csv": Made("ragas", [beside(SAMPLE, exact_match="0.0")], "ragas"),
    **in_formats(
        "deepeval_goldens", "deepeval", [GOLDEN, {"question": SECOND}], "json", "jsonl", "csv"
    ),
    **in_formats(
        "deepeval_test_cases",
        "deepeval",
        [beside(JUDGED, tools_called=[CALL]), NEXT],
        "json",
        "jsonl",
        "csv",
    ),
    **in_formats(
        "deepeval_conversations",
        "deepeval",
        [CONVERSATION, {"metadata": {"scenario": "Nobody asks"}}],
        "json",
        "jsonl",
    ),
    "deepeval_conversations.csv": Made(
        "deepeval", [IN_A_TABLE, {"metadata": {"scenario": "Nobody asks"}}]
    ),
    **in_formats(
        "deepeval_conversational_cases",
        "deepeval",
        [{**HISTORY, **FOUND, "metadata": {"scenario": "A commuter asks"}}],
        "json",
        "jsonl",
        "csv",
    ),
    "llama_index_labelled.json": Made(
        "llama_index", [LABELLED, {"question": SECOND, "ground_truth_answer": "No."}]
    ),
    "llama_index_predicted": Made(
        "llama_index", [{**LABELLED, **FOUND}, {**NEXT, "ground_truth_answer": "No."}]
    ),
    "llama_index_response.json": Made(
        "llama_index",
        [
            with_ids(
                {
                    "answer": ANSWER,
                    "retrieved_contexts": CONTEXTS,
                    "metadata": {"n0": {"file_name": "faq.md"}},
                },
                *("n0", "n1"),
            )
        ],
    ),
    "haystack_generated.jsonl": Made(
        "haystack", [with_ids({**FOUND, "metadata": {"model": "m"}}, "d0", "d1")]
    ),
    "haystack_extracted.jsonl": Made(
        "haystack",
        [
            with_ids(
                {
                    "question": QUESTION,
                    "answer": "every 40 minutes",
                    "retrieved_contexts": CONTEXTS[:1],
                    "metadata": {"score": 0.5, "document_offset": {"start": 15, "end": 31}},
                },
                "d0",
            )
        ],
    ),
    "langchain_chain.json": Made("langchain_core", [with_ids({**HISTORY, **FOUND}, "d0", "d1")]),
    "ragas_1_data_set.jsonl": Made("ragas_1", [{**FOUND, "ground_truth_answer": REFERENCE}]),
    "ragas_1_test_set.jsonl": Made("ragas_1", [beside(GENERATED, episode_done=True)]),
    "ragas_1_test_set.csv": Made("ragas_1", [beside(GENERATED, episode_done="True")]),
    **in_formats("datasets_rows", "datasets", ROWS, "jsonl", "parquet"),
    **in_formats("pandas_rows", "pandas", ROWS, "json", "jsonl", "csv"),
    **in_formats("pandas_numbered", "pandas", ROWS, "csv"),
    **in_formats("polars_rows", "polars", ROWS, "json", "jsonl", "parquet", "arrow"),
    **in_formats("polars_packed", "polars", ROWS, "arrow"),
    **in_formats("polars_oldest", "polars", ROWS, "arrow"),
}


# What an object has under other names than its file.
CALLED = {
    "name": "search",
    "type": "FUNCTION",
    "description": None,
    "reasoning": None,
    "output": None,
    "input_parameters": {"query": "ferry"},
}
OF_OBJECTS = {"deepeval_test_cases.json": [beside(JUDGED, tools_called=[CALLED]), NEXT]}
PROMPTFOO_TESTS = [
    {
        "id": "timetable",
        "question": QUESTION,
        "retrieved_contexts": CONTEXTS[:1],
        "ground_truth_answer": REFERENCE,
        "metadata": {
            "lang": "en",
            "assert": [{"type": "contains", "value": "40"}],
            "suite": "ferry",
            "topic": "times",
        },
    },
    *(
        {
            "question": f"Do {animals} ride free?",
            "retrieved_contexts": ["Dogs ride free."],
            "ground_truth_answer": "Dogs do.",
            "metadata": {"lang": "en", "suite": "ferry"},
        }
        for animals in ("dogs", "cats")
    ),
]
PROMPTFOO_RESULTS = [
    {
        **beside(case, provider="echo", success=score == 1, score=score),
        "answer": f"Every 40 minutes. ({case['question']})",
    }
    for case, score in zip(PROMPTFOO_TESTS, (0.5, 1, 1), strict=True)
]
EXPECTED |= {
    "promptfoo_config.yaml": Made("promptfoo", PROMPTFOO_TESTS),
    "promptfoo_results.json": Made("promptfoo", PROMPTFOO_RESULTS),
}


def read(source: Any, format: str | None = None) -> list[Case]:
    """The cases, without the ids that they are given by their places."""
    cases = [case.model_dump(exclude_defaults=True) for case in load_cases(source, format=format)]
    for case in cases:
        if "-" in case["id"]:
            del case["id"]
    return cases


@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_that_a_tool_wrote(name: str) -> None:
    made = EXPECTED[name]
    assert read(FILES / name, made.format) == made.cases


def test_the_lines_of_promptfoo_are_its_results_as_they_were_done() -> None:
    cases = read(FILES / "promptfoo_results.jsonl")
    assert sorted(cases, key=_question) == sorted(PROMPTFOO_RESULTS, key=_question)


def _question(case: Case) -> Any:
    return case["question"]


# What only some releases have.
NEEDED = {
    "ragas": "ragas.messages",
    "ragas_1": "ragas.testset.generator",
    "llama_index": "llama_index.core.llama_dataset",
}


@pytest.fixture(params=TOOLS)
def maker(request: pytest.FixtureRequest) -> Any:
    pytest.importorskip(NEEDED.get(request.param, request.param))
    return importlib.import_module(f"{__package__}.peer_makers.{request.param}")


# of a tool's own code
@pytest.mark.filterwarnings("default")
def test_the_files_that_a_tool_writes_now(maker: Any, tmp_path: Path) -> None:
    maker.write(tmp_path)
    tool = maker.__name__.rpartition(".")[2]
    names = [name for name in EXPECTED if EXPECTED[name].tool == tool]
    assert names
    assert {name: read(tmp_path / name, EXPECTED[name].format) for name in names} == {
        name: EXPECTED[name].cases for name in names
    }


@pytest.mark.filterwarnings("default")
def test_the_objects_of_a_tool(maker: Any) -> None:
    for name, sources in maker.objects().items():
        for source in sources:
            assert read(source) == OF_OBJECTS.get(name, EXPECTED[name].cases), name


def test_a_list_in_the_csv_of_datasets_is_one_text_with_a_warning() -> None:
    # as numpy prints it, without commas: Python would join its texts
    with pytest.warns(UserWarning, match="line 2: retrieved_contexts looks like a list but is"):
        first, second = load_cases(FILES / "datasets_rows.csv")
    assert len(first.retrieved_contexts or ()) == 1
    assert second.retrieved_contexts == []
