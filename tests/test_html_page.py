"""The page's text and its data, read without a browser."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase
from pytest_ragassert.analysis.records.conclusion_record import GatesOutcome
from pytest_ragassert.analysis.records.result_record import CaseTexts
from pytest_ragassert.analysis.records.results_file import RunOutcome
from pytest_ragassert.analysis.regression.conclusion import Conclusion
from pytest_ragassert.analysis.run_record import RunRecord, record_of, results_file
from pytest_ragassert.report.html.cases import OUTCOMES, PageCase, cases_of, outcome_of
from pytest_ragassert.report.html.page import page_parts
from pytest_ragassert.report.html.page_data import page_data
from pytest_ragassert.report.html.page_file import HtmlPage
from pytest_ragassert.report.html.results import Panels, result_summary

from .html_runs import HOSTILE, Made, concluded, error_row, ferry, hostile, numbered, passing
from .measured import case, result, row


def page_of(run: RunRecord) -> str:
    return "".join(page_parts(run))


class Elements(HTMLParser):
    """The elements of a page, and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style"):
            self.scripts.append(data)


def data_in(text: str) -> dict[str, Any]:
    """What the page's script reads, by the elements' names."""
    found = {}
    pattern = r'<script type="application/json" id="data-([^"]+)"([^>]*)>([^<]*)</script>'
    for name, encoding, content in re.findall(pattern, text):
        if "gzip" in encoding:
            content = gzip.decompress(base64.b64decode(content)).decode()
        found[name] = json.loads(content)
    return found


def test_style_and_script_are_those_that_the_policy_allows() -> None:
    text = page_of(ferry())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for name in "style", "script":
        contents = re.findall(f"<{name}>(.*?)</{name}>", text, re.DOTALL)
        hashes = [hashlib.sha256(content.encode()).digest() for content in contents]
        allowed = [f"'sha256-{base64.b64encode(one).decode()}'" for one in hashes]
        assert f"; {name}-src {' '.join(allowed)};" in policy


def test_no_text_becomes_an_element() -> None:
    text = page_of(hostile())
    text.encode()
    parsed = Elements(text)
    known = {tag for tag, _ in Elements(page_of(ferry())).tags}
    added = {"details", "summary", "code", "td", "ul"}  # of gates, settings and notes
    assert {tag for tag, _ in parsed.tags} <= known | added | {"p", "tr", "th", "tbody", "table"}
    assert all(not name.startswith("on") for _, fields in parsed.tags for name in fields)
    assert text.count("</script>") == text.count("<script")
    for hostile_text in HOSTILE[:3]:
        assert hostile_text not in text.replace(hostile_text.replace("<", "\\u003c"), "")


def test_what_no_html_holds_and_what_turns_a_name_round_is_shown() -> None:
    text = page_of(hostile())
    assert not [char for char in text if ord(char) < 32 and char not in "\n\t"]
    assert not set(text) & set("\x7f\x9b\u202e\u2066\ufffd")
    assert "\\u202eright to left\\u2066 \\x00\\x07\\x1b[31m \\ud800 lone" in text


def test_a_mark_of_direction_stays_in_a_text() -> None:
    made = Made()
    case = EvalCase(id="rtl", question="\u200fשלום?\u200e", answer="A.", retrieved_contexts=["A."])
    made.add(case, passing())
    assert "\u200fשלום?\u200e" in page_of(made.record(notices=["\u200fשלום?\u200e"]))


def test_the_data_holds_the_texts_as_they_are() -> None:
    data = data_in(page_of(hostile()))
    assert [one["question"] for one in data["index"]["cases"]] == list(HOSTILE)
    (chunk,) = (chunk for name, chunk in data.items() if name != "index")
    assert [one["contexts"][0]["text"] for one in chunk] == list(HOSTILE)


@given(st.text(), st.data())
def test_places_are_counted_as_javascript_does(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(0, len(text)))
    of = PageCase("case", CaseTexts(answer="a", retrieved_contexts=["x", text]))
    place = Panels(of).place("context", 1, (start, end))
    if start >= end:
        assert place is None
        return
    assert place is not None
    assert place[:2] == ["context", 1]
    units = text.encode("utf-16-le", "surrogatepass")
    cut = units[2 * place[2] : 2 * place[3]]
    assert cut == text[start:end].encode("utf-16-le", "surrogatepass")


def test_a_place_that_is_not_there_is_left_out() -> None:
    panels = Panels(PageCase("case", CaseTexts(answer="short", retrieved_contexts=[None])))
    assert panels.place("answer", 0, (0, 6)) is None
    assert panels.place("context", 0, (0, 1)) is None
    assert panels.place("context", 1, (0, 1)) is None
    assert panels.place("reference", 0, (0, 1)) is None
    assert panels.place("answer", 0, None) is None
    assert panels.place("answer", 0, (1, 5)) == ["answer", 0, 1, 5]


def test_how_a_result_ended() -> None:
    bad, good = result("faithfulness", 0.1, 0.8), passing()
    failed, known, below, measured, passed, empty, lacking = (
        row(bad),
        row(bad, quarantine="known"),
        row(bad, asserted=False),
        row(good, asserted=False),
        row(good),
        row(passing(vacuous=True)),
        error_row(case(), "why"),
    )
    ended = [outcome_of(one) for one in (failed, lacking, known, below, empty, measured, passed)]
    assert ended == list(OUTCOMES)


def test_what_is_said_of_a_score_or_of_its_bounds() -> None:
    bounds = row(result("faithfulness", 0.6, 0.8, interval=(0.4, 0.6)))
    assert result_summary(bounds)["said"] == "0.40 to 0.60 < 0.80"
    assert result_summary(row(result("faithfulness", 0.7999, 0.8)))["said"] == "0.7999 < 0.8000"
    assert result_summary(row(result("answer_class", 0, None, label="WRONG")))["said"] == "WRONG"
    assert result_summary(error_row(case(), "why"))["said"] == ""


def test_results_of_one_case_stand_together() -> None:
    """Whichever tests measured it; another answer under the same id is a case of its own."""
    made = Made()
    one, other = case(id="a"), case(id="a", answer="Another answer.")
    made.add(one, passing(), passing("factual_recall"))
    made.add(other, passing())
    made.add(one, passing("factual_f1"))
    made.add(case(id="a~2"), passing())
    made.add(case(id=None), passing())
    found = cases_of(made.record())
    assert [(each.link, len(each.rows)) for each in found] == [
        ("a", 3),
        ("a~2", 1),
        ("a~2~2", 1),
        ("tests/test_it.py::test_faithfulness[None]", 1),
    ]


def test_tags_and_languages_by_which_cases_are_chosen() -> None:
    made = Made()
    for number in range(50):
        metadata = {"topic": f"t{number % 2}", "row": number, "checked": True, "of": ["x", "y"]}
        made.add(
            EvalCase(
                id=str(number),
                question="Wann fährt die Fähre ab und wo ist sie?",
                metadata=metadata,
                tags=["smoke"],
            ),
            passing(),
        )
    first, *_ = cases_of(made.record())
    assert first.tags == ["smoke", "checked=true", "of=x", "of=y", "topic=t0"]
    assert first.language == "de"
    made = Made()
    made.add(case(metadata={"lang": "nl"}), passing())
    (only,) = cases_of(made.record())
    assert (only.tags, only.language) == ([], "nl")


def test_a_page_is_the_same_each_time_and_from_a_file_of_the_run() -> None:
    for run in ferry(), hostile(), Made().record(), numbered(120):
        first = page_of(run)
        assert page_of(run) == first
        if run.conclusion is None:
            assert page_of(record_of(results_file(run))) == first


def test_a_page_that_can_not_be_written_is_noted(tmp_path: Path) -> None:
    (note,) = HtmlPage(tmp_path).write(ferry())
    assert note.startswith(f"no page in {tmp_path}: ")
    (note,) = HtmlPage(tmp_path / "\0").write(ferry())
    assert note.startswith("no page in ")


def test_large_data_is_compressed_and_read_in_parts() -> None:
    text = page_of(numbered(400, {"retrieved_contexts": ["It is so. " * 300]}))
    assert 'id="data-index" data-encoding="gzip"' in text
    data = data_in(text)
    assert len(data) == 1 + 8
    assert len(data["cases-7"]) == 50
    assert len(text) < 400_000


def test_old_files_without_texts_have_a_page() -> None:
    run = replace(ferry(), cases={}, outcome=None, usage=None)
    data = page_data(run)
    (chunk,) = data.chunks
    assert "contexts" not in chunk[0]
    assert data.index["texts"] is False
    assert data.index["cases"][0]["question"] == "What does the crossing cost?"
    assert all("place" not in claim for claim in chunk[0]["results"][0]["claims"])


def test_only_scores_that_count_are_in_the_distribution() -> None:
    made = Made()
    made.add(case(), passing(), passing(score=1.0, vacuous=True))
    made.add(case(), {**error_row(case(), "why"), "metric": "faithfulness"})
    (metric,) = page_data(made.record()).overview["metrics"]
    assert [metric[name] for name in ("n", "vacuous", "errors")] == [1, 1, 1]
    assert sum(one["count"] for one in metric["bins"]) == 1


@pytest.mark.parametrize("score", [0.0, 0.05, 0.1, 0.3, 0.7, 0.95, 0.9999, 1.0])
def test_each_score_is_in_its_bin(score: float) -> None:
    made = Made()
    made.add(case(), result("faithfulness", score, 0.5))
    (metric,) = page_data(made.record()).overview["metrics"]
    (full,) = (one for one in metric["bins"] if one["count"])
    low, _, high = full["name"].partition(" to ")
    assert float(low) <= score
    assert not high or score < float(high)


def test_each_reason_for_which_a_run_does_not_pass_is_named() -> None:
    run = ferry()
    below = "1 score below the minimum (faithfulness 1)"
    assert page_data(run).overview["why"] == [below]
    conclusion = replace(concluded(run.results), errors=("b.jsonl is another judge's",))
    outcome = RunOutcome(
        failed_by="both", assertions=1, judge_errors=2, missing=1, other=3, verdicts="failed"
    )
    run = replace(run, conclusion=conclusion, outcome=outcome)
    assert page_data(run).overview["why"] == [
        below,
        "2 tests could not be measured",
        "1 test without a verdict",
        "1 of 2 gates fails (mean(faithfulness) >= 0.9 is 0.50)",
        "the baseline (b.jsonl is another judge's)",
        "the committed verdicts could not be written",
        "3 other failures",
    ]
    assert page_data(replace(run, exit_status=0)).overview["why"] == []


@pytest.mark.parametrize(("outcome", "fails"), [("partial", True), ("off", False)])
def test_gates_that_are_turned_off_are_no_reason_for_which_a_run_does_not_pass(
    outcome: GatesOutcome, fails: bool
) -> None:
    conclusion = Conclusion(unchecked="why", outcome=outcome, must_hold=True)
    overview = page_data(replace(ferry(), conclusion=conclusion)).overview
    assert ("gates that are not checked" in overview["why"]) == fails
    assert ("the run fails" in overview["unchecked"]) == fails


def test_settings_leave_out_the_model_where_none_judged() -> None:
    settings = {"judge": "offline", "model": ["gpt-4o-mini"], "gates": ["a", "b"], "votes": None}
    run = replace(ferry(), settings=settings)
    model = ("model", "gpt-4o-mini")
    rest = [("gates", "a, b"), ("judge", "offline")]
    assert page_data(run).overview["settings"] == [*rest, model]
    assert page_data(replace(run, offline=True)).overview["settings"] == rest
