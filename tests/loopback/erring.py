"""A judge that errs at stated rates: contradictions that are none, with quotes that prove nothing.

    judge.on(erring(invented=0.2, irrelevant=0.05, paraphrased=0.1))

Which claims it errs on depends on the claim alone, so that asking again changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

from .judge import Json, answer
from .scripts import Recorded


def erring(
    *, invented: float = 0.0, irrelevant: float = 0.0, paraphrased: float = 0.0, seed: int = 0
) -> Callable[[Recorded], str | None]:
    """A rule that makes the default judge's verdicts wrong.

    Args:
        invented: share of claims not contradicted that are called so, with a quote that stands in
            no passage.
        irrelevant: the same with a quote that does stand in a passage, and says nothing on it.
        paraphrased: share of contradicted claims whose quote is put in other words.
    """

    def chance(claim: str) -> float:
        drawn = hashlib.sha256(f"{seed} {claim}".encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(drawn[:8], "big") / 2**64

    def said(verdict: Json, claim: str, passages: list[Json]) -> Json:
        drawn = chance(claim)
        if verdict["verdict"] == "CONTRADICTORY":
            if drawn >= paraphrased:
                return verdict
            put = {"quote": f"what is said there is the reverse of: {claim}"}
            return {**verdict, "evidence": [{**verdict["evidence"][0], **put}]}
        if drawn >= invented + irrelevant:
            return verdict
        quote = f"it is in truth quite otherwise than that {claim}"
        if drawn >= invented:
            quote = passages[-1]["text"].split(". ")[-1]
        evidence = [{"passage": passages[-1]["id"], "quote": quote}]
        wrong = {"verdict": "CONTRADICTORY", "evidence": evidence}
        return {**verdict, "reason": "says otherwise", **wrong}

    def rule(recorded: Recorded) -> str | None:
        if recorded.step != "verify_claims":
            return None
        claims = {claim["id"]: claim["text"] for claim in recorded.data["claims"]}
        verdicts = answer(recorded.step, recorded.data)["verdicts"]
        passages = recorded.data["passages"]
        return json.dumps({"verdicts": [said(v, claims[v["id"]], passages) for v in verdicts]})

    return rule
