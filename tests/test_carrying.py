"""Verdicts carried over from the passages of an earlier run to those of this one."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, JudgeError, MetricResult, Settings, VerdictMissing
from pytest_ragassert.engine.jobs import Measured
from pytest_ragassert.steps.verify_claims import VERIFY_CLAIMS
from pytest_ragassert.storage.answers import Answer
from pytest_ragassert.storage.keys import Question, question_key
from pytest_ragassert.storage.open_store import open_store

from .judged_runs import measured_in_run, results_of
from .passage_judge import PassageJudge, on_passages

VERDICT = {"verdict": "FULLY_SUPPORTED", "reason": None, "confidence": None}
LAMP = "The lamp costs 5 coins."
BOAT = "The boat costs 9 coins."
RED_LAMP = "The lamp costs 5 coins and is red."
DEAR_LAMP = "The lamp costs 7 coins."
HATS = "Hats are sold by the harbour, all year round."
TRAMS = "Trams leave every ten minutes from the old market."
RAIN = "Rain is expected on the coast for most of the week."
PASSAGES = [LAMP, BOAT, RED_LAMP, DEAR_LAMP, HATS, TRAMS, RAIN]
CLAIMS = [LAMP, BOAT, RED_LAMP, DEAR_LAMP, "The bell costs 3 coins.", "The boat costs 8 coins."]


class Judging:
    """Runs, one after the other, over one store, and the judge that they ask."""

    def __init__(self, folder: Path, judge: Any = None, **options: Any) -> None:
        self.folder = folder
        self.judge = judge or PassageJudge()
        self.options = options

    def measured(
        self, *cases: EvalCase, one_by_one: bool = False, **options: Any
    ) -> list[Measured]:
        """What a run of its own makes of the cases, side by side or one after the other."""
        settings = Settings(
            judge="mine", cache_dir=self.folder / "store", **{**self.options, **options}
        )
        return measured_in_run(settings, self.judge, "faithfulness", cases, one_by_one=one_by_one)

    def run(self, *cases: EvalCase, **options: Any) -> list[Any]:
        """Their results, or errors."""
        return results_of(self.measured(*cases, **options))

    def asked(self, *cases: EvalCase, **options: Any) -> list[tuple[str, frozenset[str]]]:
        """The judgements on claims that a run asks for."""
        before = len(self.judge.judged)
        for result in self.run(*cases, **options):
            assert isinstance(result, MetricResult), result
        return list(self.judge.judged[before:])

    def records(self) -> dict[str, Any]:
        """What the store says on claims, by key, without times and costs."""
        with open_store(self.folder / "store") as store:
            keys = [key for key in store.keys(prefix="") if "." not in key]
            found = {key: json.loads(store.get(key) or "") for key in keys}
        return {
            key: (record["about"], tuple(record["passages"]), record["reply"], record.get("from"))
            for key, record in found.items()
            if record["step"] == "verify_claims"
        }


@pytest.fixture
def judging(tmp_path: Path) -> Judging:
    return Judging(tmp_path)


def of(claims: Sequence[str] | str, passages: Sequence[str], **fields: Any) -> EvalCase:
    answer = claims if isinstance(claims, str) else " ".join(claims)
    return EvalCase(
        **{"id": "c", "question": "Why?", **fields},
        answer=answer,
        retrieved_contexts=list(passages),
    )


def verdicts(result: Any) -> list[str]:
    assert isinstance(result, MetricResult), result
    return [claim.verdict.value for claim in result.claims]


def carried(result: Any) -> list[bool]:
    assert isinstance(result, MetricResult), result
    return [claim.carried is not None for claim in result.claims]


def judged(claim: str, *passages: str) -> tuple[str, frozenset[str]]:
    return claim.rstrip("."), frozenset(passages)


# -- properties ------------------------------------------------------------------------------------

sets = st.lists(st.sampled_from(PASSAGES), min_size=1, max_size=6)
suites = st.lists(
    st.builds(of, st.lists(st.sampled_from(CLAIMS), min_size=1, max_size=4, unique=True), sets),
    min_size=1,
    max_size=5,
)


def told(case: EvalCase) -> list[str]:
    """What the judge would say of each claim of a case, were it asked."""
    passages = [text for text in case.retrieved_contexts or () if text]
    claims = [sentence.strip(" .") for sentence in (case.answer or "").split(".") if sentence]
    return [on_passages(claim, passages)[0] for claim in claims]


@examples(max_examples=25)
@given(st.lists(suites, min_size=2, max_size=4), st.booleans())
def test_what_is_carried_is_what_would_be_asked(runs: list[list[EvalCase]], together: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        judging = Judging(Path(folder))
        for suite in runs:
            found = judging.run(*suite) if together else [judging.run(case)[0] for case in suite]
            assert [verdicts(result) for result in found] == list(map(told, suite))
    assert not judging.judge.judged or max(Counter(judging.judge.judged).values()) == 1


@examples(max_examples=15)
@given(suites, suites, st.randoms())
def test_any_order_asks_for_the_same_and_stores_the_same(
    before: list[EvalCase], after: list[EvalCase], random: Any
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = Judging(Path(folder, "first"))
        first.run(*before)
        ways = []
        for number in range(3):
            own = Path(folder, str(number))
            shutil.copytree(first.folder, own)
            judging = Judging(own, concurrency=(16, 1, 2)[number])
            suite = list(after)
            random.shuffle(suite)
            for measured in judging.measured(*suite):
                assert measured.error is None
            ways.append((Counter(judging.judge.judged), judging.records()))
        assert ways == [ways[0]] * 3


# -- what is asked ---------------------------------------------------------------------------------


def test_the_passages_of_a_verdict_stay_and_others_go(judging: Judging) -> None:
    assert judging.asked(of(LAMP, [LAMP, HATS, TRAMS])) == [judged(LAMP, LAMP, HATS, TRAMS)]
    (result,) = judging.run(of(LAMP, [TRAMS, LAMP]))
    assert verdicts(result) == ["FULLY_SUPPORTED"]
    assert carried(result) == [True]
    assert len(judging.judge.judged) == 1
    assert result.claims[0].quote == LAMP.rstrip(".")
    assert result.claims[0].passage == 1
    assert result.stored
    assert result.requests == 0


def test_a_new_passage_is_asked_about_alone_and_all_only_where_it_says_something(
    judging: Judging,
) -> None:
    before, new, both = [LAMP, BOAT, HATS, TRAMS], DEAR_LAMP, [BOAT, LAMP]
    judging.run(of(both, before))
    after = [*before, new]
    (result,) = judging.run(of(both, after))
    # both claims against what is new, in one request; then the one that it touches
    assert judging.judge.judged[2:] == [
        judged(BOAT, new),
        judged(LAMP, new),
        judged(LAMP, *after),
    ]
    assert judging.judge.messages[1:] == [(1, 2), (5, 1)]
    assert carried(result) == [True, False]
    assert verdicts(result) == ["FULLY_SUPPORTED", "FULLY_SUPPORTED"]
    assert (result.requests, result.stored) == (1, False)


def test_claims_without_a_source_wait_to_be_asked_with_those_that_are_not_carried(
    judging: Judging,
) -> None:
    before = [LAMP, BOAT, HATS, TRAMS]
    judging.run(of([LAMP, BOAT], before))
    after = [*before, DEAR_LAMP]
    judging.run(of([LAMP, BOAT, RED_LAMP], after))
    assert judging.judge.messages[1:] == [(1, 2), (5, 2)]
    assert set(judging.judge.judged[-2:]) == {judged(LAMP, *after), judged(RED_LAMP, *after)}


def test_where_most_is_new_all_is_asked_at_once(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS]))
    after = [LAMP, TRAMS, RAIN]
    assert judging.asked(of(LAMP, after)) == [judged(LAMP, *after)]
    # of the same passages in another order the same is asked
    assert judging.asked(of(LAMP, after[::-1])) == []


def test_a_known_verdict_on_what_is_new_is_not_asked_for(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS, TRAMS]), of(LAMP, [RAIN], id="d"))
    (result,) = judging.run(of(LAMP, [LAMP, HATS, TRAMS, RAIN]))
    assert carried(result) == [True]
    assert len(judging.judge.judged) == 2


def test_only_what_was_there_before_the_run_is_a_source(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS, TRAMS]), of(LAMP, [LAMP, HATS], id="d"))
    assert len(judging.judge.judged) == 2


@pytest.mark.parametrize("backwards", [False, True])
def test_what_was_carried_and_is_asked_for_in_this_run_is_no_source_in_it(
    judging: Judging, backwards: bool
) -> None:
    judging.run(of(LAMP, [LAMP, HATS, TRAMS]))
    (source,) = judging.records()
    judging.run(of(LAMP, [LAMP, HATS]))
    with open_store(judging.folder / "store") as store:
        store.delete([row for row in store.rows() if row.key.startswith(source)])
    cases = [of(LAMP, [LAMP, HATS]), of(LAMP, [LAMP])]
    asked = judging.asked(
        *(cases[::-1] if backwards else cases), refresh="carried", one_by_one=True
    )
    assert Counter(asked) == Counter([judged(LAMP, LAMP, HATS), judged(LAMP, LAMP)])


def test_what_was_carried_is_stored_and_never_a_source_itself(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS, TRAMS]))
    ((source, (_, _, reply, _)),) = judging.records().items()
    judging.run(of(LAMP, [LAMP, TRAMS]))
    del judging.judge.judged[:]
    found = judging.records()
    (own,) = found.keys() - {source}
    assert found[own][2:] == (reply, source)
    (result,) = judging.run(of(LAMP, [LAMP, TRAMS]))
    assert result.claims[0].carried == source
    # its source is gone: what was carried over from it stays, and goes no further
    with open_store(judging.folder / "store") as store:
        store.delete([row for row in store.rows() if row.key.startswith(source)])
    (result,) = judging.run(of(LAMP, [LAMP, TRAMS]))
    assert result.claims[0].carried == source
    assert judging.asked(of(LAMP, [LAMP])) == [judged(LAMP, LAMP)]


def test_the_rows_of_what_is_asked_say_what_was_carried(judging: Judging) -> None:
    judging.run(of([LAMP, BOAT], [LAMP, BOAT, HATS]))
    told = []
    for _ in range(2):
        (measured,) = judging.measured(of([LAMP, BOAT], [LAMP, BOAT, RAIN]))
        on_claims = [one for one in measured.asked if one.step and one.step.name == "verify_claims"]
        told.append(sorted((one.source is not None, one.stored) for one in on_claims))
        assert len({one.question for one in on_claims}) == 1
    # in the first run both claims were held against the new passage too
    assert told == [[(False, False)] * 2 + [(True, True)] * 2, [(True, True)] * 2]


def test_votes_that_were_carried_are_no_flips(tmp_path: Path) -> None:
    judging = Judging(tmp_path, votes=2)
    (first,) = judging.run(of([LAMP, BOAT], [LAMP, BOAT, HATS]))
    assert first.judgements == 2
    (second,) = judging.run(of([LAMP, BOAT, RED_LAMP], [LAMP, BOAT]))
    assert carried(second) == [True, True, False]
    assert second.judgements == 1
    assert second.claims[0].votes == {"FULLY_SUPPORTED": 2}


# -- counterexamples -------------------------------------------------------------------------------


class Scripted(PassageJudge):
    """Says what a test wants of a claim and a set of passages."""

    id = "scripted"

    def __init__(self, says: Any) -> None:
        super().__init__()
        self.says = says

    def run(self, step: Any, input: Any) -> str:
        if step.name != "verify_claims":
            return super().run(step, input)
        texts = [one["text"] for one in input["passages"]]
        replies = []
        for claim in input["claims"]:
            self.note(claim["text"], texts)
            verdict, *quotes = self.says(claim["text"], texts)
            evidence = [
                {"passage": one["id"], "quote": quote}
                for quote in quotes
                for one in input["passages"]
                if quote in one["text"]
            ]
            replies.append({"id": claim["id"], "verdict": verdict, "evidence": evidence})
        return json.dumps({"verdicts": replies})


def scripted(tmp_path: Path, says: Any, **options: Any) -> Judging:
    return Judging(tmp_path, Scripted(says), **options)


def test_a_new_passage_corrects_an_old_one(tmp_path: Path) -> None:
    old, new = "The ticket costs 5 € for adults.", "Since May the ticket costs 7 € for adults."

    def says(claim: str, texts: list[str]) -> tuple[str, ...]:
        quote = new if new in texts else old
        if quote not in texts:
            return ("NO_EVIDENCE",)
        agrees = claim.split(" for")[0].split("costs ")[1] in quote
        return ("FULLY_SUPPORTED" if agrees else "CONTRADICTORY", quote.rstrip("."))

    judging = scripted(tmp_path, says)
    claims = ["The ticket costs 5 € for adults.", "The ticket costs 7 € for adults."]
    (result,) = judging.run(of(claims, [old, HATS, TRAMS]))
    assert verdicts(result) == ["FULLY_SUPPORTED", "CONTRADICTORY"]
    (result,) = judging.run(of(claims, [old, HATS, TRAMS, new]))
    assert verdicts(result) == ["CONTRADICTORY", "FULLY_SUPPORTED"]
    assert carried(result) == [False, False]
    # and the correction goes: the old verdicts are exact
    (result,) = judging.run(of(claims, [old, HATS, TRAMS]))
    assert verdicts(result) == ["FULLY_SUPPORTED", "CONTRADICTORY"]


def test_support_by_two_passages_of_which_one_goes(tmp_path: Path) -> None:
    one, two = "Anna Berg founded the Boat Club.", "The Boat Club opened in 1889."
    claim = "Anna Berg founded the Boat Club, which opened in 1889."

    def says(_: str, texts: list[str]) -> tuple[str, ...]:
        quotes = [text.rstrip(".") for text in (one, two) if text in texts]
        label = ["NO_EVIDENCE", "PARTIALLY_SUPPORTED", "FULLY_SUPPORTED"][len(quotes)]
        return (label, *quotes)

    judging = scripted(tmp_path, says)
    judging.run(of(claim, [one, two, HATS]))
    (result,) = judging.run(of(claim, [two, one]))
    assert (verdicts(result), carried(result)) == (["FULLY_SUPPORTED"], [True])
    for passages in ([one, HATS], [two, HATS]):
        (result,) = judging.run(of(claim, passages))
        assert (verdicts(result), carried(result)) == (["PARTIALLY_SUPPORTED"], [False])


@pytest.mark.parametrize(
    "claim", ["It costs 5 coins.", "The lamp there costs 5 coins.", "Its price is 5 coins."]
)
def test_a_claim_that_leaves_a_reference_open(tmp_path: Path, claim: str) -> None:
    judging = scripted(tmp_path, lambda *_: ("NO_EVIDENCE",))
    judging.run(of(claim, [LAMP, HATS]))
    assert judging.asked(of(claim, [LAMP])) == [judged(claim, LAMP)]


def test_the_same_claim_under_another_question(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS], question="What does the lamp cost?"))
    (result,) = judging.run(of(LAMP, [LAMP], question="Is the lamp cheap?"))
    # a judge of claims never gets the question: it would say the same
    assert (verdicts(result), carried(result)) == (["FULLY_SUPPORTED"], [True])


def test_a_packed_verdict_is_asked_for_anew(tmp_path: Path) -> None:
    long = [f"{text} {'Nothing else is known of it. ' * 80}" for text in (LAMP, HATS, TRAMS)]
    judging = Judging(tmp_path, token_budget=1000)
    assert len(judging.asked(of(LAMP, long))) > 1
    assert any(reply.get("packed") for _, _, reply, _ in judging.records().values())
    # the message on the first passage was answered, so that it is not sent again
    (result,) = judging.run(of(LAMP, long[:1]))
    assert (verdicts(result), carried(result)) == (["FULLY_SUPPORTED"], [False])
    (result,) = judging.run(of(LAMP, long[1:]))
    assert (verdicts(result), carried(result)) == (["NO_EVIDENCE"], [False])


def test_nothing_is_carried_where_hashes_are_left_out(tmp_path: Path) -> None:
    judging = Judging(tmp_path, store_passages="off")
    judging.run(of([LAMP, BOAT], [LAMP, HATS]))
    assert judging.asked(of([LAMP, BOAT], [LAMP])) == [judged(LAMP, LAMP), judged(BOAT, LAMP)]


def test_another_sampling_model_or_vote_is_no_source(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS]))
    assert judging.asked(of(LAMP, [LAMP]), temperature=1.0) == [judged(LAMP, LAMP)]
    # the first of two votes is carried, the second was never asked for
    assert judging.asked(of(LAMP, [LAMP]), votes=2) == [judged(LAMP, LAMP)]


@pytest.mark.parametrize("backwards", [False, True])
def test_what_an_earlier_version_kept_is_a_source_from_the_next_run_on(
    judging: Judging, backwards: bool
) -> None:
    whole = {
        "passages": [{"id": 1, "text": LAMP}, {"id": 2, "text": HATS}, {"id": 3, "text": TRAMS}],
        "claims": [{"id": 1, "text": LAMP.rstrip(".")}],
    }
    sampling = {"temperature": 0.0, "top_p": None, "seed": None, "max_tokens": None}
    asked = Question(VERIFY_CLAIMS, whole, judging.judge.id, "", sampling)
    said = {**VERDICT, "id": 1, "evidence": [{"passage": 1, "quote": LAMP.rstrip(".")}]}
    with open_store(judging.folder / "store") as store:
        text = Answer({"verdicts": [said]}).to_text(asked, of_format=2)
        question = json.dumps({**json.loads(asked.to_text()), "format": 2})
        store.put_many([(asked.key, text), (question_key(asked.key), question)])
    cases = [of(LAMP, [LAMP, HATS, TRAMS]), of(LAMP, [LAMP, HATS])]
    found = judging.asked(*(cases[::-1] if backwards else cases), one_by_one=True)
    assert found == [judged(LAMP, LAMP, HATS)]
    assert judging.asked(of(LAMP, [LAMP, TRAMS])) == []


# -- when it is void -------------------------------------------------------------------------------


def test_a_source_that_is_asked_again_and_says_otherwise(tmp_path: Path) -> None:
    said = ["FULLY_SUPPORTED"]
    judging = scripted(tmp_path, lambda *_: (said[0], LAMP.rstrip(".")))
    whole, part = of(LAMP, [LAMP, HATS]), of(LAMP, [LAMP])
    judging.run(whole)
    assert judging.asked(part) == []
    # the same again changes nothing
    assert judging.asked(whole, record_mode="all") == [judged(LAMP, LAMP, HATS)]
    assert judging.asked(part) == []
    said[0] = "NO_EVIDENCE"
    judging.run(whole, record_mode="all")
    (error,) = judging.run(part, record_mode="none", reuse="exact")
    assert isinstance(error, VerdictMissing)
    # carried over anew from what the source says now
    (result,) = judging.run(part)
    assert (verdicts(result), carried(result)) == (["NO_EVIDENCE"], [True])
    said[0] = "PARTIALLY_SUPPORTED"
    judging.run(whole, record_mode="all")
    assert judging.asked(part) == []
    # where that holds no longer without the others, it is asked for
    said[0] = "CONTRADICTORY"
    judging.run(whole, record_mode="all")
    assert judged(LAMP, LAMP) in judging.asked(part)


def test_mode_all_asks_for_what_was_carried(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS]))
    judging.run(of(LAMP, [LAMP]))
    assert judging.asked(of(LAMP, [LAMP]), record_mode="all") == [judged(LAMP, LAMP)]
    (result,) = judging.run(of(LAMP, [LAMP]))
    assert carried(result) == [False]


def test_exact_reuse_carries_nothing_and_takes_nothing_that_was_carried(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS, TRAMS]))
    judging.run(of(LAMP, [LAMP, HATS]))
    for passages in ([LAMP, HATS], [LAMP, TRAMS]):
        asked = judging.asked(of(LAMP, passages), reuse="exact")
        assert asked == [judged(LAMP, *passages)]
    (result,) = judging.run(of(LAMP, [LAMP, HATS]))
    assert carried(result) == [False]


def test_refreshing_asks_again_for_what_was_carried_and_for_nothing_else(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS, TRAMS]))
    judging.run(of(LAMP, [LAMP, HATS]))
    again = [of(LAMP, [LAMP, HATS, TRAMS]), of(LAMP, [HATS, LAMP], id="d"), of(LAMP, [LAMP])]
    assert judging.asked(*again, refresh="carried") == [judged(LAMP, LAMP, HATS)]
    (result,) = judging.run(of(LAMP, [LAMP, HATS]))
    assert carried(result) == [False]


# -- replay ----------------------------------------------------------------------------------------


def test_a_replay_carries_over_and_writes_nothing(judging: Judging) -> None:
    judging.run(of(LAMP, [LAMP, HATS, TRAMS]), of(LAMP, [RAIN], id="d"))
    before = judging.records()
    count = len(judging.judge.judged)
    for passages in ([LAMP, TRAMS], [RAIN, TRAMS, HATS, LAMP]):
        (result,) = judging.run(of(LAMP, passages), record_mode="none")
        assert (verdicts(result), carried(result)) == (["FULLY_SUPPORTED"], [True])
    # nobody knows what the new passage says
    (error,) = judging.run(of(LAMP, [LAMP, HATS, TRAMS, BOAT]), record_mode="none")
    assert isinstance(error, VerdictMissing)
    assert judging.records() == before
    assert len(judging.judge.judged) == count


# -- errors ----------------------------------------------------------------------------------------


def test_a_judge_that_fails_on_what_is_new_fails_the_claim(tmp_path: Path) -> None:
    fails = [False]

    def says(_: str, texts: list[str]) -> tuple[str, ...]:
        if fails[0] and texts == [RAIN]:
            raise ValueError("no")
        return ("FULLY_SUPPORTED", LAMP.rstrip(".")) if LAMP in texts else ("NO_EVIDENCE",)

    judging = scripted(tmp_path, says)
    judging.run(of(LAMP, [LAMP, HATS, TRAMS]))
    fails[0] = True
    after = of(LAMP, [LAMP, HATS, TRAMS, RAIN])
    found = judging.run(after, after, of(LAMP, [RAIN], id="d"))
    assert [type(one) for one in found] == [JudgeError] * 3
    # an error is asked about once in a run
    assert judging.judge.judged[1:] == [judged(LAMP, RAIN)]
    fails[0] = False
    (result,) = judging.run(after)
    assert (verdicts(result), carried(result)) == (["FULLY_SUPPORTED"], [True])
