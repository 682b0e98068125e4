"""Where a case broke: claims of the reference and of the answer, by where they were lost."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert.analysis.records.row_types import MeasuredRow
from pytest_ragassert.report.attribution import Attribution, attributed, where_it_broke
from pytest_ragassert.report.failure_report import failure_lines
from pytest_ragassert.report.terminal import Screen

from .measured import BICYCLES, PRICE, case, claim, failed, judged, result, row

DOGS = "Dogs stay ashore."
FIVE = "It costs 5 euros."
OK = "FULLY_SUPPORTED"
PARTLY = "PARTIALLY_SUPPORTED"


def recall(*supported: bool, metric: str = "context_recall", **fields: object) -> MeasuredRow:
    """The reference's three claims, held against the contexts or the answer."""
    verdicts = [OK if one else "NO_EVIDENCE" for one in supported]
    texts = (PRICE, BICYCLES, DOGS)
    claims = [claim(t, v, "reference") for t, v in zip(texts, verdicts, strict=True)]
    return row(result(metric, claims=claims), case(**fields))


def faithfulness(*claims: tuple[str, str], **fields: object) -> MeasuredRow:
    made = [claim(text, verdict) for text, verdict in claims]
    return row(result("faithfulness", claims=made), case(**fields))


def in_part(metric: str, *claims: tuple[str, str]) -> MeasuredRow:
    """Claims of the reference with their verdicts."""
    made = [claim(text, verdict, "reference") for text, verdict in claims]
    return row(result(metric, claims=made))


CONTEXTS = recall(True, False, True)  # bicycles were not retrieved
ANSWER = recall(False, False, True, metric="factual_recall")  # the price was not used
ADDED = faithfulness((FIVE, "CONTRADICTORY"), (PRICE, OK))


def test_each_failing_claim_stands_in_one_place() -> None:
    found = attributed(ANSWER, [CONTEXTS, ANSWER, ADDED])
    assert found == Attribution((BICYCLES,), (PRICE,), added=(FIVE,), contradicted=(FIVE,))
    assert found.counts.words == (
        "1 claim not retrieved, 1 retrieved but not used, 1 added by the answer (contradicted)"
    )
    found = attributed(ANSWER, [CONTEXTS, ANSWER, JUDGED_OTHERWISE])
    assert found == Attribution((BICYCLES,), (PRICE,), added=(FIVE, DOGS), contradicted=(FIVE,))


def test_what_was_not_measured_is_not_told() -> None:
    found = attributed(ANSWER, [ANSWER, CONTEXTS])
    assert found == Attribution((BICYCLES,), (PRICE,), added=None)
    assert found.counts.words == "1 claim not retrieved, 1 retrieved but not used"
    assert attributed(ANSWER, [ANSWER, ADDED]) is None
    assert attributed(CONTEXTS, [CONTEXTS, ADDED]) is None
    assert attributed(CONTEXTS, []) is None
    unmeasured = failed("context_recall", "JudgeError")
    assert attributed(ANSWER, [unmeasured, ANSWER, ADDED]) is None


def test_nothing_is_said_where_every_claim_is_all_right() -> None:
    right = [recall(True, True, True), recall(True, True, True, metric="factual_recall")]
    found = attributed(right[0], right)
    assert found is not None
    assert found.counts.words == ""
    lines = failure_lines(right, Screen(), verbose=False, of_test=right)
    assert not any("where it broke" in line for line in lines)


@pytest.mark.parametrize("metric", ["factual_recall", "factual_f1", "answer_correctness"])
@pytest.mark.parametrize("other", ["context_recall", "ragas_score"])
def test_every_metric_with_such_claims_serves(metric: str, other: str) -> None:
    rows = [recall(True, False, True, metric=other), recall(False, True, True, metric=metric)]
    assert attributed(rows[0], rows) == Attribution((BICYCLES,), (PRICE,), None)


def test_partly_supported_is_not_supported() -> None:
    partly = row(result("factual_f1", claims=[claim(PRICE, "PARTIALLY_SUPPORTED", "reference")]))
    found = attributed(partly, [CONTEXTS, partly])
    assert found is not None
    assert found.not_used == (PRICE,)


def test_the_answers_own_claims_of_f1_are_not_the_references() -> None:
    claims = [claim(PRICE, "NO_EVIDENCE", "answer"), claim(PRICE, OK, "reference")]
    f1 = row(result("factual_f1", claims=claims))
    found = attributed(f1, [CONTEXTS, f1])
    assert found is not None
    assert found.not_used == ()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"id": "other"}, False),
        ({"question": "How often?"}, False),
        ({"ground_truth_answer": "Another."}, False),
        ({"retrieved_contexts": ["Another."]}, False),
        ({"answer": None}, True),  # the contexts were judged before there was an answer
    ],
)
def test_only_rows_of_the_same_case_are_held_together(fields: dict[str, Any], told: bool) -> None:
    other = recall(True, False, True, **fields)
    rows = [other, ANSWER, ADDED]
    found = attributed(ADDED, rows)
    assert (found is not None) is told


def test_the_last_answer_counts() -> None:
    first = recall(False, True, True, metric="factual_recall", answer="One.")
    last = recall(True, True, False, metric="factual_recall", answer="Two.")
    contexts = recall(True, True, True)
    found = attributed(contexts, [first, contexts, last])
    assert found is not None
    assert found.not_used == (DOGS,)
    assert attributed(first, [first, contexts, last]) == Attribution((), (PRICE,), None)


def test_it_is_the_last_line_of_a_failure() -> None:
    rows = [CONTEXTS, ANSWER, ADDED]
    last = [
        "where it broke: 1 claim not retrieved, 1 retrieved but not used, 1 added by",
        "  the answer (contradicted); check the retriever, then the prompt",
    ]
    lines = failure_lines([ANSWER], Screen(), verbose=False, of_test=rows)
    assert lines[-2:] == last
    assert sum("where it broke" in line for line in lines) == 1
    assert len(lines) <= 15
    assert "where it broke" not in str(failure_lines([ANSWER], Screen(), verbose=False))
    verbose = failure_lines([ANSWER], Screen(), verbose=True, of_test=rows)
    assert verbose[-5:] == [
        f"  not retrieved: {BICYCLES}",
        f"  retrieved but not used: {PRICE}",
        f"  added by the answer, contradicted: {FIVE}",
        *last,
    ]


RIGHT = recall(True, True, True, metric="factual_recall")
RELEVANT = row(result("context_relevance", details=judged(True, False, False)))
JUDGED_OTHERWISE = faithfulness((FIVE, "CONTRADICTORY"), (DOGS, "NO_EVIDENCE"))


@pytest.mark.parametrize(
    ("failed", "others", "said"),
    [
        (
            [recall(True, False, False)],
            [RIGHT],
            "2 claims not retrieved, in no passage; check the retriever",
        ),
        (
            [ANSWER],
            [recall(True, True, True)],
            "2 claims retrieved but not used: a passage says them, the answer does not; check the "
            "prompt",
        ),
        (
            [ADDED],
            [RIGHT, recall(True, True, True)],
            "the answer added 1 claim (contradicted); check the prompt",
        ),
        # where the reference was held against neither or one of contexts and answer
        (
            [ADDED],
            [],
            "the answer added 1 claim (contradicted); check the prompt",
        ),
        (
            [faithfulness((FIVE, "NO_EVIDENCE"), (PRICE, OK))],
            [],
            "the answer added 1 claim, in no passage; check the prompt",
        ),
        (
            [JUDGED_OTHERWISE],
            [],
            "the answer added 2 claims (1 contradicted); check the prompt",
        ),
        ([CONTEXTS], [], "1 claim not retrieved, in no passage; check the retriever"),
        (
            [CONTEXTS, JUDGED_OTHERWISE],
            [],
            "1 claim not retrieved, 2 added by the answer (1 contradicted); check the retriever, "
            "then the prompt",
        ),
        (
            [in_part("context_recall", (BICYCLES, PARTLY))],
            [],
            "1 claim not retrieved: the passages support it only in part; check the retriever",
        ),
        (
            [in_part("context_recall", (BICYCLES, PARTLY), (DOGS, "NO_EVIDENCE"))],
            [],
            "2 claims not retrieved: the passages support 1 of them only in part; check the "
            "retriever",
        ),
        (
            [in_part("factual_recall", (PRICE, OK), (DOGS, PARTLY))],
            [recall(True, True, True)],
            "1 claim retrieved but not used: a passage says it, the answer says it only in part; "
            "check the prompt",
        ),
        (
            [in_part("context_recall", (PRICE, PARTLY))],
            [in_part("factual_recall", (PRICE, OK))],
            "1 claim not retrieved: the passages support it only in part; check the retriever",
        ),
        (
            [faithfulness((FIVE, PARTLY), (PRICE, OK))],
            [],
            "the answer added 1 claim: the passages support it only in part; check the prompt",
        ),
        ([RELEVANT], [], "2 of 3 passages not relevant; check the retriever"),
        ([ANSWER], [], ""),
        ([row(result("answer_relevancy"))], [], ""),
        ([row(result("of_a_plugin", details={"contexts": "odd"}))], [], ""),
    ],
)
def test_the_sentence_says_what_to_look_at(
    failed: list[MeasuredRow], others: list[MeasuredRow], said: str
) -> None:
    assert where_it_broke(failed, [*failed, *others]) == said


@pytest.mark.parametrize(
    ("contexts", "said"),
    [
        ([], "nothing was retrieved; check the retriever"),
        ([" "], "nothing was retrieved (1 passage, blank); check the retriever"),
        (["", None], "nothing was retrieved (2 passages, all blank); check the retriever"),
    ],
)
def test_without_passages_the_retriever_is_to_look_at(
    contexts: list[str | None], said: str
) -> None:
    nothing = faithfulness((FIVE, "NO_EVIDENCE"), retrieved_contexts=contexts)
    assert where_it_broke([nothing], [nothing], contexts) == said
    assert where_it_broke([CONTEXTS, ANSWER], [CONTEXTS, ANSWER], contexts) == said
    # a metric that has nothing to do with contexts does not need any
    assert where_it_broke([ANSWER], [ANSWER], contexts) == ""
    one = [*contexts, "The ferry runs."]
    assert "in no passage" in where_it_broke([nothing], [nothing], one)


def test_of_the_reference_and_the_answer_alone_it_is_said_what_would_tell_more() -> None:
    said = "claims of the reference not in the answer; context_recall shows whether they were"
    assert where_it_broke([ANSWER], [ANSWER], [PRICE]) == f"2 {said} retrieved"
    one = recall(True, True, False, metric="factual_f1")
    assert where_it_broke([one], [one], [PRICE]).startswith("1 claim of the reference not in")
    precise = row(result("factual_precision", claims=[claim(FIVE, "CONTRADICTORY")]))
    assert where_it_broke([precise], [precise], [PRICE]) == ""
