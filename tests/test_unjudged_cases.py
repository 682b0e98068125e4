"""What a replay lacks, by case: only what is known is said to have changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, cast

import pytest

from pytest_ragassert.analysis.records.row_types import AskedRow, MeasuredRow, MissedJudgement
from pytest_ragassert.analysis.records.unjudged_cases import (
    Judged,
    missed_judgements,
    unjudged_cases,
)
from pytest_ragassert.report.replay_miss_lines import miss_lines
from pytest_ragassert.steps.evidence.passage_hashes import text_hash
from pytest_ragassert.storage.committed.misses import Cause, Miss, MissedQuestion

from .measured import CONTEXTS, case, failed, result, row

ANSWER, REFERENCE = "It costs 5 euros.", "It costs 9 euros."
HERE = sorted(map(text_hash, CONTEXTS))
GONE = [text_hash("A passage that is no longer retrieved.")]


def asked(key: str, step: str = "verify_claims", **more: Any) -> AskedRow:
    given: dict[str, Any] = {
        "key": key,
        "question": f"question of {key}",
        "step": step,
        "model": "m",
        "stored": True,
        "requests": 0,
        "prompt": 0,
        "cached": 0,
        "completion": 0,
        "again": 0,
        "again_tokens": 0,
        "embedding": False,
        "answered": True,
        "committed": True,
        "carried": False,
        "served": None,
    }
    return cast(AskedRow, {**given, **more})


def lacking(key: str, step: str = "verify_claims", **more: Any) -> MissedJudgement:
    given: dict[str, Any] = {
        "key": key,
        "step": step,
        "judge": "judge-b",
        "about": f"what {key} is about",
        "asked": "",
        "passages": HERE if step == "verify_claims" else [],
        "text": None,
        "others": {},
        "beside": 0,
    }
    return cast(MissedJudgement, {**given, **more})


def missing(
    name: str | None,
    *judgements: MissedJudgement,
    metric: str = "faithfulness",
    known: dict[str, list[str]] | None = None,
    contexts: Collection[str] = HERE,
    **more: Any,
) -> MeasuredRow:
    """The row of a measurement that lacks judgements."""
    missed = {
        "missing": list(judgements),
        "known": known or {},
        "alone": False,
        "answer": text_hash(ANSWER),
        "references": [text_hash(REFERENCE)],
        "contexts": list(contexts),
    }
    return cast(
        MeasuredRow,
        {
            **failed(metric, "VerdictMissing"),
            "case": name,
            "nodeid": f"test[{name}]",
            "missed": missed,
            "asked": [],
            **more,
        },
    )


def misses(rows: Iterable[MeasuredRow], **causes: Any) -> dict[str, Miss]:
    """Why each is missing: by key a cause, or the passages it was recorded with."""
    found = {}
    for one in missed_judgements(rows):
        question = MissedQuestion(one["key"], one["step"], one["judge"], one["about"])
        cause: Any = causes.get(one["key"], "never recorded")
        if isinstance(cause, Miss):
            found[one["key"]] = Miss(
                question, cause.cause, "k", "judge-a", one["about"], cause.passages, cause.used
            )
        else:
            found[one["key"]] = Miss(question, cast(Cause, cause), judge="judge-a")
    return found


def moved(passages: Collection[str], *, used: bool = False) -> Miss:
    any_question = MissedQuestion("", "", "", "")
    return Miss(any_question, "passages changed", passages=tuple(passages), used=used)


@pytest.mark.parametrize(
    ("judgement", "miss", "changed", "cause"),
    [
        # all contexts are asked about: any other set is another retrieval
        (lacking("k"), moved(GONE), ("passages",), "passages changed"),
        (lacking("k"), moved(HERE[:1]), ("passages",), "passages changed"),
        # the verdict is another case's, which this run used
        (lacking("k"), moved(GONE, used=True), (), "passages changed"),
        # some contexts are asked about: another choice of those that are there shows nothing
        (lacking("k", passages=HERE[:1]), moved(HERE[1:]), (), "passages changed"),
        (lacking("k", passages=HERE[:1]), moved(GONE), ("passages",), "passages changed"),
        # a claim of the reference is held against the answer
        (lacking("k", passages=[text_hash(ANSWER)]), moved(GONE), ("answer",), "text changed"),
        (
            lacking("k", passages=[text_hash(REFERENCE)]),
            moved(GONE),
            ("reference",),
            "text changed",
        ),
        (
            lacking("k", "extract_claims", text=text_hash(ANSWER)),
            "text changed",
            ("answer",),
            "text changed",
        ),
        (
            lacking("k", "extract_claims", text=text_hash(REFERENCE)),
            "text changed",
            ("reference",),
            "text changed",
        ),
        (lacking("k", "extract_claims", text="of neither"), "text changed", (), "text changed"),
        (lacking("k"), "text changed", (), "text changed"),
        (lacking("k"), "other model", (), "other model"),
        (lacking("k"), "never recorded", (), "never recorded"),
    ],
)
def test_what_is_known_to_have_changed(
    judgement: MissedJudgement, miss: Any, changed: tuple[str, ...], cause: str
) -> None:
    rows = [missing("a", judgement)]
    found = unjudged_cases(rows, misses(rows, k=miss))
    assert found.cases[0].changed == changed
    assert found.changed == dict.fromkeys(changed, 1)
    assert found.causes == {cause: 1}


def test_a_passage_that_nobody_judged_is_new_where_others_of_the_case_show_it() -> None:
    relevance = lacking("r", "judge_passages")
    rows = [
        missing("a", lacking("k")),
        missing("a", relevance, metric="context_relevance"),
        missing("b", lacking("other", "judge_passages"), metric="context_relevance"),
    ]
    found = unjudged_cases(rows, misses(rows, k=moved(GONE)))
    assert found.causes == {"passages changed": 2, "never recorded": 1}


@pytest.mark.parametrize(
    ("metric", "more", "changed"),
    [
        ("faithfulness", {"carried": True, "stored": False}, 1),
        # as a committed line says, which is older than this run
        ("faithfulness", {"carried": True, "stored": True}, 0),
        ("faithfulness", {"carried": False}, 0),
        # holds claims against a choice of the contexts
        ("evidence", {"carried": True, "stored": False}, 0),
        ("factual_recall", {"carried": True, "stored": False}, 0),
    ],
)
def test_what_was_carried_over_has_other_passages(
    metric: str, more: dict[str, Any], changed: int
) -> None:
    rows = [
        row(result(metric), case(id="a"), asked=[asked("k", **more)]),
        missing("b", lacking("m")),
    ]
    assert unjudged_cases(rows, misses(rows)).changed.get("passages", 0) == changed


def test_judgements_count_once_and_cases_by_id_and_question() -> None:
    known = {"verify_claims": ["k1", "k2"]}
    rows = [
        missing("a", lacking("m1"), known=known),
        # the same verdict is missing in another metric too
        missing("a", lacking("m1"), lacking("m2"), metric="evidence", known=known),
        missing("b", lacking("m1"), known={"verify_claims": ["k2", "k3"]}),
        row(result("faithfulness"), case(id="c"), asked=[asked("k3"), asked("k4")]),
        row(result("faithfulness"), case(id="d"), asked=[asked("s", "extract_claims")]),
    ]
    found = unjudged_cases(rows, misses(rows))
    assert found.measured == 4
    assert [one.name for one in found.cases] == ["a", "b"]
    assert found.steps == {"verify_claims": Judged(known=4, missing=2, cases=2)}
    assert found.cases[0].steps == {"verify_claims": Judged(2, 2)}
    assert found.causes == {"never recorded": 2}
    assert [one.case for one in found.lacking] == ["a", "a"]
    lines = miss_lines(found, "pytest", verbose=False)
    assert lines == [
        "4 of 6 claims known, 2 not judged in 2 of 4 cases",
        "  a: 2 of 4 claims not judged",
        "  b: 1 of 3 claims not judged",
        "never recorded: 2",
        "record them with: pytest",
    ]


def test_the_lines_say_what_changed_what_is_decided_and_why() -> None:
    decided: dict[str, Any] = {"error": None, "asserted": True}
    rows = [
        missing("a", lacking("m1"), known={"verify_claims": ["k1", "k2"]}),
        missing("b", lacking("m2"), interval=(0.0, 0.5), passed=False, **decided),
        missing("c", lacking("s", "extract_claims", text=text_hash(ANSWER))),
        missing("d", lacking("v", "embed_text")),
        missing(None, lacking("r", "rate_relevance"), lacking("own", "own_step")),
        missing("e", lacking("m3"), interval=(0.9, 1.0), passed=True, **decided),
    ]
    why = misses(
        rows, m1=moved(GONE), m2=moved(GONE), s="text changed", r="other model", own="other model"
    )
    assert miss_lines(unjudged_cases(rows, why), "pytest", verbose=False) == [
        "the answer changed in 1 of 6 cases, the passages in 2; 2 of 5 claims known, 3 not judged "
        "in 3 cases",
        "0 of 1 sentence known, 1 not read in 1 case",
        "0 of 1 answer's relevance known, 1 not rated in 1 case",
        "0 of 1 vector known, 1 missing in 1 case",
        "0 of 1 own_step reply known, 1 missing in 1 case",
        "decided all the same, whatever is missing: 1 fails and 1 holds",
        "  a: 1 of 3 claims not judged (the passages changed)",
        "  b: 1 of 1 claim not judged (the passages changed); faithfulness fails all the same",
        "  c: 1 of 1 sentence not read (the answer changed)",
        "  d: 1 of 1 vector missing",
        "  test[None]: 1 of 1 answer's relevance not rated, 1 of 1 own_step reply missing",
        "  e: 1 of 1 claim not judged; faithfulness holds all the same",
        "never recorded: 2",
        "other model: 2, recorded by judge-a, asked of judge-b",
        "passages changed: 2",
        "text changed: 1",
        "record them with: pytest",
    ]


def test_ten_cases_are_named_and_more_where_all_is_wanted() -> None:
    rows = [missing(f"c{n:02}", lacking(f"m{n}", about="A \x1b claim")) for n in range(12)]
    found = unjudged_cases(rows, misses(rows))
    few = miss_lines(found, "pytest", verbose=False)
    assert few[1:12] == [
        *(f"  c{n:02}: 1 of 1 claim not judged" for n in range(10)),
        "  … 2 more (-v shows all)",
    ]
    whole = miss_lines(found, "pytest", verbose=True)
    assert whole[12] == "  c11: 1 of 1 claim not judged"
    assert whole[13] == "never recorded: 12"
    assert whole[14].startswith('  c00: verify_claims "A ')
    assert "\x1b" not in whole[14]
    assert len(whole) == 1 + 12 + 1 + 12 + 1


def test_without_anything_to_tell_it_no_cause_is_named() -> None:
    rows = [missing("a", lacking("m"))]
    lines = miss_lines(unjudged_cases(rows, None), "pytest", verbose=False)
    assert lines[2:] == ["not stored: 1", "record them with: pytest"]
