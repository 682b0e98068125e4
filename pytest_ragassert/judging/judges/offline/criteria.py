"""Decides criteria by words: that an answer contains a quoted phrase, or states a number.

Examples: `mentions "refund"`, `doesn't say "30 days" or "a month"`, `says that it takes 30 days`.
Nothing else about an answer can be decided from its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ....errors import ConfigurationError
from ....language.folding import HYPHENS, fold
from ....language.phrases.patterns import compiled
from ....language.suggestions import shown_value
from ....steps.evidence.quotes import find_quote, negates
from .text_comparison import (
    checked_against,
    has_number,
    languages_apart,
    numbers_of,
    one_reason,
    quoted,
)

# Opening marks of a quoted phrase, with the closing ones. An apostrophe within a word opens none.
_QUOTED = re.compile(
    r'"([^"]+)"|“([^”“]+)[”“]|„([^“”"]+)[“”"]|«([^»]+)»|»([^«]+)«|「([^」]+)」|『([^』]+)』'
    r"|‘([^’]+)’|(?<!\w)'([^']+)'(?!\w)|`([^`]+)`"
)
# The words around the phrases of a criterion: the speaker, "says" or "does not say", and how many.
_SPEAKER = r"(?:the |die )?(?:answer|reply|response|text|antwort)|it|ответ"
_NOT = (
    r"(?:does|do|must|should|may|shall|can) not|(?:do|does|must|should)n't|cannot|can't|never|not"
    r"|nicht|nie|не"
)
_MUST = "must|should|muss|soll|darf|должен"
_SAYS = (
    r"(?:mention|say|name|contain|include|state|use|give|quote|cite|write|show|list)s?|has|have"
    r"|nennt|nennen|erwähnt|erwähnen|sagt|sagen|enthält|enthalten|verwendet|verwenden"
    r"|упоминает|говорит|называет|содержит|использует|указывает|включает"
)
_THING = (
    r"(?:(?:the|an?|das|die|den) )?(?:exact )?(?:words?|phrases?|terms?|sentences?|names?|wort"
    r"|wörter|begriffe?|ausdruck|satz|namen?|слово|слова|фразу|термин)|exactly|literally|wörtlich"
)
_SEVERAL = "and|or|nor|both|either|und|oder|и|или"
_SIGNS_SAY = "提到|提及|包含|包括|含有|写|说|使用"
_SIGNS = f"{_SIGNS_SAY}|答案|回答|应该|必须|没有|不|没|未|词语|词|短语|字样|和|或|及"
_FRAME = compiled(rf"\b(?:{_SPEAKER}|{_NOT}|{_MUST}|{_SAYS}|{_THING}|{_SEVERAL})\b|{_SIGNS}")
_SAID = compiled(rf"\b(?:{_SAYS})\b|{_SIGNS_SAY}")
_NEGATED = compiled(rf"\b(?:{_NOT})\b|[不没未]")
_EITHER = compiled(r"\b(?:or|nor|either|oder|или)\b|或")
# With these words, an answer with another number may also meet the criterion.
_BOUND = compiled(
    r"\b(?:least|most|than|fewer|less|between|up to|maximum|minimum|only|later|earlier"
    r"|mindestens|wenigstens|höchstens|maximal|minimal|zwischen|bis zu|nur|mehr|weniger"
    r"|später|früher"
    r"|минимум|максимум|более|больше|менее|меньше|между|только|не позже|не раньше)\b"
    r"|\b(?:before|after|until|till|vor|nach|bis|ab|до|после) (?=\d)"
)
_ALSO = compiled(r"\b(?:and|und|и)\b|[和及]")
_BEGINNING = compiled(
    rf"\s*(?:(?:{_SPEAKER})\s+)?(?:(?:{_MUST})\s+)?(?P<not>(?:{_NOT})\s+)?(?:{_SAYS})\b"
    r"(?:\s*,?\s*(?P<that>that|dass|что)\b)?"
)
_WORD = re.compile(r"\w")
# A letter or digit of a script that puts spaces between words.
_LETTER = re.compile(r"[^\W\u0e00-\u0eff\u2e80-\ua4cf\uac00-\ud7ff]")
_JOINED_BEFORE, _JOINED_AFTER = re.compile(rf"[{HYPHENS}\w]+$"), re.compile(rf"[{HYPHENS}\w]+")
_LONGEST_JOINED = 40
_POINT = re.compile(r"\d[.,]\d")


def checks_of(answer: str, criteria: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Decide whether the answer meets each criterion `{"id", "text"}`, in the wire format.

    Raises:
        ConfigurationError: words can't decide one of the criteria.
    """
    return [{"id": one["id"], **_check(one["text"], answer)} for one in criteria]


def _check(criterion: str, answer: str) -> dict[str, Any]:
    matches = list(_QUOTED.finditer(criterion))
    phrases = [next(filter(None, match.groups())) for match in matches]
    rest = fold(_QUOTED.sub(" ", criterion)).text
    if phrases and _SAID.search(rest) and not _WORD.search(_FRAME.sub(" ", rest)):
        negated, either = bool(_NEGATED.search(rest)), bool(_EITHER.search(rest))
        between = _QUOTED.sub(" ", criterion[matches[0].end() : matches[-1].start()])
        plain = len(phrases) == 1 or _is_plain(fold(between).text, negated=negated, either=either)
        if plain and all(map(_has_text, phrases)):
            return _by_phrases(phrases, answer, negated=negated, either=either)
    whole = fold(criterion).text
    begins = _BEGINNING.match(whole)
    if begins is not None and not phrases:
        said = whole[begins.end() :]
        if has_number(said) and not (negates(said) or _leaves_open(said, begins["that"] is None)):
            return _by_number(said, answer, negated=begins["not"] is not None)
    raise ConfigurationError(
        f"the offline judge can't tell whether an answer meets the criterion "
        f"{shown_value(criterion)}: by words alone it finds quoted phrases ('mentions \"refund\"') "
        "and numbers ('names 30 days'); write it so, or let a model judge: --ragassert-judge "
        "openai --ragassert-model MODEL (and --ragassert-base-url URL for another endpoint)"
    )


def _has_text(phrase: str) -> bool:
    return bool(fold(phrase).text.strip())


def _is_plain(between: str, *, negated: bool, either: bool) -> bool:
    """Whether a criterion with several phrases is unambiguous, given the words that join them."""
    if negated and (_NEGATED.search(between) or _SAID.search(between)):
        return False  # is one of them negated, or are all?
    return not _ALSO.search(between) if either else not negated  # neither, or not both?


def _leaves_open(said: str, counts: bool) -> bool:
    """Whether answers without exactly these numbers may meet the criterion: "at least 20 days".

    Args:
        counts: the object is not a clause, so that "two facts" counts the facts of the answer.
    """
    if _EITHER.search(said) or _BOUND.search(said):
        return True
    return any(one.hedged or (counts and one.after) for one in numbers_of(said))


def _by_phrases(
    phrases: Sequence[str], answer: str, *, negated: bool, either: bool
) -> dict[str, Any]:
    spans = {phrase: _find(phrase, answer) for phrase in phrases}
    found = {phrase: span for phrase, span in spans.items() if span is not None}
    lacking = [phrase for phrase in spans if phrase not in found]
    met = not found if negated else bool(found) if either else not lacking
    said = [
        f"it {has} {', '.join(map(quoted, those))}"
        for has, those in (("has", found), ("lacks", lacking))
        if those
    ]
    span = next(iter(found.values()), None)
    return {
        "reason": one_reason(*said),
        "quote": None if span is None else _quote(span, answer),
        "met": "YES" if met else "NO",
    }


def _find(phrase: str, answer: str) -> tuple[int, int] | None:
    """Find the phrase in the answer as whole words, ignoring typography and case."""
    wanted, whole = fold(phrase).text.strip(), fold(answer)
    for match in re.finditer(re.escape(wanted), whole.text, re.IGNORECASE):
        start, end = match.span()
        if not (_goes_on(whole.text, start) or _goes_on(whole.text, end)):
            return whole.start(start), whole.end(end)
    return None


def _quote(span: tuple[int, int], answer: str) -> str | None:
    """Return the answer's words there, with hyphenated neighbours if a quote needs them."""
    start, end = span
    before = _JOINED_BEFORE.search(answer[max(0, start - _LONGEST_JOINED) : start])
    after = _JOINED_AFTER.match(answer[end : end + _LONGEST_JOINED])
    wider = answer[start - len(before[0] if before else "") : end + len(after[0] if after else "")]
    for quote in (answer[start:end], wider):
        if find_quote(quote, answer, proves=False) is not None:
            return quote
    return None


def _goes_on(text: str, at: int) -> bool:
    """Whether a word or number continues across that place: "50" is not a part of "1.50" or
    "500".
    """
    before, after = text[max(0, at - 1) : at], text[at : at + 1]
    if _LETTER.fullmatch(before) and _LETTER.fullmatch(after):
        return True
    around = (text[max(0, at - 2) : at + 1], text[max(0, at - 1) : at + 2])
    return any(map(_POINT.fullmatch, around))


def _by_number(said: str, answer: str, *, negated: bool) -> dict[str, Any]:
    finding = checked_against(said, answer)
    supported, window = finding.verdict == "FULLY_SUPPORTED", next(iter(finding.windows), None)
    differs = finding.verdict == "CONTRADICTORY" or finding.missing > 0
    reason = "a number or name of it is not in the answer" if finding.missing else finding.reason
    met = "YES" if supported is not negated else "NO"
    if not (supported or differs):
        met = "UNCLEAR"  # the number is there, but not enough of the words
    shown = window is not None and (supported or differs)
    return {
        "reason": one_reason(reason, "" if supported else languages_apart(said, answer)),
        "quote": answer[window.start : window.end] if window is not None and shown else None,
        "met": met,
    }
