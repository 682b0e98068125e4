"""An assertion that lacks verdicts is decided where no verdict could change it, and only there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, MetricResult, Settings, Verdict, VerdictMissing
from pytest_ragassert.engine.asking import AskAtOnce
from pytest_ragassert.engine.bounds import bounds as bounds_module
from pytest_ragassert.engine.bounds.bounds import Bounds
from pytest_ragassert.engine.jobs import Job
from pytest_ragassert.engine.session import Session
from pytest_ragassert.judging.calls.event_loop import without_loop
from pytest_ragassert.language.number_format import TOLERANCE
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.evidence import ranking
from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.steps.evidence.passage_hashes import text_hash
from pytest_ragassert.storage.answers import Answer, Embedding
from pytest_ragassert.storage.committed.verdict_line import BY_HAND, OVERRIDE, VerdictLine
from pytest_ragassert.storage.keys import Question
from pytest_ragassert.storage.overrides import Overrides

BOATS = [f"Boat number {number} is green." for number in range(6)]
CONTEXTS = [f"Context number {number} speaks of several boats." for number in range(5)]
# The sessions are for all examples.
FIXTURE = [HealthCheck.function_scoped_fixture]
# What a judge says of a claim: a verdict, and whether a quote proves it.
Said = tuple[str, bool]
EVERY: list[Said] = list(product((verdict.value for verdict in Verdict), (True, False)))
# By claim or passage, what is held against, model and sample; None: nobody has judged it.
Table = dict[tuple[str, str, str, int], Any]


class ScriptedAsker:
    """Knows of the judgements of a session's questions what stands in a table.

    Each sentence is a claim. What is not in the table counts as told by `otherwise`.
    """

    def __init__(self, session: Session, table: Table, otherwise: Any = None) -> None:
        self._asker = session.asker
        self._table = table
        self._otherwise = otherwise
        self.embeddings = Vectors()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._asker, name)

    def known(self, question: Question) -> dict[str, Answer]:
        replies = {one.key: self._reply(question, one) for one in question.judgements}
        return {
            key: Answer(reply, stored=True) for key, reply in replies.items() if reply is not None
        }

    def _reply(self, question: Question, one: Question) -> Json | None:
        match question.step.name:
            case "extract_claims":
                return {"claims": [one.input["sentence"]]}
            case "generate_questions":
                return {"questions": ["Which boats are green?", NEAR, FAR]}
            case "judge_passages":
                said = self._said(one.input["passage"], str(one.input["reference"]), one)
                return None if said is None else {"relevant": said, "reason": "read"}
        texts = [passage["text"] for passage in question.input["passages"]]
        said = self._said(one.input["claim"], text_hash(" ".join(sorted(texts))), one)
        if said is None:
            return None
        verdict, proven = said
        # not all of it, which may only repeat the claim
        quote = {"passage": text_hash(texts[0]), "quote": texts[0].rpartition(" ")[0]}
        quotes = [quote] if proven else []
        return {"verdict": verdict, "reason": "read", "confidence": None, "evidence": quotes}

    def _said(self, item: str, against: str, one: Question) -> Any:
        place = item, against, one.model, one.sample
        if place not in self._table:
            self._table[place] = self._otherwise
        return self._table[place]


@pytest.fixture
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Session]]:
    made: dict[str, Session] = {}

    def session(**options: Any) -> Session:
        if str(options) in made:
            return made[str(options)]
        given: dict[str, Any] = {
            "model": ("judge-a",),
            "judge": "openai",
            "record_mode": "none",
            "cache_dir": tmp_path_factory.mktemp("store"),
        }
        made[str(options)] = Session(Settings(**{**given, **options}))
        return made[str(options)]

    yield session
    for one in made.values():
        one.close()


def case(answer: int = 3, reference: int = 2, contexts: int = 3, **fields: Any) -> EvalCase:
    given: dict[str, Any] = {
        "id": "boats",
        "question": "Which boats are green?",
        "answer": " ".join(BOATS[:answer]),
        "ground_truth_answer": " ".join(BOATS[-reference:]),
        "retrieved_contexts": CONTEXTS[:contexts],
    }
    return EvalCase(**{**given, **fields})


def score(asker: Any, job: Job) -> float:
    draft = without_loop(
        job.metric.measure(job.case, AskAtOnce(asker, job.models, job.votes), **job.options)
    )
    assert isinstance(draft, MetricResult)
    return draft.score


def scores(session: Session, job: Job, table: Table) -> set[float]:
    """Those of each way to decide what is missing, by measuring each."""
    missing = [place for place, said in table.items() if said is None]
    options = [EVERY if _is_claim(place) else [False, True] for place in missing]
    return {
        score(ScriptedAsker(session, {**table, **dict(zip(missing, chosen, strict=True))}), job)
        for chosen in product(*options)
    }


def _is_claim(place: tuple[str, str, str, int]) -> bool:
    return not place[0].startswith("Context")


def bounds_of(session: Session, job: Job, table: Table) -> Bounds:
    asker: Any = ScriptedAsker(session, table)
    return Bounds(job, asker, VerdictMissing("no stored verdict"))


def lacks(session: Session, job: Job, table: Table) -> bool:
    """Whether the measurement asks for something that is missing."""
    try:
        score(ScriptedAsker(session, table), job)
    except VerdictMissing:
        return True
    return False


def places(session: Session, job: Job) -> list[tuple[str, str, str, int]]:
    """All judgements that a measurement may need, in its order."""
    table: Table = {}

    class All(ScriptedAsker):
        def _said(self, item: str, against: str, one: Question) -> Any:
            super()._said(item, against, one)
            return ("NO_EVIDENCE", False) if _is_claim((item, against, "", 0)) else False

    score(All(session, table), job)
    return list(table)


METRICS: dict[str, dict[str, Any]] = {
    "faithfulness": {},
    "faithfulness strict": {"strict_mode": True},
    "faithfulness odd": {
        "verdict_scores": {
            "NO_EVIDENCE": 0.9,
            "FULLY_SUPPORTED": -2,
            "PARTIALLY_SUPPORTED": 0.3,
            "CONTRADICTORY": 0.6,
        }
    },
    "faithfulness ratio": {"scoring": "ratio"},
    "factual_f1": {},
    "factual_precision": {},
    "factual_recall": {},
    "context_recall": {},
    "context_relevance": {},
    "context_precision": {},
    "context_precision unranked": {"ranked": False},
    "evidence": {},
    "evidence required": {"require_evidence_for_correct": True, "uncertain_weight": 0.2},
    "ragas_score": {},
}


@st.composite
def tables(draw: st.DrawFn, all_places: list[Any], most: int) -> Table:
    """Something is said of all but some of the judgements."""
    missing = draw(
        st.lists(st.sampled_from(all_places), min_size=1, max_size=most, unique=True),
        label="missing",
    )
    said = st.sampled_from(EVERY)
    return {
        place: None
        if place in missing
        else draw(said if _is_claim(place) else st.booleans(), label=str(place))
        for place in all_places
    }


def check(bounds: Bounds, reached: set[float], minimum: float) -> None:
    low, high = min(reached), max(reached)
    least = minimum - TOLERANCE
    expected = True if low >= least else False if high < least else None
    assert bounds.decided is expected, (low, high, minimum)
    if bounds.interval is not None:
        assert bounds.interval == pytest.approx((low, high))
    if expected is not None:
        assert bounds.interval is not None


@pytest.mark.parametrize("name", METRICS)
@given(data=st.data(), minimum=st.sampled_from([0.2, 0.35, 0.5, 0.65, 0.8, 1.0]))
@settings(deadline=None, max_examples=10, suppress_health_check=FIXTURE)
def test_it_is_decided_where_every_way_ends_alike(
    sessions: Callable[..., Session], name: str, data: st.DataObject, minimum: float
) -> None:
    session = sessions()
    metric = name.partition(" ")[0]
    job = session.job(case(), metric, METRICS[name], minimum, asserted=True)
    every = places(session, job)
    # each missing claim makes eight times as many ways
    most = 2 if any(map(_is_claim, every)) else 4
    table = data.draw(tables(every, most))
    check(bounds_of(session, job, table), scores(session, job, table), minimum)


@pytest.mark.parametrize(
    ("metric", "models", "votes"),
    [
        ("faithfulness", 1, 3),
        ("faithfulness", 2, 1),
        ("faithfulness", 2, 2),
        ("factual_f1", 1, 2),
        ("context_relevance", 1, 3),
        ("context_relevance", 3, 1),
    ],
)
@pytest.mark.parametrize("aggregate", ["mean", "majority", "min"])
@given(data=st.data(), minimum=st.sampled_from([0.25, 0.5, 0.75, 1.0]))
@settings(deadline=None, max_examples=6, suppress_health_check=FIXTURE)
def test_votes_and_ensembles_are_exact(
    sessions: Callable[..., Session],
    metric: str,
    models: int,
    votes: int,
    aggregate: str,
    data: st.DataObject,
    minimum: float,
) -> None:
    session = sessions(model=tuple(f"judge-{n}" for n in range(models)), votes=votes)
    options = {"aggregate": aggregate}
    job = session.job(case(2, 1, 2), metric, options, minimum, asserted=True)
    table = data.draw(tables(places(session, job), most=2))
    check(bounds_of(session, job, table), scores(session, job, table), minimum)


def test_a_persons_verdict_is_known_whatever_the_judge_would_say(
    sessions: Callable[..., Session],
) -> None:
    session = sessions()
    job = session.job(case(2), "faithfulness", {}, 0.7, asserted=True)
    table: Table = dict.fromkeys(places(session, job), ("FULLY_SUPPORTED", True))
    table[next(iter(table))] = None
    asker: Any = ScriptedAsker(session, table)
    said = {"verdict": "PARTIALLY_SUPPORTED", "reason": "read it"}
    id = claim_id(BOATS[0], CONTEXTS[:3])
    asker.overrides = Overrides([VerdictLine(id, OVERRIDE, BY_HAND, BOATS[0], said)])
    bounds = Bounds(job, asker, VerdictMissing("no stored verdict"))
    assert (bounds.decided, bounds.interval) == (True, (0.75, 0.75))
    result = bounds.result("judge-a").result
    assert result is not None
    assert [(claim.text, claim.verdict.value) for claim in result.claims] == [
        (BOATS[0], "PARTIALLY_SUPPORTED"),
        (BOATS[1], "FULLY_SUPPORTED"),
    ]
    assert (result.claims[0].by_hand, result.claims[0].judged) == ("read it", None)
    assert result.reason == "2 claims: 1 partly supported, 1 supported"


def test_claims_of_which_something_is_assumed_are_left_out(
    sessions: Callable[..., Session],
) -> None:
    session = sessions(votes=3)
    job = session.job(case(3), "faithfulness", {}, 0.9, asserted=True)
    full, none = ("FULLY_SUPPORTED", True), ("NO_EVIDENCE", False)
    # what most say of the first is known without the third vote
    votes: dict[str, list[Any]] = {BOATS[0]: [full, full, None], BOATS[1]: [none, none, none]}
    table: Table = {
        place: votes.get(place[0], [None] * 3)[place[3]] for place in places(session, job)
    }
    bounds = bounds_of(session, job, table)
    assert bounds.decided is False
    result = bounds.result("judge-a").result
    assert result is not None
    assert [claim.text for claim in result.claims] == BOATS[:2]
    # nobody knows the third vote
    assert (result.claims[0].votes, result.claims[1].votes) == ({}, {"NO_EVIDENCE": 3})
    assert result.reason == "3 claims: 1 no evidence, 1 supported, 1 not judged"


def test_where_there_are_too_many_ways_it_stays_open(
    sessions: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = sessions()
    job = session.job(case(contexts=5), "context_precision", {}, 0.0, asserted=True)
    table: Table = dict.fromkeys(places(session, job))
    assert bounds_of(session, job, table).decided is True
    monkeypatch.setattr(bounds_module, "MOST_WORLDS", 2**4)
    assert bounds_of(session, job, table).decided is None


def test_a_run_that_writes_a_baseline_wants_scores(
    sessions: Callable[..., Session], tmp_path: Path
) -> None:
    writing = {"baseline": tmp_path / "baseline.jsonl", "update_baseline": "on"}
    for options, decided in (({}, True), (writing, None)):
        session = sessions(**options)
        job = session.job(case(), "faithfulness", {}, 0.0, asserted=True)
        table: Table = dict.fromkeys(places(session, job))
        assert bounds_of(session, job, table).decided is decided
        evaluated = session.job(case(), "faithfulness", {}, 0.0)
        assert bounds_of(session, evaluated, table).decided is None


def test_what_is_best_for_a_claim_follows_from_its_other_votes(
    sessions: Callable[..., Session],
) -> None:
    """One claim needs full support for its best verdict, the other one partial support."""
    session = sessions(votes=3)
    job = session.job(case(2), "faithfulness", {}, 0.7, asserted=True)
    votes = {BOATS[0]: ["FULLY_SUPPORTED", "CONTRADICTORY"]}
    votes[BOATS[1]] = ["NO_EVIDENCE", "PARTIALLY_SUPPORTED"]
    table: Table = {
        place: (votes[place[0]][place[3]], True) if place[3] < 2 else None
        for place in places(session, job)
    }
    bounds = bounds_of(session, job, table)
    check(bounds, scores(session, job, table), 0.7)
    assert bounds.decided is None
    assert bounds.interval == pytest.approx((0, 0.75))


@pytest.mark.parametrize(("models", "votes"), [(1, 1), (1, 2), (2, 1)])
@given(data=st.data(), minimum=st.sampled_from([0.25, 0.5, 0.75]))
@settings(deadline=None, max_examples=10, suppress_health_check=FIXTURE)
def test_what_is_looked_for_in_the_rest_too(
    sessions: Callable[..., Session],
    monkeypatch: pytest.MonkeyPatch,
    models: int,
    votes: int,
    data: st.DataObject,
    minimum: float,
) -> None:
    """`evidence` asks about the other passages where the first ones say nothing."""
    monkeypatch.setattr(ranking, "FIRST_TOKENS", 20)
    session = sessions(model=tuple(f"judge-{n}" for n in range(models)), votes=votes)
    of = case(2, contexts=5)
    job = session.job(of, "evidence", {}, minimum, asserted=True)
    every = places(session, job)
    assert len(every) > 2 * models * votes
    table = data.draw(tables(every, most=2))
    assume(lacks(session, job, table))
    bounds, reached = bounds_of(session, job, table), scores(session, job, table)
    # with several votes it may be left open
    if models * votes == 1 or bounds.decided is not None:
        check(bounds, reached, minimum)


WRONG = "Every boat is a red boat."
NEAR, FAR = f"All of the boats are green boats. {WRONG}", "Boat number nine is one."
VECTORS = {NEAR: [1.0, 0.1], FAR: [0.0, 1.0]}


class Vectors:
    """An embedder to which some texts are far from all others."""

    embedder = SimpleNamespace(id="scripted", model="")

    def at_once(self, texts: Sequence[str]) -> list[Embedding]:
        return [Embedding(text, VECTORS.get(text, [1.0, 0.0]), local=True) for text in texts]


@pytest.mark.parametrize("references", [[NEAR], [NEAR, FAR]], ids=["one", "two"])
@given(data=st.data(), minimum=st.sampled_from([0.2, 0.5, 0.8]))
@settings(deadline=None, max_examples=10, suppress_health_check=FIXTURE)
def test_correctness_beside_similarity(
    sessions: Callable[..., Session],
    references: list[str],
    data: st.DataObject,
    minimum: float,
) -> None:
    session = sessions()
    of = case(2, ground_truth_answer=None, ground_truth_answers=references)
    job = session.job(of, "answer_correctness", {}, minimum, asserted=True)
    table = data.draw(tables(places(session, job), most=2))
    check(bounds_of(session, job, table), scores(session, job, table), minimum)


def test_a_better_reference_may_be_less_similar(sessions: Callable[..., Session]) -> None:
    """One of two claims supported by the reference that is far makes the score lowest."""
    session = sessions()
    of = case(2, ground_truth_answer=None, ground_truth_answers=[NEAR, FAR])
    job = session.job(of, "answer_correctness", {}, 0.6, asserted=True)
    first, *others = places(session, job)
    table: Table = dict.fromkeys([first, *others], ("FULLY_SUPPORTED", True))
    far = text_hash(FAR)
    for place in table:
        if place[1] == far:
            table[place] = None
        elif place[0] == WRONG or (place[0], place[1]) == (BOATS[0], text_hash(NEAR)):
            table[place] = ("NO_EVIDENCE", False)
    bounds = bounds_of(session, job, table)
    check(bounds, scores(session, job, table), 0.6)
    assert bounds.decided is None
