"""Verdicts are kept by claim and set of passages, relevance by passage: each is asked for once."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, MetricResult, Settings
from pytest_ragassert.judgements import Verdict
from pytest_ragassert.metrics.metric import Ask, Metric
from pytest_ragassert.runtime.canonical_json import Json, canonical_json
from pytest_ragassert.steps.evidence.passage_hashes import text_hash
from pytest_ragassert.steps.judge_passages import JUDGE_PASSAGES
from pytest_ragassert.steps.step import Step
from pytest_ragassert.steps.verify_claims import VERIFY_CLAIMS

from .judged_runs import measured_in_run, results_of

CLAIMS = ["The tram is red.", "It stops here.", "The bus is late.", "Rain fell."]
PASSAGES = ["The tram is red and long.", "It stops here at night.", "Snow fell.", "Nobody came."]
BLANK = ["", " ", "\u200b"]


def numbered(texts: Sequence[str]) -> list[Json]:
    return [{"id": id, "text": text} for id, text in enumerate(texts, start=1)]


def held(claims: Sequence[str], passages: Sequence[str]) -> Json:
    return {"passages": numbered(passages), "claims": numbered(claims)}


def seen(passages: Sequence[str], reference: str | None = None) -> Json:
    return {"question": "Why?", "reference": reference, "passages": numbered(passages)}


# -- the steps -------------------------------------------------------------------------------------

some_passages = st.lists(st.sampled_from([*PASSAGES, *BLANK]), min_size=1, max_size=6)
some_claims = st.lists(st.sampled_from(CLAIMS), min_size=1, max_size=4)


@st.composite
def replies(draw: st.DrawFn) -> tuple[Json, Json]:
    """A question about claims, and a reply to it as the step reads one."""
    input = held(draw(some_claims), draw(some_passages))
    quotes = st.fixed_dictionaries(
        {
            "passage": st.none() | st.integers(-1, 8),
            "quote": st.sampled_from([*PASSAGES, "tram", "is red"]),
        }
    )
    said = [
        {
            "id": claim["id"],
            "reason": draw(st.none() | st.sampled_from(["so", "or so"])),
            "evidence": draw(st.lists(quotes, max_size=4)),
            "verdict": draw(st.sampled_from([one.value for one in Verdict])),
            "confidence": draw(st.none() | st.floats(0, 1)),
        }
        for claim in input["claims"]
    ]
    reply = VERIFY_CLAIMS.read(input, {"verdicts": said}).reply
    for flag in ("conflict", "packed"):
        place = draw(st.none() | st.integers(0, len(said) - 1))
        if place is not None:
            reply["verdicts"][place][flag] = True
    return input, reply


def first_places(input: Json, reply: Json) -> Json:
    """The reply, with each passage named by the first place that it stands at."""
    texts = {one["id"]: one["text"] for one in input["passages"] if one["text"] not in BLANK}
    first = {text: id for id, text in reversed(texts.items())}
    verdicts = []
    for said in reply["verdicts"]:
        quotes: list[Json] = []
        for quote in said["evidence"]:
            own = {**quote, "passage": first.get(texts.get(quote["passage"], ""))}
            quotes += [] if own in quotes else [own]
        verdicts.append({**said, "evidence": quotes})
    return {"verdicts": verdicts}


@given(replies(), st.data())
def test_what_is_assembled_is_the_reply_with_passages_named_once(
    one: tuple[Json, Json], data: st.DataObject
) -> None:
    input, reply = one
    places = range(len(input["claims"]))
    inputs = VERIFY_CLAIMS.judgement_inputs(input)
    kept = VERIFY_CLAIMS.judgement_replies(input, reply, places)
    for judgement, own in zip(inputs, kept, strict=True):
        # as a store gives it back
        own = json.loads(canonical_json(own))
        assert VERIFY_CLAIMS.fits(judgement, own)
        assert VERIFY_CLAIMS.fits(judgement, VERIFY_CLAIMS.without_passages(own))
        assert not {text_hash(text) for text in BLANK} & set(judgement["passages"])
    assert VERIFY_CLAIMS.assembled(input, kept) == first_places(input, reply)
    # the same set of passages, in another order and more often
    shown = data.draw(st.permutations([*input["passages"], *data.draw(some_of(input))]))
    mixed = {**input, "passages": numbered([one["text"] for one in shown])}
    assert VERIFY_CLAIMS.judgement_inputs(mixed) == inputs
    again = VERIFY_CLAIMS.judgement_replies(mixed, VERIFY_CLAIMS.assembled(mixed, kept), places)
    assert again == kept
    # and what was narrowed says the same at its places
    some = sorted(data.draw(st.sets(st.sampled_from(places), min_size=1)))
    narrow = VERIFY_CLAIMS.narrowed(input, some)
    assert [claim["id"] for claim in narrow["claims"]] == [place + 1 for place in some]
    part = {"verdicts": [reply["verdicts"][place] for place in some]}
    assert VERIFY_CLAIMS.judgement_replies(input, part, some) == [kept[place] for place in some]


def some_of(input: Json) -> st.SearchStrategy[list[Json]]:
    return st.lists(st.sampled_from(input["passages"]), max_size=2)


GOOD = {
    "verdict": "FULLY_SUPPORTED",
    "reason": "so",
    "confidence": 0.5,
    "evidence": [{"passage": text_hash(PASSAGES[0]), "quote": "tram"}],
}


@pytest.mark.parametrize(
    "wrong",
    [
        {"verdict": "MAYBE"},
        {"verdict": None},
        {"reason": " so"},
        {"reason": ""},
        {"reason": 1},
        {"confidence": 1},
        {"confidence": True},
        {"confidence": 1.5},
        {"confidence": float("nan")},
        {"conflict": False},
        {"packed": 1},
        {"id": 1},
        {"evidence": None},
        {"evidence": [{"passage": 1, "quote": "tram"}]},
        {"evidence": [{"passage": "1", "quote": "tram"}]},
        {"evidence": [{"passage": None, "quote": " "}]},
        {"evidence": [{"passage": None, "quote": "tram "}]},
        {"evidence": [{"passage": None, "quote": None}]},
        {"evidence": [{"passage": None}]},
        {"evidence": [{"passage": None, "quote": "tram", "more": 1}]},
        {"evidence": [{"passage": None, "quote": "tram"}] * 2},
        {"evidence": [{"passage": None, "quote": quote} for quote in "abcd"]},
    ],
    ids=str,
)
def test_what_no_reader_made_is_no_reply(wrong: Json) -> None:
    assert VERIFY_CLAIMS.is_whole(GOOD)
    assert not VERIFY_CLAIMS.is_whole({**GOOD, **wrong})
    for name in GOOD:
        assert not VERIFY_CLAIMS.is_whole({n: value for n, value in GOOD.items() if n != name})


def test_a_reply_that_quotes_what_was_not_there_does_not_fit() -> None:
    asked, other = (
        VERIFY_CLAIMS.judgement_inputs(held(CLAIMS[:1], passages))[0]
        for passages in (PASSAGES, PASSAGES[1:])
    )
    assert VERIFY_CLAIMS.fits(asked, GOOD)
    assert not VERIFY_CLAIMS.fits(other, GOOD)


@given(some_passages, st.data())
def test_each_passage_is_judged_by_itself(passages: list[str], data: st.DataObject) -> None:
    input = seen(passages)
    relevant = data.draw(
        st.lists(st.booleans(), min_size=len(passages), max_size=len(passages)).map(tuple)
    )
    reply = {
        "passages": [
            {"id": id, "reason": None, "relevant": said}
            for id, said in enumerate(relevant, start=1)
        ]
    }
    places = range(len(passages))
    inputs = JUDGE_PASSAGES.judgement_inputs(input)
    assert [one["passage"] for one in inputs] == passages
    kept = JUDGE_PASSAGES.judgement_replies(input, reply, places)
    assert all(map(JUDGE_PASSAGES.fits, inputs, kept))
    assert JUDGE_PASSAGES.assembled(input, kept) == reply
    assert not JUDGE_PASSAGES.is_whole({**kept[0], "relevant": 1})
    assert not JUDGE_PASSAGES.is_whole({**kept[0], "id": 1})
    assert not JUDGE_PASSAGES.is_whole(reply)


# -- runs ------------------------------------------------------------------------------------------


class Judged(Metric):
    """Only asks; what was replied stands in the details."""

    name = "judged"
    asks_only = True

    async def measure(self, case: EvalCase, ask: Ask, *_: Any, **options: Any) -> MetricResult:
        claims, passages = asked_of(case)
        checked, judged = await ask.together(
            [
                ask("verify_claims", held(claims, passages)),
                ask("judge_passages", seen(passages, case.question)),
            ]
        )
        return MetricResult(metric=self.name, score=1.0, details={**checked, **judged})


class BySet:
    """Says of each claim what follows from it and the set of passages alone.

    Attributes:
        judged: what was asked of it, each time that it was.
    """

    id = "by-set"

    def __init__(self) -> None:
        self.judged: list[Any] = []
        self.messages: list[Json] = []

    def run(self, step: Step, input: Json) -> str:
        self.messages.append(input)
        texts = [one["text"] for one in input["passages"]]
        if step.name == "judge_passages":
            self.judged += [(input["reference"], text) for text in texts]
            said = [
                {"id": one["id"], "relevant": "tram" in one["text"], "reason": one["text"]}
                for one in input["passages"]
            ]
            return json.dumps({"passages": said})
        verdicts = []
        for claim in input["claims"]:
            self.judged.append((claim["text"], frozenset(texts)))
            quoted = sorted(text for text in set(texts) if text.split()[-1] > claim["text"])
            evidence = [{"passage": texts.index(text) + 1, "quote": text} for text in quoted[:2]]
            label = list(Verdict)[len(quoted) % 4].value
            reason = f"{claim['text']} of {sorted(set(texts))}"
            verdicts.append(
                {"id": claim["id"], "reason": reason, "evidence": evidence, "verdict": label}
            )
        return json.dumps({"verdicts": verdicts})


class Judging:
    """Runs with one store, and the judge that they ask; nothing is carried over."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.judge = BySet()
        options = {"reuse": "exact", **options}
        self._settings = Settings(judge="mine", cache_dir=folder, **options)

    def run(self, *cases: EvalCase) -> list[Any]:
        """What a run of its own makes of the cases: results, or errors."""
        made = [Judged()]
        return results_of(
            measured_in_run(self._settings, self.judge, "judged", cases, metrics=made)
        )


@pytest.fixture
def judging(tmp_path: Path) -> Judging:
    return Judging(tmp_path / "store")


def of(claims: Sequence[str], passages: Sequence[str], question: str = "Why?") -> EvalCase:
    return EvalCase(
        id="c", question=question, answer="\n".join(claims), retrieved_contexts=list(passages)
    )


def asked_of(case: EvalCase) -> tuple[list[str], list[str]]:
    """Claims and passages of a case that `of` made."""
    passages = [text for text in case.retrieved_contexts or () if text is not None]
    return list(dict.fromkeys((case.answer or "").split("\n"))), passages


suites = st.lists(
    st.builds(
        of,
        some_claims,
        st.lists(st.sampled_from(PASSAGES), min_size=1, max_size=4),
        st.sampled_from(["Why?", "When?"]),
    ),
    min_size=1,
    max_size=5,
)


@examples(max_examples=25)
@given(suites, st.booleans(), st.randoms(use_true_random=False))
def test_the_same_are_asked_for_in_any_order_and_none_twice(
    cases: list[EvalCase], together: bool, how: Any
) -> None:
    def asked(folder: str, suite: list[EvalCase], apart: bool) -> tuple[Counter[Any], list[Any]]:
        # the judge says of a set what none of its parts says
        judging = Judging(Path(folder, "store"), reuse="exact")
        results = [judging.run(one)[0] for one in suite] if apart else judging.run(*suite)
        assert all(isinstance(one, MetricResult) for one in results), results
        # a request for each question at most
        assert len(judging.judge.messages) <= 2 * len(suite)
        return Counter(judging.judge.judged), [one.details for one in results]

    shuffled = how.sample(range(len(cases)), len(cases))
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        first, details = asked(one, cases, together)
        second, mixed = asked(other, [cases[place] for place in shuffled], not together)
    assert first == second
    assert max(first.values()) == 1
    assert mixed == [details[place] for place in shuffled]
    for case, found in zip(cases, details, strict=True):
        # what asking it alone says
        input = held(*asked_of(case))
        said = VERIFY_CLAIMS.read(input, json.loads(BySet().run(VERIFY_CLAIMS, input))).reply
        assert found["verdicts"] == first_places(input, said)["verdicts"]


def test_reordered_and_repeated_passages_are_known(judging: Judging) -> None:
    (first,) = judging.run(of(CLAIMS[:2], PASSAGES[:3]))
    (again,) = judging.run(of(CLAIMS[:2], [PASSAGES[2], *PASSAGES[:3]]))
    assert (again.requests, again.stored, len(judging.judge.messages)) == (0, True, 2)
    one, other = (result.details["verdicts"][0]["evidence"] for result in (first, again))
    assert [quote["quote"] for quote in one] == [quote["quote"] for quote in other]
    assert [quote["passage"] for quote in one] != [quote["passage"] for quote in other]
    # another test over some of the claims
    (some,) = judging.run(of(CLAIMS[1:2], PASSAGES[:3][::-1]))
    assert some.stored


def test_what_is_not_known_is_asked_for_in_the_order_of_the_case(judging: Judging) -> None:
    judging.run(of(CLAIMS[:2], PASSAGES[:3]))
    (result,) = judging.run(of([CLAIMS[2], CLAIMS[0], CLAIMS[3]], PASSAGES[:3][::-1]))
    (message,) = judging.judge.messages[2:]
    assert message["passages"] == numbered(PASSAGES[:3][::-1])
    wanted = [(one["id"], one["text"]) for one in message["claims"]]
    assert wanted == [(1, CLAIMS[2]), (3, CLAIMS[3])]
    assert (result.requests, len(result.details["verdicts"])) == (1, 3)
    # of one more passage it is asked alone, and of all claims against the larger set
    (result,) = judging.run(of(CLAIMS[:2], PASSAGES))
    asked = {message.get("claims") is None: message for message in judging.judge.messages[3:]}
    assert asked[True]["passages"] == [{"id": 4, "text": PASSAGES[3]}]
    assert asked[False]["claims"] == numbered(CLAIMS[:2])


def test_hashes_of_passages_are_left_out_where_that_is_wanted(tmp_path: Path) -> None:
    named, unnamed = (
        Judging(tmp_path / name, store_passages=how) for name, how in (("a", "on"), ("b", "off"))
    )
    case = of(CLAIMS[:1], PASSAGES[:1])
    for judging in (named, unnamed):
        judging.run(case)
    hashed = text_hash(PASSAGES[0])
    for folder, there in ((tmp_path / "a", True), (tmp_path / "b", False)):
        records = stored_answers(folder)
        assert any(hashed in record["passages"] for record in records) is there
        assert (hashed in canonical_json([record["reply"] for record in records])) is there
    # the same in every run, whichever way it was stored
    both = Judging(tmp_path / "a", store_passages="off")
    (first,) = unnamed.run(case)
    (again,) = both.run(case)
    assert both.judge.messages == []
    assert first.details == again.details
    assert [q["passage"] for v in first.details["verdicts"] for q in v["evidence"]] == [None]


def stored_answers(folder: Path) -> list[Json]:
    from pytest_ragassert.storage.contents import content_of
    from pytest_ragassert.storage.open_store import open_store

    with open_store(folder) as store:
        contents = [content_of(row) for row in store.rows()]
    assert {one.kind for one in contents} == {"answer", "question", "passage"}
    return [one.record for one in contents if one.kind == "answer"]
