"""The offline judge: answers by words alone, without a network, a key or a model.

It follows one fixed rule and is modest: supported where most of a claim's content words and all of
its numbers stand in the passages; contradicted only where a number, a name or a negation differs in
a sentence that else matches; no evidence otherwise. English so far (see `Language` and the tables
here).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from ..options import OFFLINE_ID
from ..text.overlap import Claim, Match, Passage, Window, best_window, matches, read_passage
from ..text.words import Number, read_words, stem

if TYPE_CHECKING:
    from ..steps.step import Step

SUPPORTED_SHARE = 0.6  # of the claim's content words, in all passages together


class OfflineJudge:
    """Answers `extract_claims` and `verify_claims`; other steps need a model."""

    id = OFFLINE_ID

    def run(self, step: Step, input: dict[str, Any]) -> str:
        """The reply as JSON text.

        Raises:
            ConfigurationError: the step is one that this judge does not answer.
        """
        if step.name == "extract_claims":
            return json.dumps({"claims": list(_claims(input["sentences"]))})
        if step.name == "verify_claims":
            return json.dumps({"verdicts": _verdicts(input["passages"], input["claims"])})
        raise ConfigurationError(
            f"the offline judge does not answer the step {step.name!r}; configure a model for it"
        )


# Claims


@dataclass(slots=True)
class _Unit:
    """What may be one claim: a sentence, a list item or a table row."""

    sentence: int
    text: str
    kind: str  # "text", "row", "title"


_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s*#{1,6}\s")
_BULLET = re.compile(r"\s*(?:>\s?)*(?:(?:[-*+•·–]|\(?\d{1,3}[.)])(?:\s+|$))?(?:\[[ xX]\]\s)?")
_MARKUP = re.compile(
    r"(?<![0-9A-Za-z])(?P<mark>\*{1,3}|__|`)(?=\S)(?P<marked>[^*_`\n]{1,300})(?P=mark)"
    r"(?![0-9A-Za-z])"
    r"|\[(?P<link>[^\]\[\n]{1,200})\]\([^)\s]{1,500}\)"
    r"|\s?\[\d{1,3}(?:\s?[,–-]\s?\d{1,3}){0,9}\]"  # a citation's number is none of the claim's
)
_BOLD_TITLE = re.compile(r"(\*\*|__)[^*_.!?\d]+\1")


def _claims(sentences: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each sentence, item or row that states something, as it stands.

    "Yes" and "No" alone are no claims: what they affirm stands in the question.
    """
    units = list(_units((sentence["id"], sentence["text"]) for sentence in sentences))
    for place, unit in enumerate(units):
        if unit.kind == "title" and place + 1 < len(units):
            continue
        for text in _statements(unit.text):
            yield {"sentence": unit.sentence, "text": text}


def _units(sentences: Iterable[tuple[int, str]]) -> list[_Unit]:
    units: list[_Unit] = []
    fenced = False
    for sentence, text in sentences:
        joins = False  # a plain line goes on with the line before it
        for line in text.splitlines():
            if _FENCE.match(line):
                fenced = not fenced
            if fenced or _FENCE.match(line) or not line.strip() or _HEADING.match(line):
                joins = False
            elif set(line) <= set("|:-=+ \t") and ("--" in line or "==" in line):
                joins = False
                if units and units[-1].kind == "row":
                    units.pop()  # the row above names the columns
            else:
                unit = _unit(sentence, line)
                if joins and unit.kind == "text" and not _is_item(line):
                    units[-1].text += " " + unit.text
                elif unit.text:
                    units.append(unit)
                joins = unit.kind == "text" and bool(unit.text)
    return units


def _is_item(line: str) -> bool:
    bullet = _BULLET.match(line)
    return bool(bullet and bullet[0].strip())


def _unit(sentence: int, line: str) -> _Unit:
    bare = line.strip()
    kind = "title" if bare.rstrip("*_").endswith(":") or _BOLD_TITLE.fullmatch(bare) else "text"
    plain = _MARKUP.sub(lambda m: m["marked"] or m["link"] or "", _BULLET.sub("", line, count=1))
    if bare.startswith("|"):
        cells = [cell.strip() for cell in plain.strip().strip("|").split("|")]
        return _Unit(sentence, " | ".join(filter(None, cells)), "row")
    return _Unit(sentence, plain.strip(), kind)


def _alternatives(*phrases: str) -> re.Pattern[str]:
    return re.compile(r"\s*(?:" + "|".join(phrases) + ")", re.IGNORECASE)


_SOURCES = (
    r"(?:(?:the|this|these|your|any|my) )?"
    r"(?:(?:provided|given|retrieved|supplied|available|above) )?"
    r"(?:contexts?|documents?|passages?|sources?|excerpts?|text|information|knowledge base"
    r"|search results)"
)
# What an answer opens with before it says anything.
_LEAD = _alternatives(
    r"(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day))"
    r"(?: there| all| everyone)?\s*(?:[,.!]+|$)",
    r"(?:sure(?: thing)?|certainly|of course|absolutely|yes|no|okay|ok|well|unfortunately)"
    r"\s*(?:[,.!]+|$)",
    r"(?:(?:i am|i'm|we are|we're) )?(?:very )?sorry(?:,? but\b|[,.!]+|$)",
    r"(?:great|good|excellent) question\s*(?:[,.!]+|$)",
)
# Thanks, offers, refusals, and not knowing. "We" often speaks for a firm: "we don't charge".
_NOTHING = _alternatives(
    r"(?:many )?thank(?:s| you)\b[^.!?,]{0,80}[.!]*\s*$",
    r"(?:you're|you are) (?:very |most )?welcome[.!]*\s*$",
    r"(?:please )?(?:let me know|feel free|do(?: not|n't) hesitate)\b",
    r"(?:i )?hope (?:this|that|it) (?:helps|answers|clarifies)\b",
    r"if you\b.{0,120}\b(?:let me know|feel free|just ask|i'm happy|i am happy|i'd be happy"
    r"|not hesitate|n't hesitate)\b",
    r"(?:(?:i am|i'm|i'd be|i would be|we are|we're) )?(?:happy|glad|here) to (?:help|assist)\b",
    r"is there anything\b|would you like\b|have a (?:nice|great|good)\b",
    r"i (?:(?:do|did|could|can) not|(?:do|did|could|ca)n't|cannot) (?:know|find|see|locate|answer"
    r"|help|assist|say|tell|determine|provide|confirm|verify|comply|discuss)\b",
    r"i (?:do not|don't) have (?:any |enough |the |that |this |an |access|sufficient )",
    r"we (?:(?:do|did|could|can) not|(?:do|did|could|ca)n't|cannot) (?:know|find|determine|say)\b",
    r"i(?:'m| am|'ve been| was) (?:not sure|unsure|unable|not able|uncertain)\b",
    r"(?:there (?:is|was) )?(?:no|not enough|insufficient) "
    r"(?:(?:relevant|specific|such|further) )?(?:information|mention|details?|answer) "
    r"(?:(?:is|was|are|were) )?(?:available|provided|given|found|in|of|about|on|regarding|to)\b",
    _SOURCES + r"(?: provided| given)? (?:do|does|did)(?: not|n't) (?:\w+ )?"
    r"(?:say|state|mention|contain|provide|specify|include|give|cover|discuss|address|indicate"
    r"|answer|describe|explain|tell|have)\b",
    r"(?:not (?:stated|mentioned|specified|provided|found|available|known)|unknown|n/a)[.!]*\s*$",
    r"here(?:'s| is| are)\b[^:]{0,200}:\s*$",
    r"as an ai\b|i apologi[sz]e\b|my apologies\b|i must decline\b|i (?:won't|will not) \w+",
)
_NOT_IN_SOURCES = re.compile(
    r"\b(?:not|never) (?:be )?(?:mentioned|stated|specified|given|provided|included|covered|found"
    r"|discussed)(?: anywhere)? (?:in|by) " + _SOURCES,
    re.IGNORECASE,
)
_TURN = re.compile(r"[,;] (?:but|however|although|though),? ", re.IGNORECASE)
_OPINION = """amazing awesome awful bad beautiful believe best better boring choice enjoy excellent
fantastic favorite favourite feel fine fun good great happy hate helpful hope idea important
interesting like love lovely nice opinion perfect personally pleasure pretty question really
terrible think wonderful worst"""


@lru_cache(maxsize=1)
def _opinion_stems() -> frozenset[str]:
    return frozenset(map(stem, _OPINION.split()))


def _statements(text: str) -> list[str]:
    """The text, or those parts of it around "but" that say something where others don't."""
    for _ in range(3):
        text = text[lead.end() :].strip() if (lead := _LEAD.match(text)) else text.strip()
    if text.rstrip("\"'”’»)*_ ").endswith(("?", "？")):
        return []
    parts = _TURN.split(text)
    saying = [part for part in parts if _says_something(part)]
    return [text] if saying and len(saying) == len(parts) else saying


def _says_something(text: str) -> bool:
    plain = text.replace("’", "'")
    if _NOTHING.match(plain) or _NOT_IN_SOURCES.search(plain):
        return False
    words = read_words(text)
    if words.numbers:
        return True
    return not _opinion_stems().issuperset(words.content)


# Verdicts


@dataclass(frozen=True, slots=True)
class _Finding:
    verdict: str
    reason: str
    window: Window | None = None


def _verdicts(
    passages: Sequence[dict[str, Any]], claims: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    read = [read_passage(passage["text"]) for passage in passages]
    return [_verdict(claim, passages, read) for claim in claims]


def _verdict(
    claim: dict[str, Any], passages: Sequence[dict[str, Any]], read: Sequence[Passage]
) -> dict[str, Any]:
    finding = _judged(Claim(claim["text"]), read)
    window = finding.window
    return {
        "id": claim["id"],
        "reason": finding.reason,
        "passage": passages[window.place]["id"] if window else None,
        "quote": _quote(read[window.place], window) if window else None,
        "verdict": finding.verdict,
        "confidence": None,
    }


def _judged(claim: Claim, passages: Sequence[Passage]) -> _Finding:
    if not claim.content and not claim.numbers:
        return _Finding("NO_EVIDENCE", "the claim has no content words")
    found = sum(any(word in p.available for p in passages) for word in claim.asked)
    absent = [n for n in claim.numbers if not any(passage.holds(n) for passage in passages)]
    counted = f"{found} of {len(claim.asked)} content words found"
    near = list(matches(claim, passages))
    agreeing = _best(match for match in near if match.kind == "agrees")
    opposing = _best(match for match in near if match.kind == "opposes")
    if opposing and opposing.share > (agreeing.share if agreeing else 0):
        return _Finding("CONTRADICTORY", f"{counted}; {opposing.difference}", _window(opposing))
    if absent:
        return _Finding("NO_EVIDENCE", f"{counted}; {_not_found(absent)}")
    if found < SUPPORTED_SHARE * len(claim.asked):
        return _Finding("NO_EVIDENCE", counted)
    bearing = _best(near)
    if bearing and bearing.kind in ("differs", "opposes"):
        return _Finding("NO_EVIDENCE", f"{counted}; {bearing.difference}")
    if agreeing and agreeing.share >= SUPPORTED_SHARE:
        window: Window | None = _window(agreeing)
    else:
        window = best_window(claim, passages, SUPPORTED_SHARE)
    reasons = [counted] * bool(claim.asked) + ["every number found"] * bool(claim.numbers)
    return _Finding("FULLY_SUPPORTED", "; ".join(reasons), window)


_MERIT = {"agrees": 0, "lacks": -1, "differs": -2, "opposes": -2}


def _best(near: Iterable[Match]) -> Match | None:
    """The match with most words; of equals the one that speaks for the claim, then the first."""
    return max(near, key=lambda match: (match.share, _MERIT[match.kind]), default=None)


def _window(match: Match) -> Window:
    return Window(match.place, match.sentence.start, match.sentence.end)


def _not_found(absent: Sequence[Number]) -> str:
    texts = ", ".join(number.text for number in absent)
    return f"number{'s' * (len(absent) > 1)} {texts} not in any passage"


_DENSE = re.compile("[\u0e00-\u0eff\u2e80-\ua4cf\uac00-\ud7ff]")  # scripts without spaces


def _proves(quote: str) -> bool:
    return len(quote.split()) >= 3 or len(_DENSE.findall(quote)) >= 6


def _quote(passage: Passage, window: Window) -> str:
    """The window's text, grown by neighbouring sentences where too short to prove anything."""
    text, start, end = passage.text, window.start, window.end
    while not _proves(text[start:end]):
        after = next((s.end for s in passage.sentences if s.start >= end), end)
        before = next((s.start for s in reversed(passage.sentences) if s.end <= start), start)
        if (before, after) == (start, end):
            return text
        start, end = (start, after) if after > end else (before, end)
    return text[start:end]
