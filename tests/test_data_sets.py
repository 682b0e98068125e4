"""Data sets that are several files: BEIR's folders, LlamaIndex' examples with predictions."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import types
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.datasets.loading import read_cases
from pytest_ragassert.errors import RagAssertWarning


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def told(cases: list[EvalCase]) -> list[dict[str, Any]]:
    return [case.model_dump(exclude_defaults=True) for case in cases]


# -- BEIR ------------------------------------------------------------------------------------------

QUERIES = lines(
    {"_id": "q1", "text": "How often does the ferry run?", "metadata": {"topic": "times"}},
    {"_id": "q0", "text": "nobody judged it"},
    {"_id": "q2", "text": "Who rides free?"},
)
CORPUS = lines(
    {"_id": "d1", "title": "Ferry", "text": "It runs every 40 minutes."},
    {"_id": "d2", "title": "", "text": "Dogs ride free."},
    {"_id": 3, "text": "Children ride free."},
    {"_id": "d4", "text": "The kiosk is closed."},
)
HEADER = "query-id\tcorpus-id\tscore\n"
QRELS = f"{HEADER}q2\t3\t1\nq2\td2\t2\nq2\td4\t0\nq1\td1\t1\n"
AS_CASES = [
    {
        "id": "q2",
        "question": "Who rides free?",
        "ground_truth_contexts": ["Children ride free.", "Dogs ride free."],
        "ground_truth_context_ids": {"3": 1, "d2": 2, "d4": 0},
    },
    {
        "id": "q1",
        "question": "How often does the ferry run?",
        "ground_truth_contexts": ["Ferry\nIt runs every 40 minutes."],
        "ground_truth_context_ids": {"d1": 1},
        "metadata": {"topic": "times"},
    },
]


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "ferry"
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text(QUERIES)
    (folder / "corpus.jsonl").write_text(CORPUS)
    (folder / "qrels/test.tsv").write_text(QRELS)
    return folder


@pytest.mark.parametrize("format", [None, "beir"])
def test_a_query_is_a_case_with_the_relevant_documents(beir: Path, format: str | None) -> None:
    read = read_cases(beir, format=format)
    assert told(read.cases) == AS_CASES
    assert (read.notes, read.formats) == ([], {str(beir): "beir, qrels/test.tsv"})


def test_files_may_be_packed(beir: Path) -> None:
    for name in ("queries.jsonl", "corpus.jsonl", "qrels/test.tsv"):
        file = beir / name
        (beir / f"{name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert told(load_cases(beir)) == AS_CASES


def test_the_split_is_test_or_the_one_that_is_named(beir: Path) -> None:
    (beir / "qrels/dev.tsv").write_text(f"{HEADER}q1\td4\t1\n")
    assert told(load_cases(beir)) == AS_CASES
    assert [case.id for case in load_cases(beir / "qrels/dev.tsv")] == ["q1"]
    (beir / "qrels/test.tsv").unlink()
    assert [case.id for case in load_cases(beir)] == ["q1"]
    (beir / "qrels/train.tsv").write_text(QRELS)
    with pytest.raises(ValueError, match=r"qrels has dev\.tsv, train\.tsv; give the path of the o"):
        load_cases(beir)
    for file in (beir / "qrels").iterdir():
        file.unlink()
    with pytest.raises(ValueError, match="qrels has no file; give the path"):
        load_cases(beir)


def test_relevant_documents_as_trec_eval_has_them(beir: Path) -> None:
    (beir / "qrels/test.tsv").write_text("q2 0 3 1\nq2 0 d2 2\nq2 0 d4 0\nq1 0 d1 1\n")
    assert told(load_cases(beir)) == AS_CASES


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        (
            "qrels/test.tsv",
            f"{HEADER}q1\td1\n",
            r"test\.tsv, line 2: 'q1\\td1' is not a query, docum",
        ),
        ("qrels/test.tsv", f"{HEADER}q1\td1\tnan\n", r"test\.tsv, line 2: "),
        ("qrels/test.tsv", f"{HEADER}q9\td1\t1\n", r"query 'q9': queries\.jsonl has no such query"),
        ("queries.jsonl", "{", r"queries\.jsonl, line 1: not JSON"),
        ("corpus.jsonl", lines({"id": "d1"}), r"corpus\.jsonl, line 1: it has no _id"),
        ("corpus.jsonl", "[" * 100_000, r"corpus\.jsonl, line 1: not JSON"),
    ],
)
def test_what_is_wrong_is_named(beir: Path, file: str, content: str, words: str) -> None:
    (beir / file).write_text(content)
    with pytest.raises(ValueError, match=words):
        load_cases(beir)


def test_relevant_documents_that_are_not_there_are_told(beir: Path) -> None:
    (beir / "qrels/test.tsv").write_text(f"{HEADER}q1\td9\t1\nq1\td1\t1\n")
    with pytest.warns(RagAssertWarning, match=r"corpus\.jsonl lacks 1 relevant .* first is 'd9'"):
        (case,) = load_cases(beir)
    assert case.ground_truth_contexts == ["Ferry\nIt runs every 40 minutes."]


def test_memory_is_that_of_relevant_documents(beir: Path) -> None:
    def peak(documents: int) -> int:
        with open(beir / "corpus.jsonl", "w") as corpus:
            corpus.write(CORPUS)
            for number in range(documents):
                corpus.write(lines({"_id": f"x{number}", "text": "no " * 1000}))
        tracemalloc.start()
        load_cases(beir)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(1)
    assert peak(1000) < peak(10) + 200_000


def test_a_folder_without_all_of_them_is_a_folder_of_cases(beir: Path) -> None:
    (beir / "corpus.jsonl").unlink()
    with pytest.raises(ValueError, match=r"queries\.jsonl, line 1.* unknown fields '_id' "):
        load_cases(beir)
    with pytest.raises(
        ValueError, match=r"not a record of beir, which has a folder with corpus\.jso"
    ):
        load_cases(beir, format="beir")


# -- LlamaIndex ------------------------------------------------------------------------------------

EXAMPLES: list[Any] = [
    {
        "query": "Q1",
        "query_by": {"type": "ai", "model_name": "m"},
        "reference_contexts": ["c1"],
        "reference_answer": "R1",
        "reference_answer_by": None,
    },
    {"query": "Q2", "query_by": None, "reference_contexts": None, "reference_answer": "R2"},
]
PREDICTIONS: list[Any] = [
    {"response": "A1", "contexts": ["c1", "c2"]},
    {"response": "A2", "contexts": None},
]
PREDICTED: list[dict[str, Any]] = [
    {
        "question": "Q1",
        "answer": "A1",
        "retrieved_contexts": ["c1", "c2"],
        "ground_truth_answer": "R1",
        "ground_truth_contexts": ["c1"],
        "metadata": {"query_by": {"type": "ai", "model_name": "m"}},
    },
    {"question": "Q2", "answer": "A2", "ground_truth_answer": "R2"},
]


def numbered(cases: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [{"id": f"{name}-{number}", **case} for number, case in enumerate(cases, start=1)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rag_dataset.json").write_text(json.dumps({"examples": EXAMPLES}, indent=4))
    (tmp_path / "ours.json").write_text(json.dumps({"predictions": PREDICTIONS}, indent=4))
    return tmp_path


@pytest.mark.parametrize("format", [None, "llama-index"])
def test_predictions_are_joined_with_their_examples(folder: Path, format: str | None) -> None:
    read = read_cases(folder, format=format)
    assert told(read.cases) == numbered(PREDICTED, "rag_dataset")
    assert read.formats == {str(folder): "llama-index, rag_dataset.json"}


@pytest.mark.parametrize("packed", [["rag_dataset.json"], ["rag_dataset.json", "ours.json"]])
def test_examples_and_predictions_may_be_packed(folder: Path, packed: list[str]) -> None:
    for name in packed:
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
        (folder / name).unlink()
    assert told(load_cases(folder)) == numbered(PREDICTED, "rag_dataset")


def test_what_is_packed_badly_is_told(folder: Path) -> None:
    packed = gzip.compress((folder / "ours.json").read_bytes())
    (folder / "ours.json.gz").write_bytes(packed[:20])
    (folder / "ours.json").unlink()
    with pytest.raises(ValueError, match=r"ours\.json\.gz: a damaged gzip file"):
        load_cases(folder)


def test_nothing_may_be_predicted(folder: Path) -> None:
    (folder / "ours.json").write_text('{"predictions": null}')
    assert [(case.question, case.answer) for case in load_cases(folder)] == [
        ("Q1", None),
        ("Q2", None),
    ]


def test_as_many_predictions_as_examples(folder: Path) -> None:
    (folder / "ours.json").write_text(json.dumps({"predictions": PREDICTIONS[:1]}))
    with pytest.raises(ValueError, match="it has 2 examples and 1 predictions, which are joined"):
        load_cases(folder)


@pytest.mark.parametrize("other", ["theirs.json", "cases.jsonl"])
def test_another_file_beside_predictions_is_an_error(folder: Path, other: str) -> None:
    (folder / other).write_text('{"predictions": []}')
    with pytest.raises(ValueError, match=f"and no other case file; it has .*{other}"):
        load_cases(folder)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"predictions": 5}', r"ours\.json: predictions must be a list"),
        ('{"predictions": [', r"ours\.json: not JSON"),
    ],
)
def test_predictions_that_are_none_are_told(folder: Path, content: str, words: str) -> None:
    (folder / "ours.json").write_text(content)
    with pytest.raises(ValueError, match=words):
        load_cases(folder)


class Peers:
    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)


Peers.__module__ = "llama_index.core.llama_dataset"


def test_data_sets_in_memory_have_items() -> None:
    author = types.SimpleNamespace(type="ai", model_name="m")
    labelled = Peers(examples=[Peers(**{**EXAMPLES[0], "query_by": author}), Peers(**EXAMPLES[1])])
    predictions = Peers(predictions=[Peers(**one) for one in PREDICTIONS])
    assert told(load_cases((labelled, predictions))) == numbered(PREDICTED, "case")
    assert [case.question for case in load_cases(labelled)] == ["Q1", "Q2"]
    assert [case.answer for case in load_cases(predictions)] == ["A1", "A2"]
    with pytest.raises(ValueError, match="2 examples and 1 predictions"):
        load_cases((labelled, Peers(predictions=[Peers(response="A")])))


def test_of_a_data_set_with_goldens_and_test_cases_the_latter_are_read() -> None:
    golden, test_case = Peers(input="Q"), Peers(input="Q", actual_output="A")
    assert told(load_cases(Peers(test_cases=[], goldens=[golden]))) == [
        {"id": "case-1", "question": "Q"}
    ]
    assert told(load_cases(Peers(test_cases=[test_case], goldens=[golden]))) == [
        {"id": "case-1", "question": "Q", "answer": "A"}
    ]
    with pytest.warns(RagAssertWarning, match="the source has no cases"):
        assert load_cases(Peers(goldens=[])) == []
