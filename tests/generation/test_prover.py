"""What proves a draft if the judge can't check criteria, or fails for another reason."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

import pytest

from pytest_ragassert import JudgeError
from pytest_ragassert.corpus.passages import Passage
from pytest_ragassert.generation.candidates import Candidate
from pytest_ragassert.generation.draft import Draft, Dropped, SourceQuote
from pytest_ragassert.generation.proof import STATES_FACTS, Prover
from pytest_ragassert.judging.calls.event_loop import all_done
from pytest_ragassert.runtime.canonical_json import Json

from ..asks import ScriptedAsk
from .drafts import passage

TEXT = "A child pays 4 crowns."
FARES = passage("fares.md", TEXT)
MET: Json = {"checks": [{"id": 1, "reason": "", "quote": None, "met": "YES"}]}


def single() -> Draft:
    return Draft(
        Candidate("single", (FARES,)),
        "What does a child pay?",
        TEXT,
        (SourceQuote(0, TEXT, (0, len(TEXT))),),
    )


def unanswerable(answer: str) -> Draft:
    return Draft(Candidate("unanswerable", (FARES,)), "What does a dog pay?", answer, ())


class Together(ScriptedAsk):
    """Waits for all that it is asked together, as a run does."""

    async def together(self, works: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
        return await all_done(works)


def asking(checks: list[Json | JudgeError]) -> ScriptedAsk:
    """Replies to the criteria in order, the last one again and again."""
    waiting = list(checks)

    def check(_input: Json, _model: str) -> Json:
        reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(reply, JudgeError):
            raise reply
        return reply

    claims = {"sentences": [{"id": 1, "text": TEXT, "start": 0, "end": 22}]}
    verdict = {"reason": None, "evidence": [{"passage": 1, "quote": TEXT}], "confidence": None}
    return Together(
        {
            "check_criteria": check,
            "extract_claims": {**claims, "claims": [{"sentence": 1, "text": TEXT}]},
            "verify_claims": {"verdicts": [{"id": 1, **verdict, "verdict": "FULLY_SUPPORTED"}]},
            "judge_passages": {"passages": [{"id": 1, "reason": None, "relevant": False}]},
        }
    )


async def nearest(_ask: Any, _question: str) -> list[Passage]:
    return []


def proven(prover: Prover, ask: ScriptedAsk, draft: Draft) -> str | None:
    scripted: Any = ask
    return asyncio.run(prover.proven(scripted, draft)).by_words


def test_a_judge_that_never_checked_criteria_is_asked_three_times() -> None:
    ask, prover = asking([JudgeError("500 boom", kind="server")]), Prover(nearest)
    for _ in range(5):
        assert proven(prover, ask, single()) == "500 boom"
    assert [step for step, _ in ask.asked].count("check_criteria") <= 6


def test_one_that_checked_criteria_before_has_an_outage() -> None:
    error = JudgeError("500 boom", kind="server")
    ask, prover = asking([MET, MET, error]), Prover(nearest)
    assert proven(prover, ask, single()) is None
    with pytest.raises(JudgeError, match="boom"):
        proven(prover, ask, single())


def test_an_unreadable_check_leaves_the_words() -> None:
    ask, prover = asking([MET, MET, JudgeError("cut off", kind="truncated")]), Prover(nearest)
    assert proven(prover, ask, single()) is None
    assert proven(prover, ask, single()) == "cut off"


@pytest.mark.parametrize("kind", ["connection", "timeout", "budget"])
def test_an_outage_is_no_reason_to_keep_a_case(kind: str) -> None:
    with pytest.raises(JudgeError):
        proven(Prover(nearest), asking([JudgeError("gone", kind=kind)]), single())


def test_without_the_judge_an_unanswerable_case_must_plainly_not_know() -> None:
    ask = asking([JudgeError("400 unknown", kind="request")])
    said = "The documents do not say what a dog pays."
    assert proven(Prover(nearest), ask, unanswerable(said)) == "400 unknown"
    with pytest.raises(Dropped, match=STATES_FACTS):
        proven(Prover(nearest), ask, unanswerable("King Olaf paid 500 crowns for it in 1873."))


def test_an_unanswerable_case_without_an_answer() -> None:
    assert proven(Prover(nearest), asking([MET]), unanswerable("")) is None
