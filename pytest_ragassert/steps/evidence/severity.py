"""How much it matters whether a claim is right: from its text alone, whatever its verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...language.detection import language_of
from ...language.words.reader import read_words
from .quotes import negates

if TYPE_CHECKING:
    from .evidence_details import Severity

_HEDGED = re.compile(
    r"(?<!\w)(?:may|might|could|perhaps|possibly|probably|likely|seems?|appears?|apparently"
    r"|reportedly|allegedly|supposedly|suggests?"
    r"|vielleicht|möglicherweise|wahrscheinlich|vermutlich|wohl|könnten?|dürften?|scheint|scheinen"
    r"|scheinbar|anscheinend|angeblich|offenbar|eventuell"
    r"|возможно|вероятно|может быть|могут быть|наверное|кажется|похоже|видимо|якобы"
    r"|предположительно"
    r"|peut-être|probablement|semblent?|pourrai(?:t|ent)|quizás?|tal vez|probablemente|parecen?"
    r"|podrían?)(?!\w)"
    r"|可能|也许|或许|大概|似乎|据说|恐怕|好像|かもしれ|おそらく|たぶん"
)
_DIGIT = re.compile(r"\d")


def severity_of(claim: str) -> Severity:
    """High where the claim holds a number, date, amount, name or negation; low where it is hedged;
    else medium. Of names those that are surely one: a capital at a sentence's start tells none."""
    words = read_words(claim, language_of(claim))
    exact = _DIGIT.search(claim) or any(number.demanded for number in words.numbers)
    if exact or words.names or words.negations or negates(claim):
        return "high"
    return "low" if _HEDGED.search(claim[:1].lower() + claim[1:]) else "medium"
