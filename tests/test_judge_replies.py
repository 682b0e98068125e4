"""What judges really reply, through the public names: a score of what was asked, or JudgeError."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_ragassert import JudgeError, Verdict, evaluate

from .conftest import MakeSettings, close_sessions
from .loopback.server import LoopbackJudge
from .replies import CONTRA, FULL, NONE, case

CLAIM = "The harbour's crane lifts 30 tons"
CRANE = {
    "question": "How much does the crane lift?",
    "answer": f"{CLAIM}.",
    "retrieved_contexts": ["Built in 1962, the crane lifts 30 tons; it rests on Sundays."],
}
CLAIMS = json.dumps({"claims": [CLAIM]})
VERDICT = '{"verdicts": [{"id": 1, "verdict": "supported", "quote": "the crane lifts 30 tons"}]}'
WRONG = '{"verdicts": [{"id": 1, "verdict": "contradicted", "quote": "the crane lifts 30 tons"}]}'


class Run:
    """Measures one case by scripted replies.

    Attributes:
        score: None where there was none.
        claims: text and verdict of each.
        error: what was said instead.
    """

    def __init__(self, judge: LoopbackJudge, settings: MakeSettings) -> None:
        self._judge, self._settings = judge, settings

    def __call__(self, replies: dict[str, str], metric: str = "faithfulness", **fields: Any) -> Run:
        self._judge.script(
            [{"step": step, "content": text} for step, text in replies.items()], repeat_last=True
        )
        before = self._judge.count()
        (done,) = evaluate(
            [case(**{**CRANE, **fields})], [metric], settings=self._settings(), on_error="collect"
        )
        result, error = done.get(metric), done.errors.get(metric)
        self.requests = self._judge.count() - before
        self.score = None if result is None else result.score
        claims = [] if result is None else result.claims
        self.claims = [(claim.text, claim.verdict) for claim in claims]
        self.reasons = [claim.reason for claim in claims]
        self.error = "" if error is None else str(error)
        assert error is None or isinstance(error, JudgeError)
        return self


@pytest.fixture
def run(judge: LoopbackJudge, settings: MakeSettings) -> Run:
    return Run(judge, settings)


@pytest.mark.parametrize(
    "verdicts",
    [
        f"Of course.\n\n```json\n{VERDICT}\n```\n\nMore? {{claim by claim}}",
        f'<think>Shape {{"verdicts": [...]}}, so {WRONG}. No: 30 it is.</think>\n{VERDICT}',
        f"{WRONG}? No ...\n</think>\n\n{VERDICT}",
        f"[THINK]{WRONG}[/THINK]```\n{VERDICT}\n```",
        VERDICT.replace('"', "'"),
        VERDICT.replace("}]}", ', "sure": True, "note": None,},],} # checked'),
        '{verdicts: [{id: 1, verdict: "supported", quote: "the crane lifts 30 tons"}]}',
        f'{{"result": {VERDICT}}}',
        VERDICT[len('{"verdicts": ') : -1],
    ],
)
def test_an_answer_in_any_dress_is_the_answer(run: Run, verdicts: str) -> None:
    claims = f"{{'claims': [\"{CLAIM}\",]}}"
    done = run({"extract_claims": claims, "verify_claims": verdicts})
    assert (done.score, done.claims, done.requests) == (1.0, [(CLAIM, FULL)], 2)


@pytest.mark.parametrize(
    "verdicts",
    [
        f"<think>I would say {VERDICT}",
        VERDICT[:-2],
        VERDICT[:60].replace('"', "'"),
        f"{VERDICT}\nor\n{WRONG}",
        '{"verdicts": [{"id": 1, "verdict": "supported", "verdict": "refuted"}]}',
        '{"verdicts": [{"id": 0, "verdict": "supported"}]}',
        '{"verdicts": [{"verdict": "supported"}]}',
        '{"verdicts": []}',
        '{"verdicts": "supported"}',
        "Alas, weighing these statements lies beyond what I may do.",
        "8",
    ],
)
def test_no_answer_is_no_score_and_is_not_stored(run: Run, verdicts: str) -> None:
    replies = {"extract_claims": CLAIMS, "verify_claims": verdicts}
    first = run(replies)
    assert (first.score, first.claims) == (None, [])
    assert "verify_claims" in first.error
    assert first.requests <= 3
    close_sessions()
    again = run({"verify_claims": VERDICT})
    assert (again.score, again.requests) == (1.0, 1)


def test_an_excuse_is_shown(run: Run) -> None:
    excuse = "Alas, weighing these statements lies beyond what I may do."
    assert excuse in run({"extract_claims": CLAIMS, "verify_claims": excuse}).error


@pytest.mark.parametrize(
    ("claims", "count"),
    [
        ('{"claims": [{"statement": "It lifts 30 tons"}]}', 1),
        ('["It lifts 30 tons"]', 1),
        ('```\n["It lifts 30 tons", "It rests on Sundays"]\n```', 2),
        ('{"facts": ["It lifts 30 tons"]}', 1),
        ('{"output": {"claims": ["It lifts 30 tons"]}}', 1),
        ('{"claims": [null, "It lifts 30 tons", " ", "It lifts 30 tons", ""]}', 1),
        ('{"claims": "It lifts 30 tons"}', None),
        ('{"claims": ["", null]}', None),
        ('{"claims": null}', None),
        ('{"claims": ["It lifts 30 tons"], "claims": []}', None),
        ("{}", None),
        ("null", None),
        ("30", None),
        ('"It lifts 30 tons"', None),
    ],
)
def test_claims_in_other_shapes_are_those_claims_or_an_error(
    run: Run, claims: str, count: int | None
) -> None:
    ids = [{"id": n + 1, "verdict": "unknown"} for n in range(count or 0)]
    done = run({"extract_claims": claims, "verify_claims": json.dumps({"verdicts": ids})})
    if count is None:
        assert (done.score, done.requests) == (None, done.requests)
        assert "extract_claims" in done.error
    else:
        texts = ["It lifts 30 tons", "It rests on Sundays"][:count]
        assert (done.score, done.claims) == (0.0, [(text, NONE) for text in texts])


@pytest.mark.parametrize(
    ("score", "read"),
    [("0.25", 0.25), ('"0.75"', 0.75), ("1", 1.0), ('"0"', 0.0), ("0.3333333333333333", 1 / 3)]
    + [('"0.3333333333333333"', 1 / 3)]
    + [(bad, None) for bad in ('"3/4"', "7", '"Rating: 0.5"', '"From 0 to 1: 0.6"', "-0.5")]
    + [(bad, None) for bad in ("NaN", "-Infinity", "1e999", '"60%"', '"0,6"', '" "', "null")]
    + [(bad, None) for bad in ("false", "[0.6]", '{"value": 0.6}', "60%", "0,6", "3/4", ".5")],
)
def test_a_score_is_a_number_in_its_range(run: Run, score: str, read: float | None) -> None:
    reply = f'{{"score": {score}, "reason": "So."}}'
    done = run({"rate_relevance": reply}, "answer_relevancy")
    assert done.score == read
    assert read is not None or "rate_relevance" in done.error


def test_verdicts_belong_to_their_claims_in_any_order(run: Run) -> None:
    said = {3: ("supported", "It is red."), 1: ("refuted", "It is old."), 2: ("idk", None)}
    verdicts = [{"id": id, "verdict": v, "quote": q} for id, (v, q) in said.items()]
    texts = ["It is new", "It is loud", "It is red"]
    done = run(
        {
            "extract_claims": json.dumps({"claims": texts}),
            "verify_claims": json.dumps({"verdicts": verdicts}),
        },
        answer="It is new, loud and red.",
        retrieved_contexts=["It is old. It is red."],
    )
    verdict_of: list[Verdict] = [CONTRA, NONE, FULL]
    assert done.claims == list(zip(texts, verdict_of, strict=True))


@pytest.mark.parametrize("form", ["{}", "Here:\n```json\n{}\n```", "<think>é</think>{}"])
def test_escapes_emoji_lone_surrogates_and_nul_survive(run: Run, form: str) -> None:
    claims = r'{"claims": ["Th\u00e9 \ud83d\ude80 lifts", "\ud83d\u0000 lifts"]}'
    verdicts = (
        r'{"verdicts": [{"id":1,"verdict":"idk","reason":"\udc00"},{"id":2,"verdict":"idk"}]}'
    )
    done = run(
        {
            "extract_claims": form.replace("{}", claims),
            "verify_claims": form.replace("{}", verdicts),
        }
    )
    assert done.claims == [("Thé 🚀 lifts", NONE), ("\ud83d\0 lifts", NONE)]
    assert done.reasons == ["\udc00", None]
