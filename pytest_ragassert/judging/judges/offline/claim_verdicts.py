"""Decides the verdict on a claim from passages, and the quote that supports the verdict.

A claim is as well supported as its least supported clause. A clause is supported if enough of its
words and all of its names and numbers are in the passages, and no sentence near it says otherwise.
It is contradicted only if a number, a name or a negation differs in a sentence that otherwise
matches. In all other cases there is no evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....language.citations import without_doubtful_citations
from ....language.detection import BY_SCRIPT, detected_language
from ....language.phrases.table import clauses
from ....language.sentences import sentence_texts
from ....language.words.claim_match import (
    ReadPassage,
    Statement,
    Window,
    best_windows,
    common_language,
    read_passage,
)
from ....language.words.languages import NAMES, language_table
from ....language.words.lexicon import NEGATION, SPEAKER
from ....steps.evidence.evidence_list import MOST_QUOTES
from .confidence import Decided, Grounds, confidence_of
from .restating import DENSE, other_day, other_fact, other_word, repeated, said_as_it_is
from .rows import rows_asked
from .same_words import most_verbatim, other_form, with_days_and_names
from .sentence_match import Match, matches

SUPPORTED_SHARE = 0.575  # of a clause's words by weight, in all passages together


@dataclass(frozen=True, slots=True)
class ClaimFinding:
    """The finding on a claim or one of its clauses.

    Attributes:
        verdict: the label in the wire format.
        reason: the deciding observation, for people.
        share: the share of the words that was found, by weight.
        windows: the sentences to quote, the deciding ones first.
        decided: the deciding observation, in the terms of `confidence.py`.
        missing: how many numbers and names were not found.
        statements: how many statements the claim makes.
    """

    verdict: str
    reason: str
    share: float = 0.0
    windows: tuple[Window, ...] = ()
    decided: Decided = "share"
    missing: int = 0
    statements: int = 1


def verdicts_on(
    passages: Sequence[dict[str, Any]], claims: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return a verdict on each claim `{"id", "text"}` from the passages alone, in the wire
    format.
    """
    texts = [passage["text"] for passage in passages]
    return [_verdict(claim, passages, texts) for claim in claims]


def _verdict(
    claim: dict[str, Any], passages: Sequence[dict[str, Any]], texts: Sequence[str]
) -> dict[str, Any]:
    code = common_language(claim["text"], texts)
    read = [read_passage(text, code) for text in texts]
    finding = found_on(claim["text"], read, code)
    quotes = ((w.place, _quote(read[w.place], w)) for w in finding.windows)
    evidence = [
        {"passage": passages[place]["id"], "quote": quote} for place, quote in dict.fromkeys(quotes)
    ]
    return {
        "id": claim["id"],
        "reason": finding.reason,
        "evidence": evidence[:MOST_QUOTES],
        "verdict": finding.verdict,
        "confidence": confidence_of(grounds_of(finding, claim["text"], read, code)),
    }


def grounds_of(
    finding: ClaimFinding, text: str, passages: Sequence[ReadPassage], code: str
) -> Grounds:
    """Return the grounds of the verdict on a claim."""
    return Grounds(
        verdict=finding.verdict,
        share=finding.share,
        decided=finding.decided,
        missing=finding.missing,
        copied=finding.verdict == "FULLY_SUPPORTED" and repeated(text, passages),
        statements=finding.statements,
        english=code == "en",
    )


def found_on(text: str, passages: Sequence[ReadPassage], code: str) -> ClaimFinding:
    """Return the finding on a claim, read in one language."""
    text = without_doubtful_citations(text, [passage.text for passage in passages])
    return found_as_it_is(text, passages, code)


def statements_in(text: str, code: str) -> list[Statement]:
    """Return the clauses of a claim that have content words."""
    return [
        statement
        for sentence in sentence_texts(text)
        for clause in clauses(sentence, code)
        if (statement := Statement(clause, code)).asked or statement.numbers
    ]


def found_as_it_is(text: str, passages: Sequence[ReadPassage], code: str) -> ClaimFinding:
    """Return the finding on a claim whose doubtful citation marks have already been removed."""
    findings = [_judged(statement, passages) for statement in statements_in(text, code)]
    if not findings:
        if window := said_as_it_is(text, passages):
            return ClaimFinding("FULLY_SUPPORTED", _SAID, 1.0, (window,))
        return ClaimFinding(
            "NO_EVIDENCE", "the claim has no content words", decided="nothing", statements=0
        )
    worst = min(findings, key=lambda found: (_MERIT[found.verdict], found.share))
    if foreign := _foreign(text, passages, worst):
        worst = ClaimFinding("NO_EVIDENCE", foreign, decided="nothing")
    if worst.verdict != "FULLY_SUPPORTED" and (window := said_as_it_is(text, passages)):
        worst = ClaimFinding("FULLY_SUPPORTED", _SAID, 1.0, (window,))
    elif worst.verdict == "FULLY_SUPPORTED":
        # each clause is judged by its own sentences
        windows = (window for each in (worst, *findings) for window in each.windows)
        worst = replace(worst, windows=tuple(dict.fromkeys(windows)))
    return replace(worst, statements=len(findings))


_SAID = "the passage states it in the same words"
_MERIT = {"CONTRADICTORY": 0, "NO_EVIDENCE": 1, "FULLY_SUPPORTED": 2}


def _foreign(text: str, passages: Sequence[ReadPassage], finding: ClaimFinding) -> str:
    """Return the reason if the claim is in another language than every passage, otherwise ""."""
    own = detected_language(text)
    if own is None or any(detected_language(passage.text) in (own, None) for passage in passages):
        return ""
    # a passage may be in several languages
    if any(detected_language(s.text) == own for passage in passages for s in passage.sentences):
        return ""
    codes = sorted({detected_language(passage.text) or "" for passage in passages})
    # a name in another language is easily taken for a sentence in it, but its words are found
    if not BY_SCRIPT.isdisjoint({own, *codes}) or finding.share < SUPPORTED_SHARE:
        names = " and ".join(NAMES[code] for code in codes)
        return (
            f"the claim is in {NAMES[own]}, the passages are in {names}: the offline judge can't "
            "compare words across languages"
        )
    return ""


def _judged(statement: Statement, whole: Sequence[ReadPassage]) -> ClaimFinding:
    asked = rows_asked(statement, whole)
    passages = asked.passages
    found = frozenset[str]().union(*(statement.found_in(p.holdings) for p in passages))
    share = statement.support(found)
    counted = f"{len(found)} of {len(statement.asked)} content words found"
    near = list(matches(statement, passages))
    agreeing = most_verbatim(statement, (match for match in near if match.kind == "agrees"))
    opposing = _best(match for match in near if match.kind == "opposes")
    # a sentence with all the words differs from the statement in only one thing
    differs: Decided = "plainly" if share >= _NEARLY_ALL else "difference"
    if opposing and opposing.share > (agreeing.share if agreeing else 0):
        reason = f"{counted}; {opposing.difference}"
        return ClaimFinding("CONTRADICTORY", reason, share, (_window(opposing),), differs)
    if asked.elsewhere:
        reason = f"{counted}; {', '.join(asked.elsewhere)} only in another row"
        return ClaimFinding("NO_EVIDENCE", reason, share, decided=differs)
    if lack := _lack(statement, found, passages):
        reason = f"{counted}; {lack.reason}"
        return ClaimFinding(
            "NO_EVIDENCE", reason, share, decided=lack.decided or differs, missing=lack.missing
        )
    if share < SUPPORTED_SHARE:
        return ClaimFinding("NO_EVIDENCE", counted, share)
    bearing = _best(near)
    difference = ""
    if bearing and bearing.kind in ("differs", "opposes"):
        difference = bearing.difference
    elif bearing and _says_with_other_numbers(bearing, statement):
        apart = " and ".join(dict.fromkeys(number.text for number in statement.numbers))
        difference = f"{apart} are in different sentences"
    else:
        difference = (
            other_fact(statement, near, passages)
            or other_day(statement, near)
            or other_word(statement, near)
            or other_form(statement, near)
        )
    if difference:
        return ClaimFinding("NO_EVIDENCE", f"{counted}; {difference}", share, decided=differs)
    if agreeing and agreeing.share >= SUPPORTED_SHARE:
        windows = [_window(agreeing)]
    else:
        windows = best_windows(statement, passages, SUPPORTED_SHARE, MOST_QUOTES)
    quoted = with_days_and_names(statement, windows, passages)
    if windows and not quoted:
        reason = f"{counted}; the day is in a different sentence"
        return ClaimFinding("NO_EVIDENCE", reason, share, decided=differs)
    reasons = [counted] * bool(statement.asked) + ["every number found"] * bool(statement.numbers)
    return ClaimFinding("FULLY_SUPPORTED", "; ".join(reasons), share, tuple(quoted))


_NEARLY_ALL = 0.9  # of a statement's words
_BEARING = {"agrees": 0, "lacks": -1, "differs": -2, "opposes": -2}


def _best(near: Iterable[Match]) -> Match | None:
    """Return the match with the most words; of equal ones, a supporting one, then the first."""
    return max(near, key=lambda match: (match.share, _BEARING[match.kind]), default=None)


def _says_with_other_numbers(bearing: Match, statement: Statement) -> bool:
    """Whether the nearest sentence has all the words, and other numbers instead of some.

    Neither "room 3 has 8 beds" nor "room 5 has 10 beds" supports that room 3 has 10.
    """
    other = len(bearing.sentence.words.numbers) >= len(statement.numbers) > 1
    return bearing.kind == "lacks" and bearing.share == 1.0 and other


def _window(match: Match) -> Window:
    sentence = match.sentence
    first = sentence.antecedent if match.borrowed and sentence.antecedent else sentence
    return Window(match.place, first.start, sentence.end)


@dataclass(frozen=True, slots=True)
class _Lack:
    """What is missing from the passages: in words, the number of names or numbers, and the kind."""

    reason: str
    missing: int = 0
    decided: Decided | None = None


def _lack(
    statement: Statement, found: frozenset[str], passages: Sequence[ReadPassage]
) -> _Lack | None:
    """Return which numbers, names or universals are missing from the passages."""
    # if most of the words are there, the numbers usually are too
    nearest = sorted(passages, key=lambda passage: -statement.share(passage.holdings))
    numbers = [n for n in statement.numbers if not any(p.sentences_holding(n) for p in nearest)]
    if numbers:
        return _not_found("number", [number.text for number in numbers])
    names = statement.words.names - found
    if SPEAKER in names:
        return _Lack("no passage is in the first person", decided="plainly")
    if names:
        return _not_found("name", [name for name in statement.words.content if name in names])
    language = language_table(statement.code)
    if statement.words.negations and not any(p.holdings.among([NEGATION]) for p in passages):
        return _Lack("only the claim negates")
    universals = language.universals
    # "every 40 minutes" claims no more than "at intervals of 40 minutes"
    claimed = frozenset[str]() if statement.numbers else statement.words.light & universals
    if claimed and not any(passage.holdings.among(universals) for passage in passages):
        return _Lack(f"only the claim says {', '.join(sorted(claimed))}")
    return None


def _not_found(kind: str, texts: Sequence[str]) -> _Lack:
    distinct = list(dict.fromkeys(texts))
    reason = f"{kind}{'s' * (len(texts) > 1)} {', '.join(distinct)} not in any passage"
    return _Lack(reason, len(distinct), "missing")


def _proves(quote: str) -> bool:
    return len(quote.split()) >= 3 or len(DENSE.findall(quote)) >= 6


def _quote(passage: ReadPassage, window: Window) -> str:
    """Return the window's text, extended by neighbouring sentences if it is too short to prove
    anything.
    """
    text, start, end = passage.text, window.start, window.end
    sentences = passage.sentences
    within = [n for n, s in enumerate(sentences) if s.start >= start and s.end <= end]
    if not within:
        return text[start:end]
    first, last = within[0], within[-1]
    while not _proves(text[sentences[first].start : sentences[last].end]):
        if last + 1 < len(sentences) and not sentences[last].is_apart_from(sentences[last + 1]):
            last += 1
        elif first and not sentences[first - 1].is_apart_from(sentences[first]):
            first -= 1
        elif last - first + 1 == len(sentences):
            return text
        else:
            break
    return text[sentences[first].start : sentences[last].end]
