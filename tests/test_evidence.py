"""Evidence: labels, score, spans, what is looked at; and what no judge's reply can change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import pytest_ragassert
from pytest_ragassert import (
    EvalCase,
    EvidenceDetails,
    MetricResult,
    MissingFieldError,
    RagAssertionError,
    Settings,
    aio,
    applicable_metrics,
    assert_evidence,
    evaluate,
)
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.metrics.evidence import Evidence
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.replies.schema import ReplyError

from .asks import ScriptedAsk
from .conftest import MakeSettings
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import (
    CONTRA,
    FULL,
    NONE,
    PARTIAL,
    Said,
    case,
    contradicted,
    in_new_run,
    quoted,
    says_claims,
    says_verdicts,
    verdict,
    verdicts_reply,
)

CONTEXTS = ["The kiosk opens at nine.", "A lamp costs 12 coins there."]
RIGHT, WRONG, UNKNOWN = "The kiosk opens at nine.", "A lamp costs 15 coins.", "Dogs may come in."
SUPPORTED = {"verdict": "FULLY_SUPPORTED", "quote": "The kiosk opens at nine", "passage": 1}
AGAINST = contradicted("A lamp costs 12 coins there", 2)


def measured(own: Settings, told: EvalCase, **options: Any) -> MetricResult:
    result: MetricResult = in_new_run(told, {"evidence": options}, own)["evidence"]  # type: ignore[arg-type]  # what `evaluate` takes
    return result


def details(result: MetricResult) -> EvidenceDetails:
    return EvidenceDetails.model_validate(result.details)


def kiosk(*sentences: str, **fields: Any) -> EvalCase:
    return case(answer=" ".join(sentences), retrieved_contexts=CONTEXTS, **fields)


# -- labels, score, spans --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentences", "options", "score", "labels"),
    [
        ([RIGHT], {}, 1.0, ["correct"]),
        ([WRONG], {}, 0.0, ["incorrect"]),
        ([UNKNOWN], {}, 0.5, ["uncertain"]),
        ([RIGHT, WRONG], {}, 0.5, ["correct", "incorrect"]),
        ([RIGHT, UNKNOWN, WRONG], {}, 0.5, ["correct", "uncertain", "incorrect"]),
        ([RIGHT, UNKNOWN], {"uncertain_weight": 0}, 0.5, ["correct", "uncertain"]),
        ([RIGHT, UNKNOWN], {"uncertain_weight": 1}, 1.0, ["correct", "uncertain"]),
        ([RIGHT, UNKNOWN], {"uncertain_weight": 0.25}, 0.625, ["correct", "uncertain"]),
    ],
)
def test_the_score_is_the_mean_over_sentences(
    judge: LoopbackJudge,
    settings: MakeSettings,
    sentences: list[str],
    options: Any,
    score: float,
    labels: list[str],
) -> None:
    says_verdicts(judge, {RIGHT: SUPPORTED, WRONG: AGAINST})
    told = kiosk(*sentences)
    result = measured(settings(), told, **options)
    assert result.score == pytest.approx(score)
    assert [sentence.label for sentence in details(result).sentences] == labels
    assert [claim.label_final for claim in result.claims] == labels
    spans = details(result).spans
    assert [span.label for span in spans] == [label for label in labels if label != "correct"]
    places = [(s.start, s.end, s.text) for s in spans]
    places += [(s.start, s.end, s.text) for s in details(result).sentences]
    assert all((told.answer or "")[start:end] == text for start, end, text in places)


def test_a_sentence_is_as_good_as_its_worst_claim_which_speaks_for_it(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    sentence = "The kiosk opens at nine, sells lamps and lets dogs in."
    claims = ["The kiosk opens at nine", "It sells lamps", "A lamp costs 15 coins", "It is not old"]
    says_claims(judge, {sentence: claims[:2], "Yes, so it is said.": claims[2:]})
    said: dict[str, Said] = {claims[0]: SUPPORTED, claims[2]: AGAINST, claims[3]: AGAINST}
    says_verdicts(judge, said)
    result = measured(settings(), kiosk(sentence, "Yes, so it is said."))
    found = details(result)
    assert [(s.label, s.claims) for s in found.sentences] == [
        ("uncertain", [0, 1]),
        ("incorrect", [2, 3]),
    ]
    assert [(s.label, s.claim, s.severity) for s in found.spans] == [
        ("uncertain", 1, "medium"),
        ("incorrect", 2, "high"),
    ]
    assert result.score == 0.25
    assert result.reason == "2 sentences: 1 incorrect, 1 uncertain"
    assert (found.labels, found.with_evidence) == (
        {"incorrect": 2, "uncertain": 1, "correct": 1},
        3,
    )


def test_the_same_sentence_twice_has_a_span_each(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    says_verdicts(judge, {WRONG: AGAINST})
    result = measured(settings(), kiosk(WRONG, WRONG))
    assert [(s.start, s.sentence, s.claim) for s in details(result).spans] == [
        (0, 0, 0),
        (len(WRONG) + 1, 1, 1),
    ]
    (request,) = [r for r in judge.requests if r.step == "verify_claims"]
    assert len(request.data["claims"]) == 1


def test_the_gate_is_always_on(judge: LoopbackJudge, settings: MakeSettings) -> None:
    says_verdicts(judge, {WRONG: CONTRA})
    result = measured(settings(evidence_gate="off"), kiosk(WRONG))
    (claim,) = result.claims
    assert (claim.verdict, claim.label_raw, claim.label_final) == (NONE, CONTRA, "uncertain")
    assert claim.gate_reason == "judge says contradicted, no quote"


@pytest.mark.parametrize(
    ("quote", "required", "label"),
    [
        (None, False, "correct"),
        (None, True, "uncertain"),
        ("The kiosk is always open", True, "uncertain"),
        ("The kiosk opens at nine", True, "correct"),
    ],
)
def test_evidence_may_be_required_for_what_is_correct_too(
    judge: LoopbackJudge, settings: MakeSettings, quote: str | None, required: bool, label: str
) -> None:
    says_verdicts(judge, {RIGHT: {"verdict": "FULLY_SUPPORTED", "quote": quote, "passage": 1}})
    result = measured(settings(), kiosk(RIGHT), require_evidence_for_correct=required)
    (claim,) = result.claims
    assert (claim.label_final, claim.label_raw) == (label, FULL)
    assert claim.quote_verified is (quote == "The kiosk opens at nine")
    assert (claim.gate_reason is not None) is (label == "uncertain")
    assert result.score == (1.0 if label == "correct" else 0.5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"uncertain_weight": 1.5}, "uncertain_weight"),
        ({"uncertain_weight": -0.1}, "uncertain_weight"),
        ({"uncertain_weight": math.nan}, "uncertain_weight"),
        ({"uncertain_weight": True}, "uncertain_weight"),
        ({"uncertain_weight": "0.5"}, "uncertain_weight"),
        ({"require_evidence_for_correct": 1}, "require_evidence_for_correct"),
        ({"aggregate": "max"}, "aggregate"),
    ],
)
def test_a_wrong_option_is_told_before_anything_is_asked(
    judge: LoopbackJudge, settings: MakeSettings, options: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        measured(settings(), kiosk(RIGHT), **options)
    assert judge.count() == 0


def test_what_is_kept_of_a_claim_is_declared_and_survives_json(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    said = {**AGAINST, "confidence": 0.9, "reason": "another price", "passage": 1}
    says_verdicts(judge, {WRONG: said})
    result = measured(settings(), kiosk(WRONG))
    (claim,) = result.claims
    assert (claim.label_raw, claim.label_final, claim.passage) == (CONTRA, "incorrect", 1)
    assert claim.gate_reason == "the quote is in passage 2, not 1"
    assert claim.raw_reply == verdict(1, said)
    assert claim.looked_at == [0, 1]
    assert claim.selection_reason is not None
    assert claim.selection_reason.startswith("[2] ")
    # what contradicts has another number, which is no gap
    assert (claim.coverage_ok, claim.confidence) == (True, 0.9)
    assert claim.coverage_note == "the quote has no 15"
    assert MetricResult.model_validate_json(result.model_dump_json()) == result


def test_coverage_clamps_confidence_and_never_the_label(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    claim_text = "The kiosk of Anna Berg opens at 9:30."
    says_verdicts(judge, {claim_text: {**SUPPORTED, "confidence": 0.95}})
    (claim,) = measured(settings(), kiosk(claim_text)).claims
    assert (claim.label_final, claim.coverage_ok, claim.confidence) == ("correct", False, 0.5)
    assert claim.coverage_note is not None
    says = claim.coverage_note
    assert "9:30" in says
    assert "anna" in says


# -- missing things --------------------------------------------------------------------------------


@pytest.mark.parametrize("contexts", [[], [""]])
@pytest.mark.filterwarnings("ignore::pytest_ragassert.RagAssertWarning")
def test_where_nothing_was_retrieved_every_claim_is_uncertain(
    judge: LoopbackJudge, settings: MakeSettings, contexts: list[str]
) -> None:
    result = measured(settings(), case(answer=f"{RIGHT} {WRONG}", retrieved_contexts=contexts))
    assert [claim.verdict for claim in result.claims] == [NONE, NONE]
    assert [claim.label_final for claim in result.claims] == ["uncertain", "uncertain"]
    assert (result.score, judge.count("verdicts")) == (0.5, 0)


def test_an_answer_without_claims_is_vacuous(judge: LoopbackJudge, settings: MakeSettings) -> None:
    result = measured(settings(), kiosk("I don't know."))
    assert (result.vacuous, result.score, result.passed) == (True, 1.0, False)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"answer": " \n"}, "answer is empty"),
        ({"answer": None}, "needs the field answer"),
        ({"retrieved_contexts": None}, "needs the field retrieved_contexts"),
    ],
)
def test_a_missing_field_is_named(
    judge: LoopbackJudge, settings: MakeSettings, fields: Any, words: str
) -> None:
    with pytest.raises(MissingFieldError, match=words):
        measured(settings(), case(**fields))
    assert judge.count() == 0


# -- what is looked at -----------------------------------------------------------------------------

FILLER = "The meadow lies in the sun, and bees go from one flower to the other all day long. " * 20


def chunks(count: int, **held: str) -> list[str]:
    """Many long chunks, some of which hold one sentence more."""
    return [f"Part {n}. {FILLER}{held.get(f'at{n}', '')}" for n in range(count)]


def test_evidence_in_the_last_of_many_chunks_is_found_at_first_sight(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    sentence = "The Amber Bay boat sails every 25 minutes."
    told = case(answer=sentence, retrieved_contexts=chunks(300, at299=sentence))
    result = measured(settings(), told)
    (claim,) = result.claims
    assert (result.score, claim.passage, claim.quote_verified) == (1.0, 299, True)
    (request,) = [r for r in judge.requests if r.step == "verify_claims"]
    sent = [passage["id"] - 1 for passage in request.data["passages"]]
    assert sent == claim.looked_at
    assert len(sent) <= 3
    assert claim.selection_reason is not None
    assert claim.selection_reason.startswith("[300] ")
    assert "25" in claim.selection_reason
    assert claim.selection_reason.endswith(" of 300 passages")


def test_the_rest_is_looked_at_for_claims_without_evidence_alone(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    """What says it in other words altogether stands in the last chunk."""
    found, elsewhere = "The Amber Bay boat sails every 25 minutes.", "Swimming is allowed."
    other = "Whoever likes may bathe."
    told = case(
        answer=f"{found} {elsewhere}",
        retrieved_contexts=chunks(40, at3=found, at39=other),
    )

    def reply(recorded: Recorded) -> str:
        texts = " ".join(passage["text"] for passage in recorded.data["passages"])
        said: dict[str, Said] = {}
        if found in texts:
            # one that stands nowhere leaves it proven
            evidence = [quoted("nobody ever sails", 4), quoted(found, 4)]
            said[found] = {"verdict": "FULLY_SUPPORTED", "evidence": evidence}
        if other in texts:
            said[elsewhere] = {"verdict": "FULLY_SUPPORTED", "quote": other, "passage": 40}
        each = recorded.data["claims"]
        return verdicts_reply([verdict(c["id"], said.get(c["text"], NONE)) for c in each])

    judge.on("verify_claims", reply)
    result = measured(settings(), told)
    assert [(c.passage, c.quote_verified) for c in result.claims] == [(3, False), (39, True)]
    one, other_claim = result.claims
    asked = [r.data for r in judge.requests if r.step == "verify_claims"]
    first, *rest = sorted(asked, key=lambda data: -len(data["claims"]))
    assert [c["text"] for c in first["claims"]] == [found, elsewhere]
    assert all([c["text"] for c in data["claims"]] == [elsewhere] for data in rest)
    ids = [passage["id"] for data in asked for passage in data["passages"]]
    assert sorted(ids) == list(range(1, 41))  # nothing twice
    assert other_claim.looked_at == list(range(40))
    assert "the others too" in (other_claim.selection_reason or "")
    assert one.looked_at == [first["passages"][n]["id"] - 1 for n in range(len(first["passages"]))]
    judge.reset()
    again = measured(settings(), told)
    assert (judge.count(), again.claims) == (0, result.claims)


def test_of_a_long_passage_a_stretch_is_looked_at_and_the_quote_stands_in_the_whole(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    sentence = "The Amber Bay boat sails every 25 minutes."
    book = f"{FILLER * 30} {sentence} {FILLER * 30}"
    told = case(answer=sentence, retrieved_contexts=["Short.", book])
    (claim,) = measured(settings(), told).claims
    assert (claim.passage, claim.quote_verified) == (1, True)
    assert claim.quote_span is not None
    assert book[slice(*claim.quote_span)] == claim.quote
    (request,) = [r for r in judge.requests if r.step == "verify_claims"]
    (stretch,) = request.data["passages"]
    assert stretch["id"] == 2
    assert stretch["text"] in book
    assert len(stretch["text"]) < 3_000


def test_without_a_sentence_end_everything_is_looked_at(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    claim_text = "The boat is red"
    endless = "lamp " * 20_000 + claim_text
    told = case(answer=claim_text, retrieved_contexts=[endless])
    (claim,) = measured(settings(), told).claims
    assert claim.quote_span == (100_000, 100_000 + len(claim_text))


def test_small_contexts_share_their_question_with_faithfulness(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    evaluate(kiosk(RIGHT, WRONG), ["faithfulness", "evidence"], settings=settings())
    assert (judge.count("claims"), judge.count("verdicts")) == (1, 1)


def test_the_judges_budget_is_no_part_of_a_question(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    sentence = "The Amber Bay boat sails every 25 minutes."
    told = case(answer=sentence, retrieved_contexts=chunks(60, at59=sentence))
    measured(settings(), told)
    judge.reset()
    measured(settings(token_budget=2_000), told)
    assert judge.count() == 0


def test_votes_and_juries_look_on_by_themselves(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    other = "Whoever likes may bathe."
    told = case(answer="Swimming is allowed.", retrieved_contexts=chunks(20, at19=other))

    def reply(recorded: Recorded) -> str:
        texts = " ".join(passage["text"] for passage in recorded.data["passages"])
        finds = other in texts and recorded.body["model"] == "judge-a"
        said = {"verdict": "FULLY_SUPPORTED", "quote": other, "passage": 20} if finds else NONE
        return verdicts_reply([verdict(1, said)])

    judge.on("verify_claims", reply)
    result = measured(settings(model=("judge-a", "judge-b")), told, votes=2)
    assert result.by_model == {"judge-a": 1.0, "judge-b": 0.5}
    (claim,) = result.claims
    assert (claim.verdict, claim.votes) == (NONE, {"FULLY_SUPPORTED": 2, "NO_EVIDENCE": 2})
    assert (result.judgements, result.split, result.votes) == (2, 0, 2)
    asked = [r.body["model"] for r in judge.requests if r.step == "verify_claims"]
    assert asked.count("judge-a") == asked.count("judge-b")


# -- bad evidence ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "label", "passage"),
    [
        (contradicted("A lamp costs 12 coins there", 1), "incorrect", 1),  # of another passage
        (contradicted("A lamp costs 12 coins there", 9), "incorrect", 1),  # out of range
        (contradicted("A lamp costs 12 coins there", 0), "incorrect", 1),
        (contradicted("A lamp costs 12 coins there", -1), "incorrect", 1),
        (contradicted("Lamps are to be had for 12 coins", 2), "uncertain", 1),  # paraphrased
        (contradicted("Lamps are to be had for 12 coins", 9), "uncertain", None),
        (contradicted("", 2), "uncertain", None),
        (contradicted(" \u200b", 2), "uncertain", None),
        (contradicted("A", 2), "uncertain", 1),
        (contradicted("a lamp", 2), "uncertain", 1),
        (contradicted("A lamp costs 15 coins", 2), "uncertain", 1),
        ({"verdict": "CONTRADICTORY", "quote": "A lamp costs 12 coins there"}, "incorrect", 1),
    ],
)
def test_only_a_quote_that_stands_there_makes_a_claim_incorrect(
    judge: LoopbackJudge, settings: MakeSettings, said: Said, label: str, passage: int | None
) -> None:
    says_verdicts(judge, {WRONG: said})
    (claim,) = measured(settings(), kiosk(WRONG)).claims
    assert (claim.label_final, claim.passage, claim.label_raw) == (label, passage, CONTRA)
    assert claim.quote_verified is (label == "incorrect")
    assert (claim.quote is None) is (passage is None)


# -- assertion and registry ------------------------------------------------------------------------


def test_the_assertion_has_its_names_everywhere(
    judge: LoopbackJudge, settings: MakeSettings, asserting: Any
) -> None:
    asserting()
    assert "evidence" in applicable_metrics(kiosk(RIGHT))
    assert assert_evidence(kiosk(RIGHT)).minimum == 0.8
    with pytest.raises(RagAssertionError, match=r"0\.50 < 0\.80: case \S+ \(1 sentence: 1 unc"):
        assert_evidence(kiosk(UNKNOWN))
    assert assert_evidence(kiosk(UNKNOWN), min=0.5).passed
    assert assert_evidence(kiosk(UNKNOWN), uncertain_weight=1.0).score == 1.0
    assert assert_evidence(kiosk(UNKNOWN, minimums={"evidence": 0.4})).passed
    assert pytest_ragassert.assert_rag(kiosk(RIGHT), evidence=1.0)["evidence"].passed


@pytest.mark.asyncio
async def test_the_coroutine_does_the_same(
    judge: LoopbackJudge, settings: MakeSettings, asserting: Any
) -> None:
    asserting()
    assert (await aio.assert_evidence(kiosk(RIGHT))).score == 1.0


def test_the_offline_judge_answers_it() -> None:
    told = case(
        answer="The kayak weighs 18 kg. The pump is rated for salt water. Swans are rare.",
        retrieved_contexts=[
            "The trailer weighs 18kg.",
            "The kayak weighs 23kg.",
            "The pump is not rated for salt water.",
        ],
    )
    result = evaluate(told, ["evidence"], settings=Settings(judge="offline"))["evidence"]
    assert [(claim.label_final, claim.quote) for claim in result.claims] == [
        ("incorrect", "The kayak weighs 23kg."),
        ("incorrect", "The pump is not rated for salt water."),
        ("uncertain", None),
    ]


# -- rich texts ------------------------------------------------------------------------------------

RICH = [
    "| Lamp | Price |\n|---|---|\n| Small | 9 € |",
    "- one ✅\n- two\n1. three\n",
    "```py\nprint('hi. there.')\n```\nIt prints hi.",
    "المركب يبحر كل 25 دقيقة. وهو أحمر.\u200f\u202e",
    "👩‍👩‍👧 live here. 🏴 waves! é is e\u0301.",
    "no end at all",
    "渡轮每40分钟一班。票价是5.5元。",
    "  \n\n Leading space. \r\nTrailing \ud800 lone.  ",
]


@pytest.mark.parametrize("answer", RICH, ids=range(len(RICH)))
def test_every_span_is_cut_from_the_answer(
    judge: LoopbackJudge, settings: MakeSettings, answer: str
) -> None:
    def claims(recorded: Recorded) -> str:
        import json

        each = recorded.data["sentences"]
        found = [{"sentence": s["id"], "text": f"claim {s['id']} of it"} for s in each]
        return json.dumps({"claims": found})

    judge.on("extract_claims", claims)
    says_verdicts(judge, {})
    result = measured(settings(), case(answer=answer, retrieved_contexts=["ps aux | sort -k3"]))
    spans = details(result).spans
    assert spans
    for span in spans:
        assert answer[span.start : span.end] == span.text
        assert span.text.strip()
    starts = [span.start for span in spans]
    assert starts == sorted(set(starts))


# -- what no reply can change ----------------------------------------------------------------------

ANSWERS = [f"{RIGHT} {WRONG} {UNKNOWN}", f"{WRONG} {WRONG}", *RICH]
QUOTES = st.one_of(
    st.none(),
    st.sampled_from(
        ["", " ", "a", "12", "The kiosk opens at nine", "A lamp costs 12 coins there", RIGHT, WRONG]
    ),
    st.sampled_from(
        ["the kiosk is opened at nine o'clock", "the  kiosk opens", "at nine. A lamp", "\ud800"]
    ),
    st.text(max_size=20),
)
ONE = st.fixed_dictionaries(
    {},
    optional={
        "id": st.one_of(st.integers(-1, 6), st.sampled_from(["1", "x", None, True])),
        "verdict": st.one_of(
            st.sampled_from([v.value for v in (FULL, PARTIAL, NONE, CONTRA)]),
            st.sampled_from(["supported", "no", "", None, "refuted"]),
        ),
        "passage": st.one_of(st.none(), st.integers(-2, 9), st.text(max_size=2)),
        "quote": QUOTES,
        "reason": st.one_of(st.none(), st.text(max_size=5)),
        "confidence": st.one_of(st.none(), st.floats(), st.booleans(), st.text(max_size=2)),
    },
)


class AnyReply(ScriptedAsk):
    """Asks a judge that says what is drawn, read as replies are read."""

    def __init__(self, drawn: Sequence[Sequence[Json]], votes: int) -> None:
        super().__init__(votes=votes)
        self._drawn = iter(drawn)

    async def __call__(self, step: Any, input: Json, **_: Any) -> Any:
        made = STEPS[str(step)]
        if made.name == "extract_claims":
            (message,) = made.messages(input, 10**9)
            each = [{"sentence": s["id"], "text": s["text"]} for s in message["sentences"]]
            return made.merged(input, [made.read(message, {"claims": each}).reply])
        asked = made.asked(input)
        for value in self._drawn:
            kept = [{**one, "id": one.get("id", 1)} for one in value]
            try:
                reading = made.read(input, {"verdicts": kept})
            except ReplyError:
                continue
            said = {v["id"]: v for v in reading.reply["verdicts"]}
            return {"verdicts": [said.get(id) or _nothing(id) for id in asked]}
        return {"verdicts": [_nothing(id) for id in asked]}


def _nothing(id: int) -> Json:
    return verdict(id, NONE)


@hypothesis_settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(ANSWERS),
    st.lists(st.lists(ONE, max_size=5), max_size=8),
    st.booleans(),
    st.integers(1, 3),
)
def test_whatever_the_judge_replies(
    answer: str, drawn: list[list[Json]], required: bool, votes: int
) -> None:
    ask = AnyReply(drawn, votes)
    told = case(answer=answer, retrieved_contexts=CONTEXTS)
    work = Evidence().measure(told, ask, require_evidence_for_correct=required)
    result = without_loop(work)
    assert 0 <= result.score <= 1
    for claim in result.claims:
        # 1: without an index there is no quote, and no evidence
        if claim.passage is None:
            assert claim.quote is None
        # 2: evidence is a quote that stands in the passage of that index
        assert claim.quote_verified == (claim.quote_span is not None)
        if claim.quote_verified:
            assert claim.passage is not None
            assert claim.quote_span is not None
            assert CONTEXTS[claim.passage][slice(*claim.quote_span)] == claim.quote
            assert claim.quote
        # the hard rule
        if claim.label_final == "incorrect" or (required and claim.label_final == "correct"):
            assert claim.quote_verified
        # 3: coverage changes the confidence alone
        if claim.coverage_ok is False:
            assert claim.confidence is None or claim.confidence <= 0.5
            assert claim.verdict is claim.label_raw
        # 4: nothing but the gate changes a label
        if claim.verdict is not claim.label_raw:
            assert claim.verdict is NONE
            assert not claim.quote_verified
            assert claim.gate_reason
    found = details(result)
    for span in found.spans:
        assert answer[span.start : span.end] == span.text
        assert result.claims[span.claim].label_final == span.label
    # 5: how bad a span is hangs on its claim's text alone
    again = without_loop(Evidence().measure(told, AnyReply([], 1)))
    severities = {(s.sentence, s.claim): s.severity for s in details(again).spans}
    assert all(severities[s.sentence, s.claim] == s.severity for s in found.spans)
