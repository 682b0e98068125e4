"""`generate`: the cases that it writes, and what it says about them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import load_cases
from tests.writing_judge import HookJudge, Json, fact, write_documents

from .conftest import Generate


def kinds(cases: list[Any]) -> Counter[str]:
    return Counter(case["generation_params"]["kind"] for case in cases)


def test_each_case_is_complete(generate: Generate) -> None:
    said = generate("--number", 20)
    cases = generate.cases()
    assert len({case["id"] for case in cases}) == 20
    assert kinds(cases) == {"single": 10, "several": 4, "documents": 4, "unanswerable": 2}
    assert "20 cases: 10 single, 4 several, 4 documents, 2 unanswerable" in said.lines
    assert "documents with a case: 4 of 4" in said.lines
    for case in cases:
        kind, units = case["generation_params"]["kind"], case["source_units"]
        assert case["metadata"] == {"question_type": kind}
        assert case["ground_truth_answer"]
        for unit in units:
            file = generate.folder / "documents" / unit["document"]
            assert unit["text"] in file.read_text("utf-8")
            for quote in unit["quotes"]:
                assert unit["text"][quote["start"] : quote["end"]] == quote["text"]
                assert quote["text"] in case["ground_truth_answer"]
        if kind == "unanswerable":
            assert not {"ground_truth_contexts", "ground_truth_context_ids"} & case.keys()
            assert not any(unit["quotes"] for unit in units)
            continue
        assert case["ground_truth_contexts"] == [unit["text"] for unit in units]
        assert case["ground_truth_context_ids"] == [unit["id"] for unit in units]
        assert all(unit["quotes"] for unit in units)
        documents = {unit["document"] for unit in units}
        expected = {"single": (1, 1), "several": (2, 1), "documents": (2, 2)}
        assert (len(units), len(documents)) == expected[kind]


def test_what_is_asked_for_a_case(generate: Generate) -> None:
    generate("--number", 4, "--kinds", "single")
    steps = Counter(step for step, _ in generate.asked)
    assert steps == {"write_case": 4, "check_criteria": 8, "extract_claims": 4, "verify_claims": 4}
    generate.forget()
    generate("--number", 4, "--kinds", "unanswerable")
    steps = Counter(step for step, _ in generate.asked)
    assert steps == {"write_case": 4, "check_criteria": 8, "judge_passages": 4}


def test_an_answer_is_verified_against_its_own_passages_only(generate: Generate) -> None:
    generate("--number", 6, "--kinds", "documents")
    contexts = {tuple(case["ground_truth_contexts"]) for case in generate.cases()}
    verified = [input for step, input in generate.asked if step == "verify_claims"]
    assert len(verified) == 6
    for input in verified:
        sent = [passage["text"].split("\n\n", 1)[1] for passage in input["passages"]]
        assert tuple(sent) in contexts


def test_unanswerable_questions_are_checked_against_the_nearest_passages(
    generate: Generate,
) -> None:
    path = generate.folder / "documents" / "skarn.md"
    thing = fact("Malvik", "lighthouse").removeprefix("The").partition(" is ")[0]
    named = f"A person from Orsa who draws ships decided on the{thing} long ago."
    path.write_text(path.read_text("utf-8") + f"\n## Names\n\n{named}\n", "utf-8")
    said = generate("--number", 20, "--kinds", "unanswerable", "-v", status=1)
    questions = [case["question"] for case in generate.cases()]
    assert len(questions) > 4
    assert f"Who decided on the{thing}?" not in questions
    at = said.lines.index("    1  the documents answer the question")
    # that passage was not sent with the first one, whose passages are of another document
    assert said.lines[at + 1].startswith("       unanswerable malvik.md#lighthouse")
    assert said.lines[at + 1].endswith(f": Who decided on the{thing}?")
    assert said.lines[at + 2] == "         skarn.md#names: It says who decided."


def test_the_file_runs_at_once(generate: Generate) -> None:
    generate("--number", 12)
    (generate.folder / "test_cases.py").write_text(
        """
import pytest
from pytest_ragassert import assert_context_recall, assert_retrieval_recall, assert_rag

@pytest.mark.rag_cases("cases.jsonl")
def test_it(rag_case):
    if rag_case.metadata["question_type"] == "unanswerable":
        pytest.skip("no context has the answer")
    rag_case.answer = rag_case.ground_truth_answer
    rag_case.retrieved_contexts = rag_case.ground_truth_contexts
    rag_case.retrieved_context_ids = rag_case.ground_truth_context_ids
    if "in Skarn" in rag_case.question:
        rag_case.answer = rag_case.answer.replace(" is ", " is not ")
    assert_rag(rag_case, faithfulness=1, factual_f1=1)
    assert_context_recall(rag_case, min=1)
    assert_retrieval_recall(rag_case, min=1)
""",
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "ragassert", "--ragassert-judge=offline"],
        cwd=generate.folder,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )
    wrong = sum("in Skarn" in case["question"] for case in generate.cases())
    assert wrong
    assert done.returncode == 1, done.stdout
    unanswerable = kinds(generate.cases())["unanswerable"]
    passed = 12 - wrong - unanswerable
    outcome = f"{wrong} failed, {passed} passed, {unanswerable} skipped"
    assert done.stdout.splitlines()[-1].startswith(outcome), done.stdout


def test_the_fields_are_those_of_a_case(generate: Generate) -> None:
    generate("--number", 6, "--persona", "A skipper.")
    cases = load_cases(generate.folder / "cases.jsonl")
    assert [case.id for case in cases] == [case["id"] for case in generate.cases()]
    assert {case.persona for case in cases} == {"A skipper."}
    assert all(case.source_units and case.generation_params for case in cases)


def test_fewer_than_requested(generate: Generate) -> None:
    said = generate("--number", 30, "--kinds", "single=1", status=1)
    assert len(generate.cases()) == 16
    assert said.lines[-5:-3] == [
        "single: 16 of 30, because the documents give no more than 16 new candidates",
        "14 cases fewer than the 30 requested; --personas 3 asks about each passage for three "
        "different people",
    ]
    assert said.lines[-1] == "cases in cases.jsonl"


def test_no_case_at_all(generate: Generate, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = {"question": "", "answer": "", "evidence": []}
    _change(monkeypatch, "write_case", lambda data, reply: empty)
    said = generate("--number", 2, "--kinds", "single", status=1)
    assert "dropped: 12 of 12 candidates" in said.lines
    assert "   12  nothing to ask" in said.lines
    assert said.err == "error: no case could be generated, so no file was written\n"
    assert not (generate.folder / "cases.jsonl").exists()


def _change(monkeypatch: pytest.MonkeyPatch, step: str, change: Any) -> None:
    def changed(self: HookJudge, name: str, data: Json, reply: Json) -> Json:
        result: Json = change(data, reply) if name == step else reply
        return result

    monkeypatch.setattr(HookJudge, "change", changed)


def _of_lighthouses(change: Json) -> Any:
    """Change the reply if it is about a lighthouse."""

    def changed(data: Json, reply: Json) -> Json:
        return {**reply, **change} if "lighthouse" in json.dumps(data) else reply

    return changed


@pytest.mark.parametrize(
    ("step", "change", "reason", "details"),
    [
        (
            "write_case",
            {"evidence": [{"passage": 1, "quote": "The harbour freezes in January."}]},
            "a quote is not in its passage, or too short",
            '"The harbour freezes in January."',
        ),
        (
            "write_case",
            {"answer": "The harbour freezes in January."},
            "the answer is not supported by its passages",
            "no evidence: The harbour freezes in January.",
        ),
        (
            "write_case",
            {"question": "How many units is it?"},
            "the question is not self-contained",
            '"it" names nothing',
        ),
        (
            "check_criteria",
            {"checks": [{"id": 1, "reason": "It gives no number.", "quote": None, "met": "NO"}]},
            None,
            "It gives no number.",
        ),
        ("extract_claims", {"claims": []}, "the answer states nothing", None),
    ],
    ids=["quote", "answer", "question", "criteria", "claims"],
)
def test_what_is_not_proven_is_dropped(
    generate: Generate,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    change: Json,
    reason: str | None,
    details: str | None,
) -> None:
    _change(monkeypatch, step, _of_lighthouses(change))
    said = generate("--number", 12, "--kinds", "single", "-v")
    assert not any("lighthouse" in case["question"] for case in generate.cases())
    reasons = [line for line in said.lines if line.startswith("    4  ")]
    if reason is not None:
        assert reasons == [f"    4  {reason}"]
    shown = [line for line in said.lines if line.startswith("       single skarn.md#lighthouse")]
    assert len(shown) == 1
    if details is not None:
        at = said.lines.index(shown[0])
        assert said.lines[at + 1] == f"         {details}"
    brief = generate("--number", 12, "--kinds", "single")
    assert "  -v lists them" in brief.lines
    assert not any("skarn.md#lighthouse" in line for line in brief.lines)


def test_a_question_is_not_asked_twice(generate: Generate, tmp_path: Path) -> None:
    # both documents state the same, so that only one question is kept of each pair
    text = (generate.folder / "documents" / "skarn.md").read_text("utf-8")
    (generate.folder / "documents" / "copy.md").write_text(text, "utf-8")
    said = generate("--number", 20, "--kinds", "single", status=1)
    questions = [case["question"] for case in generate.cases()]
    assert len(questions) == len(set(questions)) == 16
    assert "    4  a near-copy of another question" in said.lines


def test_the_documents_take_turns(generate: Generate) -> None:
    write_documents(generate.folder / "documents", towns=8, things=6)
    generate("--number", 8, "--kinds", "single")
    documents = Counter(case["source_units"][0]["document"] for case in generate.cases())
    assert set(documents.values()) == {1}
    generate("--number", 24, "--kinds", "single")
    documents = Counter(case["source_units"][0]["document"] for case in generate.cases())
    assert set(documents.values()) == {3}


def test_the_same_file_in_each_run(generate: Generate) -> None:
    files = set()
    for concurrency in (1, 3, 16):
        (generate.folder / "pytest.ini").write_text(
            f"[pytest]\nragassert_concurrency = {concurrency}\n"
        )
        generate.forget()
        generate("--number", 20)
        files.add((generate.folder / "cases.jsonl").read_bytes())
    asked = len(generate.asked)
    generate("--number", 20)
    assert len(generate.asked) == asked
    files.add((generate.folder / "cases.jsonl").read_bytes())
    assert len(files) == 1


def test_another_seed_chooses_others(generate: Generate) -> None:
    ids = []
    for seed in (0, 1, -1):
        generate("--number", 8, "--seed", seed)
        ids.append({case["id"] for case in generate.cases()})
    assert ids[0] != ids[1] != ids[2] != ids[0]


def test_a_fact_is_quoted_where_it_stands(generate: Generate) -> None:
    generate("--number", 16, "--kinds", "single")
    quotes = {quote["text"] for case in generate.cases() for quote in _quotes(case)}
    assert fact("Skarn", "ferry") in quotes
    assert len(quotes) == 16


def _quotes(case: Any) -> list[Any]:
    return [quote for unit in case["source_units"] for quote in unit["quotes"]]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("several", "one passage is enough"), ("documents", "one document is enough")],
)
def test_one_quote_does_not_prove_a_question_on_several(
    generate: Generate, monkeypatch: pytest.MonkeyPatch, kind: str, reason: str
) -> None:
    def first_quote_only(data: Json, reply: Json) -> Json:
        return {**reply, "answer": reply["evidence"][0]["quote"], "evidence": reply["evidence"][:1]}

    _change(monkeypatch, "write_case", first_quote_only)
    said = generate("--number", 3, "--kinds", kind, status=1)
    (line,) = [line for line in said.lines if line.endswith(f"  {reason}")]
    assert f"dropped: {line.split()[0]} of {line.split()[0]} candidates" in said.lines


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("single", "the answer does not answer the question"),
        ("unanswerable", "the answer states facts"),
    ],
)
def test_the_answer_is_checked_as_its_kind_needs(
    generate: Generate, monkeypatch: pytest.MonkeyPatch, kind: str, reason: str
) -> None:
    def refused(data: Json, reply: Json) -> Json:
        (check,) = reply["checks"]
        if data["question"] is None:
            return reply
        return {"checks": [{**check, "met": "UNCLEAR", "reason": "It is hard to say."}]}

    _change(monkeypatch, "check_criteria", refused)
    said = generate("--number", 2, "--kinds", kind, "-v", status=1)
    assert any(line.endswith(f"  {reason}") for line in said.lines)
    assert "         It is hard to say." in said.lines
    asked = {data["criteria"][0]["text"] for step, data in generate.asked if data.get("criteria")}
    assert len(asked) == 2
