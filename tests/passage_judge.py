"""A judge whose verdict on passages is the strongest of its verdicts on each passage.

Imports nothing of the tests, so that a project's conftest.py can hold this text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

RANKS = ["FULLY_SUPPORTED", "CONTRADICTORY", "PARTIALLY_SUPPORTED", "NO_EVIDENCE"]
SAYS = re.compile(r"The (\w+) costs (\d+) coins(?: and is (\w+))?")


def on_passage(claim: str, passage: str) -> tuple[str, str | None]:
    """The verdict on a claim, and the words of the passage that it rests on."""
    asked = SAYS.match(claim)
    assert asked is not None, claim
    thing, price, color = asked.groups()
    found: tuple[str, str | None] = ("NO_EVIDENCE", None)
    for said in SAYS.finditer(passage):
        if said[1] != thing:
            continue
        if said[2] != price:
            verdict = "CONTRADICTORY"
        elif color in (None, said[3]):
            verdict = "FULLY_SUPPORTED"
        else:
            verdict = "PARTIALLY_SUPPORTED"
        found = min(found, (verdict, said[0]), key=lambda one: RANKS.index(one[0]))
    return found


def on_passages(claim: str, passages: Collection[str]) -> tuple[str, str | None, str]:
    """The same of several passages, and the text that it rests on."""
    each = [(*on_passage(claim, text), text) for text in sorted(passages)]
    return min(each, key=lambda one: RANKS.index(one[0]))


class PassageJudge:
    """
    Attributes:
        judged: what was asked of it, each time that it was: a claim and a set of passages.
        messages: how many passages and claims each message had.
    """

    id = "by-passage"

    def __init__(self) -> None:
        self.judged: list[tuple[str, frozenset[str]]] = []
        self.messages: list[tuple[int, int]] = []

    def run(self, step: Any, input: Any) -> str:
        if step.name == "extract_claims":
            texts = {one["id"]: one["text"] for one in input["sentences"]}
            wanted = input.get("only", list(texts))
            claims = [{"sentence": id, "text": texts[id].rstrip(".")} for id in wanted]
            return json.dumps({"claims": claims})
        passages = {one["text"]: one["id"] for one in reversed(input["passages"])}
        self.messages.append((len(passages), len(input["claims"])))
        verdicts = []
        for claim in input["claims"]:
            self.note(claim["text"], passages)
            verdict, quote, text = on_passages(claim["text"], passages)
            evidence = [] if quote is None else [{"passage": passages[text], "quote": quote}]
            verdicts.append({"id": claim["id"], "verdict": verdict, "evidence": evidence})
        return json.dumps({"verdicts": verdicts})

    def note(self, claim: str, passages: Collection[str]) -> None:
        self.judged.append((claim, frozenset(passages)))
