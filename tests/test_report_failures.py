"""A failure's report as a whole: several metrics under one heading, in the lines it may take."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest
from wcwidth import wcswidth

from pytest_ragassert import ClaimVerdict
from pytest_ragassert.analysis.records.result_rows import headline
from pytest_ragassert.analysis.records.row_types import TextsRow
from pytest_ragassert.report.failure_report import MOST_LINES, failure_lines, raised_first
from pytest_ragassert.report.terminal import Screen

from .measured import case, claim, judged, result, row, table


def test_pretty_shows_the_same_without_the_case() -> None:
    made = result("context_precision", details=judged(False, True), reason="relevant: [2]")
    assert made.pretty().splitlines() == [
        "context_precision 0.50 < 0.70   relevant: [2]    judge judge-a",
        "  · [1] not relevant   it is about dogs",
        "  ✓ [2] relevant       it is about dogs",
    ]
    assert "grade B" in result("factual_accuracy", grade="B").pretty()


@pytest.mark.parametrize("width", [24, 40, 200])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("verbose", [False, True])
def test_hostile_texts_stay_within_the_lines(width: int, encoding: str, verbose: bool) -> None:
    bad = "渡轮\x1b[2J\n\ud800" * 20
    context = {"context": 0, "relevant": False, "reason": bad}
    part = {"score": 1, "reason": bad}
    many: list[tuple[str, dict[str, Any]]] = [
        ("context_relevance", {"contexts": [context]}),
        (
            "answer_relevancy",
            {
                "method": "questions",
                "embedder": bad,
                "questions": [{"question": bad, "similarity": 0.1}],
            },
        ),
        ("factual_accuracy", {"correctness": part, "consistency": part}),
        ("answer_class", {"decided_by": "judge"}),
        ("ragas_score", {"parts": {"faithfulness": 1.0}, "left_out": [bad]}),
    ]
    for metric, details in many:
        made = result(metric, 0.0, details=details, reason=bad, grade=None)
        lines = table(
            row(made, case(retrieved_contexts=[bad])),
            width=width,
            encoding=encoding,
            verbose=verbose,
        )
        assert max(map(wcswidth, lines)) <= width
        assert verbose or len(lines) <= MOST_LINES
        "\n".join(lines).encode(encoding)


@pytest.mark.parametrize("question", [None, "", " \n", "\u200b"])
def test_a_case_without_id_and_question_has_no_heading(question: str | None) -> None:
    made = result("faithfulness")
    assert table(row(made, case(id=None, question=question)))[0].startswith("faithfulness 0.50")
    assert table(row(made, case(question=question)))[0] == "case price"


def test_several_metrics_of_a_case_stand_under_one_heading() -> None:
    rows = [
        row(result("faithfulness", claims=[claim("Cats fly.")], reason="1 claim")),
        row(result("context_relevance", details=judged(False), reason="0 of 1")),
        row(result("bert_score", details={"f1": 0.5}), case(id="other")),
    ]
    assert "\n".join(table(*rows)) == dedent(
        """\
        case price  What does the crossing cost?
        faithfulness 0.50 < 0.70   1 claim    judge judge-a
          ? Cats fly.                                                        no evidence
        context_relevance 0.50 < 0.70   0 of 1
          · [1] not relevant   it is about dogs
              "Dogs are not allowed on board."
        where it broke: the answer added 1 claim, in no passage; check the prompt

        case other  What does the crossing cost?
        bert_score 0.50 < 0.70    judge judge-a
          f1 0.50"""
    )


def test_several_metrics_share_the_fifteen_lines() -> None:
    claims = [claim(f"Boat {n} is new.", reason="nothing says so") for n in range(9)]
    rows = [row(result(name, claims=claims)) for name in ("faithfulness", "factual_precision")]
    lines = table(*rows)
    assert len(lines) <= MOST_LINES
    ends = [at for at, line in enumerate(lines) if "more claims (-v shows all)" in line]
    assert len(ends) == 2
    assert [line.startswith("  ? Boat 0") for line in lines].count(True) == 2
    five = table(*(row(result(f"metric_{n}", claims=claims)) for n in range(5)))
    assert len(five) == MOST_LINES
    # where there is no room for evidence, claims stand without it
    assert sum(line.startswith("  ? Boat 0") for line in five) == 4
    assert not any("nothing says so" in line for line in five)
    everything = [row(result(f"metric_{n}", claims=claims)) for n in range(20)]
    lines = table(*everything)
    assert len(lines) == MOST_LINES
    assert lines[-1] == "… 7 more metrics (-v shows all)"
    assert len(table(*everything, verbose=True)) == 1 + 20 * 19


QUOTE = '      [1] "No: Cat '


def contradicted(text: str) -> ClaimVerdict:
    return claim(text, "CONTRADICTORY", quote=f"No: {text}", passage=0, span=(0, 4))


def test_what_is_said_instead_is_the_last_to_be_left_out() -> None:
    answer = case(answer="Cats fly. " * 20)
    texts: dict[str, Any] = {"texts": answer.model_dump(include={*TextsRow.__required_keys__})}
    unknown = [claim(f"Boat {n}.") for n in range(12)]
    rows = [
        row(result(f"metric_{n}", claims=[*unknown, contradicted(f"Cat {n}.")]), texts="texts")
        for n in range(20)
    ]
    for count in range(1, 4):
        lines = failure_lines(rows[:count], Screen(), verbose=False, texts=texts)
        assert len(lines) <= MOST_LINES
        places = [at for at, line in enumerate(lines) if line.startswith(QUOTE)]
        assert len(places) == count
        assert all(lines[at - 1].startswith("  ✗ Cat ") for at in places)
        assert sum("more claims (-v shows all)" in line for line in lines) == count
    # the answer's line takes none of their room
    lines = failure_lines(rows[:5], Screen(), verbose=False, texts=texts)
    assert sum(line.startswith(QUOTE) for line in lines) == 4
    # of metrics without end the first have it
    for count, told in ((6, 4), (12, 1), (20, 1)):
        lines = table(*rows[:count])
        assert len(lines) == MOST_LINES
        assert sum(line.startswith(QUOTE) for line in lines) == told
    # before others' claims
    before = [row(result(name, claims=unknown)) for name in ("metric_a", "metric_b")]
    lines = table(*before, *rows[:4])
    assert sum(line.startswith(QUOTE) for line in lines) == 4


def test_what_another_metric_says_too_gives_way() -> None:
    same, own = contradicted("Cat 1."), contradicted("Cat 2.")
    unknown = [claim(f"Boat {n}.") for n in range(12)]
    rows = [row(result(f"metric_{n}", claims=[same, *unknown])) for n in range(5)]
    rows.append(row(result("metric_5", claims=[own, *unknown])))
    rows += [row(result(f"metric_{n}", claims=unknown)) for n in (6, 7)]
    lines = table(*rows)
    assert len(lines) == MOST_LINES
    assert '"No: Cat 1."' in "".join(lines)
    assert '"No: Cat 2."' in "".join(lines)


def test_what_is_said_instead_of_a_span_stays_too() -> None:
    wrong = contradicted("Cat 1.")
    spans = [
        {"start": 0, "end": 6, "text": "Cat 1.", "label": "incorrect", "severity": "high"}
        | {"sentence": 0, "claim": 0}
    ]
    claims = [wrong, *(claim(f"Boat {n}.") for n in range(12))]
    rows = [row(result(f"metric_{n}", claims=claims[1:])) for n in range(5)]
    rows.append(row(result("evidence", claims=claims, details={"spans": spans})))
    assert '"No: Cat 1."' in "".join(table(*rows))


def test_a_metrics_other_lines_stand_behind_it_where_not_all_have_room() -> None:
    unproven = [claim(f"Boat {n}.", "CONTRADICTORY") for n in range(12)]
    claims = [contradicted("Cats fly."), *unproven]
    alone = table(row(result("metric", claims=claims[:3])))
    assert alone[2] == "  verdicts: 1 with verified quotes, 2 without"
    several = table(*(row(result(f"metric_{n}", claims=claims)) for n in range(3)))
    assert any('"No: Cats fly.' in line for line in several)
    assert several[2].startswith("  ✗ Cats fly. ")


def test_of_many_cases_those_of_the_error_come_first() -> None:
    rows = [
        row(result(metric), case(id=f"m{n}"))
        for n in range(50)
        for metric in ("faithfulness", "factual_f1")
    ]
    error = "E   RagAssertionError: factual_f1 0.50 < 0.70: case m49 (1 claim)"
    lines = table(*raised_first(rows, error))
    heads = [line.split()[1] for line in lines if line.startswith("case ")]
    # one case that is left out would take as few lines
    assert heads == ["m49", "m0", "m1", "m2"]
    assert lines[1].startswith("faithfulness")
    assert lines[-2:] == ["", "… 46 more cases failed in this test (-v shows all)"]
    assert len([line for line in table(*rows[:10]) if line.startswith("case ")]) == 5
    verbose = table(*rows, verbose=True)
    assert len([line for line in verbose if line.startswith("case ")]) == 50


def test_a_case_with_an_endless_id_is_found_in_its_error() -> None:
    rows = [row(result("faithfulness"), case(id="x" * n)) for n in (9_000, 10_000)]
    rows.append(row(result("faithfulness"), case(id="x-1")))
    error = headline(result("faithfulness"), case(id="x-1").name)
    assert raised_first(rows, error)[0] is rows[2]
    endless = headline(result("faithfulness"), case(id="x" * 10_000).name)
    assert raised_first(rows[::-1], endless)[-1] is rows[2]
    for verbose in (False, True):
        lines = table(rows[0], verbose=verbose)
        assert len(lines) < 6
        assert max(map(len, lines)) <= 80


def test_verbose_shows_heads_whole() -> None:
    question = "What does the crossing cost on a day on which everybody wants to be there?"
    reason = f"precision 0/2, recall 0/2; {'and so on, ' * 9}at last"
    made = result("factual_f1", reason=reason)
    lines = table(row(made, case(question=question)), verbose=True)
    assert lines[:5] == [
        "case price  What does the crossing cost on a day on which everybody wants to",
        "  be there?",
        "factual_f1 0.50 < 0.70   precision 0/2, recall 0/2; and so on, and so on, and",
        "  so on, and so on, and so on, and so on, and so on, and so on, and so on, at",
        "  last",
    ]
    short = table(row(made, case(question=question)))
    assert len(short) == 3
    assert [line.endswith("…") for line in short] == [True, True, False]
