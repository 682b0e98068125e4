"""The Markdown document: what a reader finds in it, how long it gets, and that no text acts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert.analysis.records.failed_tests import FailedTest
from pytest_ragassert.analysis.records.measurement import MeasuredClaim, Measurement
from pytest_ragassert.analysis.records.result_record import CaseTexts
from pytest_ragassert.analysis.records.results_file import RunOutcome
from pytest_ragassert.analysis.records.row_types import MeasuredRow
from pytest_ragassert.analysis.regression.comparison import compared
from pytest_ragassert.analysis.regression.conclusion import Conclusion
from pytest_ragassert.analysis.regression.gates import GateResult
from pytest_ragassert.analysis.run_record import RunRecord
from pytest_ragassert.config.gate_syntax import read_gate
from pytest_ragassert.language.escaping import shortened, visible
from pytest_ragassert.report.markdown.document import document
from pytest_ragassert.report.markdown.files import (
    COMMENT_CHARACTERS,
    STEP_SUMMARY_BYTES,
    MarkdownFile,
    StepSummary,
)
from pytest_ragassert.report.markdown.fitting import utf8_bytes, utf16_units

from .measured import case, claim, failed, recorded, result, row
from .rendered import KEPT, Page, page_of
from .test_markdown_texts import texts

QUOTE = "The crossing costs 9 euros."
PRICE = [
    claim("It costs 5 euros.", "CONTRADICTORY", quote=QUOTE, passage=1, span=(0, 17)),
    claim("Dogs ride free.", "NO_EVIDENCE"),
    claim("It is a ferry.", "FULLY_SUPPORTED", quote="ferry", passage=1),
]


def written(run: RunRecord, most: int = COMMENT_CHARACTERS) -> str:
    return document(run, most, utf16_units)


def with_texts(*rows: MeasuredRow, **texts: Any) -> RunRecord:
    """A failed run whose cases all have these texts."""
    fields = {
        "question": "What does the crossing cost?",
        "answer": "It costs 5 euros. Dogs ride free.",
        "retrieved_contexts": ["Dogs are not allowed on board.", QUOTE],
        "retrieved_context_sources": ["rules.md", None],
        **texts,
    }
    made = [{**one, "texts": "t"} for one in rows]
    return replace(recorded(*made), exit_status=1, cases={"t": CaseTexts(**fields)})  # type: ignore[arg-type]


def test_a_green_run_is_short() -> None:
    passed = row(result("faithfulness", 1.0, passed=True, claims=PRICE[2:]))
    text = written(recorded(passed))
    assert text == (
        "<h3>✅ RAG tests passed</h3>\n"
        "<p>1 case, 1 result, judge judge-a.</p>\n"
        "\n"
        "<table>\n"
        "<tr><th>metric</th><th>n</th><th>mean</th><th>min</th><th>below</th></tr>\n"
        "<tr><td><code>faithfulness</code></td><td>1</td><td>1.00</td><td>1.00</td><td>0</td></tr>\n"
        "</table>\n"
    )


def test_a_failed_case() -> None:
    failing = row(result("faithfulness", 0.33, claims=PRICE), nodeid="test_it.py::test_it[a b]")
    text = written(with_texts(failing))
    assert text.startswith("<h3>❌ RAG tests failed: 1 test below the minimum</h3>\n")
    assert text[text.index("<details>") :] == (
        "<details>\n"
        "<summary><b>price</b>: faithfulness 0.33 &lt; 0.70 – What does the crossing cost?"
        "</summary>\n"
        "<p><b>Question</b><br>What does the crossing cost?</p>\n"
        "<p><b>Answer</b><br><b>It costs 5 euros.</b> Dogs ride free.</p>\n"
        "<table>\n"
        "<tr><th></th><th>retrieved</th><th>quoted</th><th>source</th></tr>\n"
        "<tr><td>1</td><td>Dogs are not allowed on board.</td><td></td><td>rules.md</td></tr>\n"
        "<tr><td>2</td><td>The crossing costs 9 euros.</td><td>✓</td><td></td></tr>\n"
        "</table>\n"
        "<p><b>faithfulness 0.33 &lt; 0.70</b>, judge judge-a</p>\n"
        "<ul>\n"
        "<li>✗ It costs 5 euros. – <b>contradicted</b><br><code>&#91;2&#93;</code> "
        '"The crossing costs 9 euros."</li>\n'
        "<li>? Dogs ride free. – <b>no evidence</b><br>nearest <code>&#91;1&#93;</code> "
        '"Dogs are not allowed on board."</li>\n'
        "</ul>\n"
        "<p>Where it broke: the answer added 2 claims (1 contradicted); check the prompt</p>\n"
        "<p>Run it again: <code>pytest 'test_it.py::test_it&#91;a b&#93;'"
        "</code></p>\n"
        "</details>\n"
    )


def test_every_reference_is_shown_once() -> None:
    run = with_texts(
        row(result("faithfulness", 0.0)),
        ground_truth_answer="9 euros.",
        ground_truth_answers=["Nine euros.", "9 euros.", ""],
    )
    shown = re.findall("<p><b>Reference</b><br>(.*)</p>", written(run))
    assert shown == ["9 euros.", "Nine euros."]


def test_the_worst_case_is_first_and_metrics_of_a_case_are_together() -> None:
    rows = [
        row(result("faithfulness", 0.6), case(id="near"), nodeid="t::a"),
        row(result("faithfulness", 0.5), case(id="both"), nodeid="t::b"),
        row(result("factual_f1", 0.1), case(id="both"), nodeid="t::b"),
        row(result("answer_class", 0.0, None, label="WRONG"), case(id="label"), nodeid="t::c"),
        row(result("faithfulness", 0.9, passed=True), case(id="passed"), nodeid="t::d"),
        row(result("faithfulness", 0.0), case(id="known"), nodeid="t::e", quarantine="known"),
    ]
    text = written(recorded(*rows))
    said = re.findall("<summary>(.*?) – ", text)
    assert said == [
        "<b>label</b>: <code>answer_class</code> WRONG",
        "<b>both</b>: <code>factual_f1</code> 0.10 &lt; 0.70, faithfulness 0.50 &lt; 0.70",
        "<b>near</b>: faithfulness 0.60 &lt; 0.70",
    ]
    assert "<li>known failures: 1 fail as expected</li>" in text


def test_what_no_test_failed_for_comes_last() -> None:
    rows = [
        row(result("faithfulness", 0.0), case(id="caught"), nodeid="t::a"),
        row(result("faithfulness", 0.5), case(id="told"), nodeid="t::b"),
        row(result("faithfulness", 0.1), case(id="before an error"), nodeid="t::c"),
    ]
    outcome = RunOutcome(failed_by="assertions", assertions=1, other=1, measured=3)
    tests = [
        FailedTest(nodeid="t::b", ends=["assertion"]),
        FailedTest(nodeid="t::c", ends=["other"], message="KeyError: 'x'"),
    ]
    run = replace(recorded(*rows), exit_status=1, outcome=outcome, failed_tests=tests)
    text = written(run)
    assert text.startswith(
        "<h3>❌ RAG tests failed: 1 test below the minimum, 1 other failure</h3>"
    )
    assert re.findall("<h4>(.*?)</h4>|<summary><b>(.*?)</b>", text) == [
        ("Below the minimum, the worst first", ""),
        ("", "told"),
        ("Below the minimum, but no test failed because of it", ""),
        ("", "caught"),
        ("", "before an error"),
        ("Other failures: 1 test", ""),
    ]
    # files of releases that did not tell which tests failed
    assert "no test failed for it" not in written(replace(run, failed_tests=None))


def test_other_failures_are_named() -> None:
    unmeasured = {**failed("factual_f1"), "nodeid": "t::a"}
    tests = [
        FailedTest(nodeid=f"t::{name}", ends=["other"], message=f"why @{name}")
        for name in "abcdefghijklm"
    ]
    text = written(replace(recorded(unmeasured), failed_tests=tests))  # type: ignore[arg-type]
    lines = text[text.index("<h4>Other") :].splitlines()
    assert lines[:3] == [
        "<h4>Other failures: 13 tests</h4>",
        "<ul>",
        "<li><code>t::b</code>: why <code>&#64;b</code></li>",
    ]
    # ten of them; the one that is not measured is last, as it is told of below
    assert lines[11:14] == [
        "<li><code>t::k</code>: why <code>&#64;k</code></li>",
        "</ul>",
        "<p>… 3 more</p>",
    ]
    only = written(replace(recorded(unmeasured), failed_tests=tests[:1]))  # type: ignore[arg-type]
    assert "<li><code>t::a</code>: not measured, see below</li>" in only


def test_where_it_broke_is_said() -> None:
    rows = [
        row(result("context_recall", 0.0, claims=[claim("A.", "NO_EVIDENCE", "reference")])),
        row(result("factual_recall", 0.0, claims=[claim("A.", "NO_EVIDENCE", "reference")])),
    ]
    text = written(recorded(*rows))
    assert (
        "<p>Where it broke: 1 claim not retrieved, in no passage; check the retriever</p>" in text
    )


def of(case: str, score: float, *claims: tuple[str, str], metric: str = "faithfulness") -> Any:
    made = tuple(MeasuredClaim("answer", text, verdict) for text, verdict in claims)
    return Measurement(case, metric, "judge-a", score, claims=made)


def test_what_got_worse_against_the_baseline() -> None:
    before = [of("c", 1.0, ("It is 5.", "FULLY_SUPPORTED")), of("d", 0.25), of("e", 1.0)]
    after = [of("c", 0.5, ("It is 5.", "CONTRADICTORY")), of("d", 0.75), of("f", 1.0)]
    run = replace(
        recorded(row(result("faithfulness", 0.5, passed=True))),
        conclusion=Conclusion(comparison=compared(before, after), against="the baseline b.jsonl"),
    )
    text = written(run)
    assert "<th>before</th><th>after</th><th>change</th><th>95% interval</th>" in text
    assert "<td>0.62</td><td>0.62</td><td>0.000</td><td>–</td>" in text
    assert (
        "<h4>Worse than before</h4>\n"
        "<p>Against the baseline b.jsonl, 2 cases: 1 result worse, 1 better, 1 without a baseline "
        "and 1 not measured now.</p>\n"
        "<ul>\n"
        "<li><b>c</b> <code>faithfulness</code> 1.00 → 0.50 (the same texts, judged "
        "differently)<br>"
        "supported -&gt; contradicted: It is 5.</li>\n"
        "</ul>\n"
    ) in text


def test_gates_not_met_come_first() -> None:
    held = GateResult(read_gate("min(faithfulness) >= 0"), 0.3, 5, True)
    not_held = GateResult(
        read_gate("mean(faithfulness) >= 0.9"), 0.5, 5, False, pulling=(("c", "0.30"),)
    )
    conclusion = Conclusion(gates=(held, not_held), outcome="failed", errors=("no such file",))
    outcome = RunOutcome(gates="failed", failed_by="gates", measured=1)
    run = replace(
        recorded(row(result("faithfulness", 0.5, passed=True))),
        conclusion=conclusion,
        outcome=outcome,
        exit_status=1,
    )
    lines = written(run).splitlines()
    assert lines[0] == "<h3>❌ RAG tests failed: 1 gate not met, no baseline to compare with</h3>"
    assert lines[3:8] == [
        "<h4>Gates not met</h4>",
        "<ul>",
        "<li><code>mean(faithfulness) &#62;= 0.9</code>: 0.50 over 5 cases<br>"
        "pulled down by:<br><b>c</b> 0.30</li>",
        "</ul>",
        "",
    ]
    assert "<p>1 gate met.</p>\n<p>no such file</p>" in written(run)


def test_a_gate_says_which_tests_pull_it_down_and_by_what() -> None:
    gate = read_gate("mean(faithfulness) >= 0.9")
    rows = [
        row(result("faithfulness", 0.9, passed=True), case(id="c"), nodeid="t::other_score"),
        row(result("factual_f1", 0.3, passed=True), case(id="c"), nodeid="t::other_metric"),
        row(result("faithfulness", 0.3, passed=True, claims=PRICE), case(id="c"), nodeid="t::c"),
        row(result("faithfulness", 0.4, passed=True, claims=PRICE[1:]), case(id=None), nodeid="d"),
        *(row(result("faithfulness", 0.5, passed=True), case(id=f"{n}")) for n in range(5)),
    ]
    named = (("c", "0.30"), ("d", "0.40"), *((f"{n}", "0.50") for n in range(5)))
    held = GateResult(gate, 0.5, 9, False, pulling=named)
    rate = GateResult(read_gate("rate(WRONG) <= 0"), 1.0, 1, False, pulling=(("e", "wrong"),))
    wrong = result("answer_class", 0, None, label="WRONG", reason="WRONG: 5")
    rows.append(row(wrong, case(id="e")))
    run = replace(
        recorded(*rows), exit_status=1, conclusion=Conclusion(gates=(held, rate), outcome="failed")
    )
    first, second = re.findall("<li>(<code>.*?)</li>", written(run))
    assert first.split("<br>")[1:] == [
        "pulled down by:",
        "<b>c</b> 0.30 – <code>t::c</code> – contradicted: It costs 5 euros.",
        # a case without an id is called by its test
        "<b>d</b> 0.40 – no evidence: Dogs ride free.",
        *(f"<b>{n}</b> 0.50 – <code>test</code>" for n in range(3)),
        "… 2 more",
    ]
    assert second.split("<br>")[1:] == [
        "pulled up by:",
        "<b>e</b> wrong – <code>test</code> – WRONG: 5",
    ]


def test_why_gates_are_not_checked_is_said_once() -> None:
    why = "only test_it.py is run"
    conclusion = Conclusion(unchecked=why, outcome="partial", partial=True)
    run = replace(
        recorded(row(result("faithfulness", 1.0, passed=True))), conclusion=conclusion, partial=why
    )
    assert written(run).count("is run") == 1
    assert "<p>the gates are not checked: only some of the tests were run</p>" in written(run)
    other = written(replace(run, conclusion=replace(conclusion, unchecked="a test failed")))
    assert "<p>the gates are not checked: a test failed</p>" in other


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("test[" + "x" * 10_000 + "]", "Test: <code>test&#91;" + "x" * 114 + "…</code>"),
        ("test[a  b]", "Test: <code>test&#91;a b&#93;</code>"),
        ("test[a b]", "Run it again: <code>pytest 'test&#91;a b&#93;'</code>"),
    ],
)
def test_a_command_is_there_whole_or_not_at_all(name: str, said: str) -> None:
    text = written(recorded(row(result("faithfulness", 0.1), nodeid=name)))
    assert f"<p>{said}</p>" in text


def test_which_claims_have_quotes_is_said_by_the_claims() -> None:
    """Not how many have none, which may be supported ones that are not shown."""
    claims = [*PRICE[:2], claim("It is a ferry.", "FULLY_SUPPORTED")]
    text = written(recorded(row(result("faithfulness", 0.3, claims=claims))))
    assert "verified quotes" not in text
    assert "<li>✗ It costs 5 euros." in text


def test_the_score_and_what_is_beside_it_are_apart() -> None:
    made = result("faithfulness", 0.0, claims=PRICE[1:2], reason="1 claim: 1 no evidence")
    text = written(recorded(row(made)))
    assert "<p><b>faithfulness 0.00 &lt; 0.70 · 1 claim: 1 no evidence</b>, judge" in text


def test_what_was_not_measured_is_said() -> None:
    missing = failed("faithfulness", "VerdictMissing")
    missing = {**missing, "nodeid": "test_it.py::a", "missed": {"missing": []}}  # type: ignore[typeddict-item]
    outcome = RunOutcome(failed_by="missing", missing=1, judge_errors=2)
    run = replace(recorded(missing, failed("factual_f1")), outcome=outcome, exit_status=1)
    text = written(run)
    assert text.startswith(
        "<h3>❌ RAG tests failed: 2 tests without a judgement, 1 test without a stored verdict</h3>"
        "\n<p>Nothing was measured, judge judge-a.</p>\n"
    )
    assert "<h4>No stored verdict: 1 test</h4>\n<ul>\n<li><code>test_it.py::a" in text
    assert "<li>price, <code>factual_f1</code>: why</li>" in text


@pytest.mark.parametrize(
    ("exit_status", "failed_by", "said"),
    [
        (0, "none", "✅ RAG tests passed"),
        (1, "other", "❌ RAG tests passed, other tests did not: 3 other failures"),
        (2, "none", "❌ RAG tests interrupted"),
        (1, "gates", "❌ RAG tests failed"),
    ],
)
def test_what_came_of_the_run(exit_status: int, failed_by: Any, said: str) -> None:
    outcome = RunOutcome(failed_by=failed_by, measured=1, other=3 * (failed_by == "other"))
    passed = row(result("faithfulness", 1.0, passed=True))
    run = replace(recorded(passed), exit_status=exit_status, outcome=outcome)
    assert written(run).startswith(f"<h3>{said}</h3>\n")


# -- texts ----------------------------------------------------------------------------------------


def everything(text: Callable[[int], str]) -> RunRecord:
    """A run in which each text of a case, judge, metric or gate is one of these."""
    judge, name, metric = text(0), text(1), text(2)
    claims = [
        claim(text(3), "CONTRADICTORY", reason=text(4), quote=text(5), passage=0),
        claim(text(6), "NO_EVIDENCE", reason=text(7), gate_reason=text(8)),
        claim(text(9), "NO_EVIDENCE", by_hand=text(10)),
    ]
    of_case = case(
        id=name,
        question=text(11),
        answer=text(12),
        retrieved_contexts=[text(13), text(14)],
        history=[{"role": "user", "content": text(15)}],
    )
    contexts = [{"context": place, "relevant": False, "reason": text(16)} for place in (0, 1)]
    rows: list[MeasuredRow] = [
        row(result("faithfulness", 0.1, claims=claims, judge=judge), of_case, nodeid=text(17)),
        row(result(metric, 0.5, reason=text(18), judge=judge), of_case, nodeid=text(17)),
        row(
            result("context_relevance", 0.6, details={"contexts": contexts}), of_case, nodeid="t::b"
        ),
        {**failed("factual_f1"), "nodeid": text(19), "case": None},
        row(result("faithfulness", 1.0, passed=True), of_case, quarantine=text(20), nodeid="t"),
    ]
    rows[3]["error"] = {
        "type": "MissingFieldError",
        "kind": None,
        "message": text(21),
        "fields": [],
    }
    kept = CaseTexts(
        question=text(11),
        answer=text(12),
        retrieved_contexts=[text(13), text(14), None],
        retrieved_context_sources=[text(22), None, None],
        ground_truth_answers=[text(23)],
    )
    before = [of(name, 1.0, (text(3), "FULLY_SUPPORTED"), metric=metric)]
    after = [of(name, 0.5, (text(3), "CONTRADICTORY"), (text(24), "NO_EVIDENCE"), metric=metric)]
    gate = replace(read_gate("mean(faithfulness) >= 0.9"), text=text(25))
    held = GateResult(gate, 0.5, 3, False, pulling=((name, "0.50"),))
    conclusion = Conclusion(
        comparison=compared(before, after),
        against=text(26),
        gates=(held,),
        errors=(text(27),),
        notes=(text(28),),
    )
    return replace(
        recorded(*({**one, "texts": "t"} for one in rows)),  # type: ignore[arg-type]
        exit_status=1,
        judge=judge,
        cases={"t": kept},
        conclusion=conclusion,
        partial=text(29),
        notices=[text(30)],
        outcome=RunOutcome(failed_by="both", assertions=2, judge_errors=1),
    )


HARMLESS = page_of(written(everything(lambda n: f"word {n}.")))


def shown_in(page: Page) -> str:
    return " ".join(page.text.split())


@given(texts)
def test_whatever_the_texts_are_the_document_has_the_same_elements(hostile: str) -> None:
    text = written(everything(lambda n: f"{n}. {hostile} x"))
    page = page_of(text)
    assert page.unclosed == []
    assert page.attributes == []
    assert page.found() == []
    assert set(page.elements) <= KEPT
    assert page.outline == HARMLESS.outline
    # a block of HTML ends at a blank line, and bots read the beginnings of lines
    assert all(line == "" or line[0] == "<" for line in text.splitlines())
    said = shown_in(page)
    for number in (1, 3, 5, 6, 9, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30):
        assert visible(f"{number}. {hostile} x")[:90] in said
    # a row has only how the turn before begins, white space counted
    assert visible(shortened(f"15. {hostile} x", 100)).removesuffix("…") in said


def test_every_text_is_in_the_document() -> None:
    said = shown_in(HARMLESS)
    missing = [number for number in range(31) if f"word {number}." not in said]
    # what the judge says where there is a quote, or a sentence that is near
    assert missing == [4, 7, 8]
    assert set(HARMLESS.elements) == KEPT - {"i"}


# -- limits ---------------------------------------------------------------------------------------


def many(count: int, text: str, **texts: Any) -> RunRecord:
    rows = [
        row(result("faithfulness", n / count / 2), case(id=f"case {n}."), nodeid=f"t::{n}")
        for n in range(count)
    ]
    return with_texts(*rows, answer=text, **texts)


@pytest.mark.parametrize("text", ["a b ", "@ ", "€ ", "🚢 ", "\n", "<&>"])
@pytest.mark.parametrize("length", [10, 1_000, 100_000])
def test_the_document_is_within_its_limit(text: str, length: int) -> None:
    run = many(60, text * (length // len(text)))
    for size in utf16_units, utf8_bytes:
        made = document(run, COMMENT_CHARACTERS, size)
        assert size(made) <= COMMENT_CHARACTERS
        page = page_of(made)
        assert page.unclosed == []
        names = re.findall(r"<summary><b>case (\d+)\.", made)
        # the worst ones, and what is said of the rest is true
        assert names == [str(n) for n in range(len(names))]
        assert len(names) >= 5
        left = re.findall(r"… (\d+) more cases?, closer to the minimum", made)
        assert left == ([str(60 - len(names))] if len(names) < 60 else [])


def test_texts_are_shortened_before_cases_are_left_out() -> None:
    few = written(many(3, "word " * 1_000))
    assert "more character" not in few
    more = written(many(20, "word " * 1_000))
    assert more.count("<summary>") == 20
    assert more.count("<i>… 3000 more characters</i>") == 20


def test_a_limit_counts_utf_16_units_or_bytes() -> None:
    assert utf16_units("a€🚢") == 4
    assert utf8_bytes("a€🚢") == 8


@settings(max_examples=10)
@given(texts, st.integers(1, 10))
def test_no_text_is_too_long(text: str, times: int) -> None:
    run = everything(lambda n: f"{n}. {text * 50 * times} x")
    made = written(run)
    assert utf16_units(made) <= COMMENT_CHARACTERS
    assert page_of(made).unclosed == []


def test_many_metrics_gates_and_changes_leave_room_for_the_cases() -> None:
    rows = [
        row(result(f"metric_{n}", 0.1, judge="j" * 500), case(id=f"c{n}"), nodeid=f"t::{n}")
        for n in range(300)
    ]
    before = [of(f"c{n}", 1.0, ("@x " * 300, "FULLY_SUPPORTED")) for n in range(300)]
    after = [of(f"c{n}", 0.5, ("@x " * 300, "CONTRADICTORY")) for n in range(300)]
    gate = GateResult(read_gate("min(x) >= 1"), 0.1, 3, False, pulling=(("@c " * 50, "0.1"),) * 50)
    conclusion = Conclusion(
        comparison=compared(before, after), gates=(gate,) * 50, notes=("@n " * 200,) * 50
    )
    run = replace(
        recorded(*rows), conclusion=conclusion, exit_status=1, notices=["@n " * 200] * 100
    )
    made = written(run)
    assert utf16_units(made) <= COMMENT_CHARACTERS
    assert made.count("<summary>") > 10
    for what in ("gates", "metrics", "results", "cases", "notes"):
        assert re.search(rf"… \d+ more {what}", made), what


def test_a_large_run_is_written_in_time() -> None:
    run = many(500, "Words of an answer, @someone. " * 100)
    began = time.process_time()
    assert len(document(run, STEP_SUMMARY_BYTES, utf8_bytes).encode()) <= STEP_SUMMARY_BYTES
    assert time.process_time() - began < 15


# -- files ----------------------------------------------------------------------------------------


def test_the_step_summary_is_added_to_what_is_there(tmp_path: Any) -> None:
    path = tmp_path / "summary"
    run = many(2, "An answer.")
    assert StepSummary(path).write(run) == []
    once = path.read_bytes()
    assert once.decode() == document(run, STEP_SUMMARY_BYTES, utf8_bytes)
    assert StepSummary(path).write(run) == []
    assert path.read_bytes() == once + b"\n\n" + once


def test_the_step_summary_leaves_what_is_there_its_room(tmp_path: Any) -> None:
    path = tmp_path / "summary"
    run = many(100, "An answer. " * 1_000)
    path.write_bytes(b"x" * (STEP_SUMMARY_BYTES - 50_000))
    assert StepSummary(path).write(run) == []
    assert STEP_SUMMARY_BYTES - 10_000 < path.stat().st_size <= STEP_SUMMARY_BYTES
    assert "closer to the minimum" in path.read_text()
    before = path.read_bytes()
    full = [f"no step summary in {path}: there is no room left in it"]
    path.write_bytes(before[:1] * STEP_SUMMARY_BYTES)
    assert StepSummary(path).write(run) == full
    assert path.stat().st_size == STEP_SUMMARY_BYTES


def test_a_file_that_can_not_be_written_costs_a_note(tmp_path: Any) -> None:
    run = many(1, "An answer.")
    folder = tmp_path / "folder"
    folder.mkdir()
    for writer in MarkdownFile(folder), StepSummary(folder), StepSummary(tmp_path / "no" / "file"):
        (note,) = writer.write(run)
        assert note.startswith("no ")
        assert f" in {writer.path}: " in note
    assert list(folder.iterdir()) == []
    assert MarkdownFile(tmp_path / "new" / "r.md").write(run) == [
        f"Markdown report in {tmp_path / 'new' / 'r.md'}"
    ]
    assert (tmp_path / "new" / "r.md").read_bytes() == written(run).encode()
