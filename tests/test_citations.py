"""Citation recall and precision: scores, what is asked, what is said of each citation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pytest_ragassert import (
    EvalCase,
    MetricResult,
    MissingFieldError,
    RagAssertionError,
    Settings,
    aio,
    assert_citations,
    evaluate,
)
from pytest_ragassert.analysis.records.result_rows import row_of
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.citations import CitationPrecision, CitationRecall
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.steps.extract_claims import sentences_of

from .asks import ScriptedAsk
from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import in_new_run

# Which passages together support a claim: any of these sets.
Supports = Mapping[str, Sequence[Sequence[str]]]
METRICS = ["citation_recall", "citation_precision"]


def claims_by_sentence(claims: Mapping[str, Sequence[str]]) -> Callable[[Json, str], Json]:
    """For `extract_claims`: the claims of each sentence that has a word."""

    def reply(input: Json, model: str) -> Json:
        sentences = sentences_of(input["text"])
        found = [
            {"sentence": sentence["id"], "text": claim}
            for sentence in sentences
            for word in claims
            if word in sentence["text"]
            for claim in claims[word]
        ]
        return {"sentences": sentences, "claims": found}

    return reply


def by_passages(supports: Supports, other: str = "NO_EVIDENCE") -> Callable[[Json, str], Json]:
    """For `verify_claims`: full support by the passages that suffice."""

    def reply(input: Json, model: str) -> Json:
        texts = {passage["text"] for passage in input["passages"]}
        verdicts = []
        for claim in input["claims"]:
            full = any(texts.issuperset(one) for one in supports.get(claim["text"], ()))
            label = "FULLY_SUPPORTED" if full else other
            nothing: Json = {"reason": None, "evidence": [], "confidence": None}
            verdicts.append({"id": claim["id"], "verdict": label, **nothing})
        return {"verdicts": verdicts}

    return reply


def asking(claims: Mapping[str, Sequence[str]], supports: Supports, **more: Any) -> ScriptedAsk:
    replies = {
        "extract_claims": claims_by_sentence(claims),
        "verify_claims": by_passages(supports),
    }
    return ScriptedAsk(replies, **more)


def both(case: EvalCase, ask: ScriptedAsk, **options: Any) -> tuple[MetricResult, MetricResult]:
    recall = without_loop(CitationRecall().measure(case, ask, **options))
    precision = without_loop(CitationPrecision().measure(case, ask, **options))
    return recall, precision


def scores(answer: str, supports: Supports, count: int = 4) -> tuple[float, float]:
    """Of sentences that are a letter each, a claim of that name; contexts are p1, p2, …"""
    claims = {letter: [letter] for letter in "ABCD"}
    contexts = [f"p{number}" for number in range(1, count + 1)]
    case = EvalCase(answer=answer, retrieved_contexts=contexts)
    recall, precision = both(case, asking(claims, supports))
    return recall.score, precision.score


@pytest.mark.parametrize(
    ("answer", "supports", "recall", "precision"),
    [
        ("A holds [1].", {"A": [["p1"]]}, 1.0, 1.0),
        ("A holds [2].", {"A": [["p1"]]}, 0.0, 0.0),
        ("A holds [1]. B holds.", {"A": [["p1"]], "B": [["p1"]]}, 0.5, 1.0),
        # one that is not needed, beside one that is enough
        ("A holds [1][2].", {"A": [["p1"]]}, 1.0, 0.5),
        ("A holds [1][2][3].", {"A": [["p1"]]}, 1.0, 1 / 3),
        # each is enough
        ("A holds [1][2].", {"A": [["p1"], ["p2"]]}, 1.0, 1.0),
        # both are needed
        ("A holds [1][2].", {"A": [["p1", "p2"]]}, 1.0, 1.0),
        ("A holds [1][2][3].", {"A": [["p1", "p2"]]}, 1.0, 2 / 3),
        ("A holds [1][2][3].", {"A": [["p1", "p2"], ["p2", "p3"]]}, 1.0, 1 / 3),
        ("A holds [1][2][3].", {"A": [["p1", "p2", "p3"]]}, 1.0, 1.0),
        # they point nowhere, or at what is no part of it
        ("A holds [1][9].", {"A": [["p1"]]}, 1.0, 0.5),
        ("A holds [9].", {"A": [["p1"]]}, 0.0, 0.0),
        # each of several claims of a sentence
        ("A and B hold [1][2].", {"A": [["p1"]], "B": [["p2"]]}, 1.0, 1.0),
        ("A and B hold [1].", {"A": [["p1"]]}, 0.5, 1.0),
        ("A and B hold [1][2].", {"A": [["p1"]]}, 0.5, 0.5),
        # repeated marks count once a sentence
        ("A holds [1][1][1][2].", {"A": [["p1"]]}, 1.0, 0.5),
        ("A holds [1]. B holds [1].", {"A": [["p1"]]}, 0.5, 0.5),
        # where nothing is claimed nothing is to be supported, but nowhere stays nowhere
        ("A holds [1]. Hello [2].", {"A": [["p1"]]}, 1.0, 1.0),
        ("A holds [1]. Hello [9].", {"A": [["p1"]]}, 1.0, 0.5),
    ],
)
def test_scores(answer: str, supports: Supports, recall: float, precision: float) -> None:
    assert scores(answer, supports) == pytest.approx((recall, precision))


# -- as ALCE scores it -----------------------------------------------------------------------------


def alce(cited: list[list[int]], supports: list[list[set[int]]]) -> tuple[float, float]:
    """Recall and precision of sentences with a claim each, as its authors compute them.

    Args:
        cited: numbers of passages by sentence.
        supports: by sentence the sets of passages that entail it, with whatever else.
    """

    def entails(claim: int, passages: set[int]) -> bool:
        return any(one <= passages for one in supports[claim])

    recalled, right = 0, 0
    for claim, numbers in enumerate(cited):
        if not entails(claim, set(numbers)):
            continue
        recalled += 1
        for number in numbers:
            alone = entails(claim, {number})
            rest = entails(claim, set(numbers) - {number})
            right += alone or not rest
    return recalled / len(cited), right / len(list(chain(*cited)))


NUMBERS = st.lists(st.integers(1, 4), unique=True, max_size=4)
SETS = st.lists(st.sets(st.integers(1, 4), min_size=1, max_size=3), max_size=3)


@hypothesis_settings(deadline=None)
@given(st.lists(st.tuples(NUMBERS, SETS), min_size=1, max_size=4))
def test_scores_are_those_of_alce(sentences: list[tuple[list[int], list[set[int]]]]) -> None:
    cited = [numbers for numbers, _ in sentences]
    if not any(cited):
        return
    marked = ["".join(f"[{number}]" for number in numbers) for numbers in cited]
    sentences_with = zip("ABCD", marked, strict=False)
    answer = " ".join(f"{letter} holds {marks}." for letter, marks in sentences_with)
    supports = {
        letter: [[f"p{number}" for number in one] for one in sets]
        for letter, (_, sets) in zip("ABCD", sentences, strict=False)
    }
    expected = alce(cited, [sets for _, sets in sentences])
    assert scores(answer, supports) == pytest.approx(expected)


# -- nothing to check, bad input -------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["I don't know.", "I don't know [1].", "[1]", "[1][2] [7]"])
def test_without_claims_there_is_nothing_to_check(answer: str) -> None:
    case = EvalCase(answer=answer, retrieved_contexts=["p1", "p2"])
    ask = asking({}, {})
    for result in both(case, ask):
        assert result.vacuous
        assert result.reason == "nothing to check: the answer makes no factual claim"
    assert [step for step, _ in ask.asked] == ["extract_claims"] * 2


def test_an_answer_without_marks_recalls_nothing_and_has_no_precision() -> None:
    case = EvalCase(answer="A holds. B holds.", retrieved_contexts=["p1"])
    ask = asking({"A": ["A"], "B": ["B"]}, {"A": [["p1"]]})
    recall, precision = both(case, ask)
    assert (recall.score, recall.vacuous) == (0.0, False)
    assert recall.reason == "2 claims: 2 no evidence; 2 cite no passage"
    assert [claim.gate_reason for claim in recall.claims] == ["cites no passage"] * 2
    assert precision.vacuous
    assert precision.reason == "nothing to check: the answer cites nothing for its claims"
    assert {step for step, _ in ask.asked} == {"extract_claims"}


@pytest.mark.parametrize("contexts", [[], [None, " "]])
def test_nothing_retrieved_is_asked_about_nothing(contexts: list[str | None]) -> None:
    case = EvalCase(answer="A holds [1].", retrieved_contexts=contexts)
    ask = asking({"A": ["A"]}, {"A": [["p1"]]})
    recall, precision = both(case, ask)
    assert (recall.score, precision.score) == (0.0, 0.0)
    assert {step for step, _ in ask.asked} == {"extract_claims"}


@pytest.mark.parametrize("fields", [{"answer": ""}, {"answer": None}, {"retrieved_contexts": None}])
def test_what_is_missing_is_said(fields: dict[str, Any]) -> None:
    case = EvalCase(**{"answer": "A holds [1].", "retrieved_contexts": ["p1"], **fields})
    for metric in METRICS:
        with pytest.raises(MissingFieldError, match=next(iter(fields))):
            evaluate(case, [metric], settings=Settings(judge="offline"))


def test_thousands_of_marks_ask_no_more_than_the_passages_there_are() -> None:
    answer = "A holds " + "[1][2][9]" * 3_000 + "."
    case = EvalCase(answer=answer, retrieved_contexts=["p1", "p2"])
    ask = asking({"A": ["A"]}, {"A": [["p1"]]})
    recall, precision = both(case, ask)
    assert (recall.score, precision.score) == pytest.approx((1, 1 / 3))
    assert len(ask.asked) == 2 + 1 + 3


def test_claims_keep_their_order_their_places_and_what_they_cite() -> None:
    case = EvalCase(
        answer="A holds [2]. B holds [1]. C holds [2].", retrieved_contexts=["p1", "p2"]
    )
    claims = {letter: [letter] for letter in "ABC"}
    recall, _ = both(case, asking(claims, {"A": [["p2"]]}))
    assert [claim.text for claim in recall.claims] == ["A", "B", "C"]
    assert [claim.looked_at for claim in recall.claims] == [[1], [0], [1]]
    assert [claim.sentence for claim in recall.claims] == [0, 1, 2]


# -- what is asked ---------------------------------------------------------------------------------


def verified(ask: ScriptedAsk) -> list[tuple[str, str]]:
    """The passages and the claims of each question."""
    return [
        (
            "".join(passage["text"] for passage in input["passages"]),
            "".join(claim["text"] for claim in input["claims"]),
        )
        for (step, _), input in zip(ask.asked, ask.inputs, strict=True)
        if step == "verify_claims"
    ]


@pytest.mark.parametrize(
    ("answer", "supports", "recall", "precision"),
    [
        # one citation a sentence: one judgement a claim, and one question for those of a passage
        (
            "A holds [1]. B holds [2]. C holds [1].",
            {},
            [("p1", "AC"), ("p2", "B")],
            [("p1", "AC"), ("p2", "B")],
        ),
        # of two the rest is the other
        (
            "A holds [1][2]. B holds [1].",
            {"A": [["p1", "p2"]]},
            [("p1p2", "A"), ("p1", "B")],
            [("p1p2", "A"), ("p1", "AB"), ("p2", "A")],
        ),
        # of three it is asked for where none is enough alone
        (
            "A holds [1][2][3].",
            {"A": [["p1", "p2"]]},
            [("p1p2p3", "A")],
            [("p1p2p3", "A"), ("p1", "A"), ("p2", "A"), ("p3", "A"),
             ("p2p3", "A"), ("p1p3", "A"), ("p1p2", "A")],
        ),
        (
            "A holds [1][2][3].",
            {"A": [["p1"]]},
            [("p1p2p3", "A")],
            [("p1p2p3", "A"), ("p1", "A"), ("p2", "A"), ("p3", "A")],
        ),
        (
            "A holds [1][2][3].",
            {},
            [("p1p2p3", "A")],
            [("p1p2p3", "A"), ("p1", "A"), ("p2", "A"), ("p3", "A")],
        ),
    ],
)  # fmt: skip
def test_what_is_asked(
    answer: str, supports: Supports, recall: list[Any], precision: list[Any]
) -> None:
    case = EvalCase(answer=answer, retrieved_contexts=["p1", "p2", "p3"])
    claims = {letter: [letter] for letter in "ABC"}
    for metric, expected in ((CitationRecall(), recall), (CitationPrecision(), precision)):
        ask = asking(claims, supports)
        without_loop(metric.measure(case, ask))
        assert verified(ask) == expected


FERRY = EvalCase(
    id="ferry",
    question="When does the ferry run?",
    answer="The ferry runs at noon [1]. It is red [2]. It is slow [1][2].",
    retrieved_contexts=["The ferry runs at noon.", "It is red.", "It is slow."],
)


def test_both_metrics_together_ask_each_set_of_passages_once(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    evaluate(FERRY.fresh(), METRICS, settings=settings())
    assert judge.count("claims") == 1
    sets = [
        frozenset(passage["text"] for passage in one.data["passages"])
        for one in judge.requests
        if one.step == "verify_claims" and "previous_reply" not in one.data
    ]
    assert len(sets) == len(set(sets)) == 3
    asked = judge.count()
    again = in_new_run(FERRY.fresh(), METRICS, settings())
    assert judge.count() == asked
    assert all(one.stored for one in again.values())


def test_a_sentence_that_cites_all_shares_its_verdicts_with_faithfulness(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    case = EvalCase(answer="The ferry runs [2, 1].", retrieved_contexts=["It runs.", "A ferry."])
    evaluate(case, ["faithfulness"], settings=settings())
    asked = judge.count()
    assert in_new_run(case, ["citation_recall"], settings())["citation_recall"].stored
    assert judge.count() == asked


@pytest.mark.parametrize(
    ("answer", "moved"),
    [
        ("A holds [1]. B holds [2].", {"verify_claims": "alike"}),
        ("A holds [1][2]. B holds [2].", {"verify_claims": "freely"}),
        ("A holds [1][2][3].", {}),
        ("A holds [1][2][9].", {"verify_claims": "freely"}),
    ],
)
def test_what_moves_precision(answer: str, moved: dict[str, str]) -> None:
    case = EvalCase(answer=answer, retrieved_contexts=["p1", "p2", "p3"])
    assert CitationPrecision().moved_by(case) == moved
    assert CitationRecall().moved_by(case) == {"verify_claims": "alike"}


def test_several_models_have_a_score_each() -> None:
    case = EvalCase(answer="A holds [1][2].", retrieved_contexts=["p1", "p2"])
    supports: dict[str, Supports] = {
        "m": {"A": [["p1"]]},
        "n": {"A": [["p1", "p2"]]},
        "o": {"A": [["p1"], ["p2"]]},
    }
    replies = {
        "extract_claims": claims_by_sentence({"A": ["A"]}),
        "verify_claims": lambda input, model: by_passages(supports[model])(input, model),
    }
    _, precision = both(case, ScriptedAsk(replies, models=list(supports)))
    assert precision.by_model == {"m": 0.5, "n": 1.0, "o": 1.0}
    assert precision.score == pytest.approx(5 / 6)
    _, agreed = both(case, ScriptedAsk(replies, models=list(supports)), aggregate="majority")
    assert agreed.score == 1.0
    with pytest.raises(ValueError, match="aggregate"):
        both(case, ScriptedAsk(replies), aggregate="max")


# -- the assertion, and what people see ------------------------------------------------------------

CONTEXTS = [
    "Adults pay 7 crowns for a single ticket.",
    "The ferry runs every 40 minutes from May to September.",
    "Dogs travel free of charge in the saloon.",
    "A child's ticket costs 4 crowns.",
]
WRONG = EvalCase(
    id="fares",
    question="What does a ticket cost?",
    answer="Adults pay 7 crowns for a single ticket [1]. A child's ticket costs 4 crowns [2]. "
    "Dogs travel free [7]. The ferry runs every 40 minutes.",
    retrieved_contexts=CONTEXTS,
)
RIGHT = EvalCase(
    id="fares",
    answer="Adults pay 7 crowns for a single ticket.[1] A child's ticket costs 4 crowns [4].",
    retrieved_contexts=CONTEXTS,
)


@pytest.fixture
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGASSERT_JUDGE", "offline")


@pytest.mark.usefixtures("_offline")
def test_the_assertion_takes_the_lower_of_both() -> None:
    case = WRONG.fresh()
    with pytest.raises(RagAssertionError) as raised:
        assert_citations(case)
    assert [one.metric for one in raised.value.results] == METRICS
    assert raised.value.result.metric == "citation_recall"
    recall, precision = (case.results[name] for name in METRICS)
    assert (recall.score, precision.score) == pytest.approx((0.25, 1 / 3))
    assert assert_citations(WRONG.fresh(), min=0.25) == recall.model_copy(
        update={"minimum": 0.25, "passed": True}
    )
    with pytest.raises(RagAssertionError) as raised:
        assert_citations(WRONG.fresh(), min=0.3)
    assert [one.metric for one in raised.value.results] == ["citation_recall"]
    passed = assert_citations(RIGHT.fresh())
    assert (passed.metric, passed.score) == ("citation_recall", 1.0)


@pytest.mark.usefixtures("_offline")
def test_the_lower_is_precision_where_all_claims_hold() -> None:
    case = RIGHT.fresh()
    case.answer = (case.answer or "") + " Dogs travel free of charge [3][2][1]."
    with pytest.raises(RagAssertionError) as raised:
        asyncio.run(aio.assert_citations(case))
    assert [one.metric for one in raised.value.results] == ["citation_precision"]
    assert asyncio.run(aio.assert_citations(case, min=0.6)).metric == "citation_precision"
    case.minimums = {"citation_precision": 0.5}
    assert assert_citations(case).score == pytest.approx(0.6)


def test_a_failure_says_what_each_citation_lacks() -> None:
    results = evaluate(WRONG.fresh(), METRICS, settings=Settings(judge="offline"))
    precision = results["citation_precision"]
    counts = "3 citations: 1 points nowhere, 1 supports nothing, 1 supports a claim"
    assert precision.reason == counts
    lines = precision.pretty().splitlines()
    assert '  [2]  does not support "A child\'s ticket costs 4 crowns."; [4] seems to' in lines
    assert "  [7]  points nowhere: 4 passages retrieved" in lines
    lines = results["citation_recall"].pretty().splitlines()
    assert any("ticket costs 4 crowns." in line and "not in [2]" in line for line in lines)
    assert sum(line.endswith(" cites no passage") for line in lines[1:]) == 1
    assert sum(line.endswith(" its [7] points nowhere") for line in lines[1:]) == 1
    assert results["citation_recall"].reason.endswith("; 1 cites no passage, 1 points nowhere")


def test_a_mark_that_points_nowhere_is_told_with_the_ids_there_are() -> None:
    case = WRONG.fresh()
    case.retrieved_context_ids = ["17", "4", "9", "12"]
    precision = evaluate(case, METRICS, settings=Settings(judge="offline"))["citation_precision"]
    assert (
        "  [2]  points nowhere: 4 passages retrieved, with ids such as 17, 4, 9"
        in precision.pretty()
    )


def test_a_failed_claim_has_the_id_of_what_it_was_held_against() -> None:
    case = WRONG.fresh()
    result = evaluate(case, METRICS, settings=Settings(judge="offline"))["citation_recall"]
    result.passed = False
    row = row_of(result, case)
    told = {claim["text"]: claim for claim in row["claims"]}
    child = told["A child's ticket costs 4 crowns."]
    assert child["id"] == claim_id(child["text"], CONTEXTS[1:2])
    assert child["nearest"] is not None
    assert child["nearest"]["passage"] == 3
    assert told["Dogs travel free."]["id"] is None


def test_another_passage_is_looked_for_as_often_as_anyone_reads_it() -> None:
    """Each search takes time, and of an answer that cites all wrong there are thousands."""
    answer = " ".join(f"Ticket number {number} costs 7 crowns [1]." for number in range(30))
    contexts = ["Dogs travel free.", answer.replace(" [1]", "")]
    case = EvalCase(answer=answer, retrieved_contexts=contexts)
    claims = {f"number {n} ": [f"Ticket number {n} costs 7 crowns."] for n in range(30)}
    _, precision = both(case, asking(claims, {}))
    found = [one["elsewhere"] for one in precision.details["citations"]]
    assert found == [1] * 20 + [None] * 10


LANGUAGES = {
    "en": ("The ferry sails at noon{}. ", "A child's ticket costs 4 crowns.{} "),
    "de": ("Die Fähre fährt um 12 Uhr ab{}. ", "Eine Kinderkarte kostet 4 Kronen.{} "),
    "ru": ("Паром отходит в полдень{}. ", "Детский билет стоит 4 кроны.{} "),
    "zh": ("渡轮中午12点出发{}。", "儿童票价格为4克朗。{}"),
    "fr": ("Le ferry part à midi{}. ", "Un billet enfant coûte 4 couronnes.{} "),
    "es": ("El ferry sale a las doce{}. ", "Un billete infantil cuesta 4 coronas.{} "),
    "ar": ("تبحر العبارة عند الظهر{}. ", "سعر تذكرة الطفل 4 كرونات.{} "),
    "ja": ("フェリーは正午に出発します{}。", "子供の切符は4クローネです。{}"),
}


WIDE = {"zh": "［{}］", "ja": "【{}】", "ar": "[{}]"}  # others have a space before


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(("first", "second", "score"), [(1, 2, 1.0), (2, 1, 0.0), (1, 7, 0.5)])
def test_each_language_has_its_marks(code: str, first: int, second: int, score: float) -> None:
    marks = [WIDE.get(code, " [{}]").format(number) for number in (first, second)]
    sentences = LANGUAGES[code]
    answer = "".join(one.format(mark) for one, mark in zip(sentences, marks, strict=True))
    contexts = [one.format("").strip() for one in sentences]
    case = EvalCase(answer=answer, retrieved_contexts=contexts)
    results = evaluate(case, METRICS, settings=Settings(judge="offline"))
    assert [results[name].score for name in METRICS] == [score, score]
