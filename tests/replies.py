"""Cases and judge replies in few words, for tests that script the judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_ragassert import EvalCase, Settings, Verdict, evaluate

from .conftest import close_sessions
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge

FULL = Verdict.FULLY_SUPPORTED
PARTIAL = Verdict.PARTIALLY_SUPPORTED
NONE = Verdict.NO_EVIDENCE
CONTRA = Verdict.CONTRADICTORY

# A verdict as a test writes it: the label, or the reply's fields.
Said = str | Mapping[str, Any]

FERRY = "The tram runs every 12 minutes on weekdays. It stops at the harbour."
TRAM_CLAIMS = ("The tram runs every 12 minutes on weekdays", "It stops at the harbour")


def case(**fields: Any) -> EvalCase:
    """A case of two sentences that the judge finds in the context, changed by `fields`."""
    given: dict[str, Any] = {
        "id": "tram-1",
        "question": "When does the tram run?",
        "answer": FERRY,
        "retrieved_contexts": [f"Timetable. {FERRY}"],
        "ground_truth_answer": FERRY,
    }
    return EvalCase(**{**given, **fields})


def claims_reply(claims: Sequence[Any]) -> str:
    return json.dumps({"claims": list(claims)})


def verdicts_reply(verdicts: Sequence[Any]) -> str:
    return json.dumps({"verdicts": list(verdicts)})


def says_claims(judge: LoopbackJudge, by_text: Mapping[str, Sequence[str]]) -> None:
    """The judge takes these claims from each sentence, none from a sentence not named."""

    def reply(recorded: Recorded) -> str:
        return claims_reply(
            [
                {"sentence": sentence["id"], "text": claim}
                for sentence in recorded.data["sentences"]
                for claim in by_text.get(sentence["text"], ())
            ]
        )

    judge.on("extract_claims", reply)


def says_verdicts(judge: LoopbackJudge, by_claim: Mapping[str, Said], model: str = "") -> None:
    """The judge says this of each claim; NO_EVIDENCE of one not named."""

    def reply(recorded: Recorded) -> str | None:
        if model and recorded.body["model"] != model:
            return None
        return verdicts_reply(
            [verdict(c["id"], by_claim.get(c["text"], NONE)) for c in recorded.data["claims"]]
        )

    judge.on("verify_claims", reply)


def verdict(id: Any, said: Said) -> dict[str, Any]:
    """A verdict as it stands in a reply."""
    fields: dict[str, Any] = {"verdict": said} if isinstance(said, str) else {**said}
    fields["verdict"] = getattr(fields["verdict"], "value", fields["verdict"])
    if "quote" in fields:
        fields["evidence"] = [quoted(fields.pop("quote"), fields.pop("passage", None))]
    return {"id": id, "reason": None, "evidence": [], "confidence": None, **fields}


def quoted(words: str, passage: int | None = 1) -> dict[str, Any]:
    """A quote as it stands in a reply; passages count from 1."""
    return {"passage": passage, "quote": words}


def contradicted(quote: str, passage: int = 1) -> dict[str, Any]:
    return {"verdict": "CONTRADICTORY", "quote": quote, "passage": passage}


def asks(judge: LoopbackJudge, work: Callable[[], object]) -> int:
    """How many requests `work` makes."""
    before = judge.count()
    work()
    return judge.count() - before


def in_new_run(
    cases: EvalCase, metrics: Sequence[str], settings: Settings, **options: Any
) -> dict[str, Any]:
    """`evaluate` as a later run does it: with the store alone, no memory."""
    close_sessions()
    return dict(evaluate(cases, metrics, settings=settings, **options))


def many(count: int) -> list[EvalCase]:
    return [case(id=f"c{n}", answer=f"Tram {n} runs.") for n in range(count)]
