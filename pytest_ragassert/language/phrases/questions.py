"""Finds why a question is not clear to somebody who sees only the question: it refers to a text
("in this section"), or to something that it does not name ("What does it cost?").
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache

from .question_patterns import QuestionPhrases

_MODULES = (
    "english_questions",
    "german_questions",
    "russian_questions",
    "chinese_questions",
    "french_questions",
    "spanish_questions",
    "japanese_questions",
)
_LONGEST = 2_000  # characters that are searched; questions are shorter
# A title or a message is not in the question's own words.
_QUOTED = re.compile(
    r"“[^“”]{1,200}”|„[^„“”]{1,200}[“”]|«[^«»]{1,200}»|»[^«»]{1,200}«|‘[^‘’]{1,200}’(?!\w)"
    r"|‚[^‚‘]{1,200}‘|「[^「」]{1,200}」|『[^『』]{1,200}』|《[^《》]{1,200}》|`[^`]{1,200}`"
    r"|\"[^\"]{1,200}\"|(?<!\w)'[^']{1,200}'(?!\w)"
)
_TITLE = "Q1"  # replaces what is quoted: a name, in no language


def source_words(question: str) -> str | None:
    """Return the words by which a question refers to a text that its reader does not see, or None.

    Examples are "according to the passage", "in diesem Abschnitt" and "根据上文". Words in
    quotation marks do not count, nor do texts that the question names: "the author of 'Emma'".
    """
    text = _plain(question)
    for phrases in _tables():
        if found := phrases.refers.search(text):
            return _as_written(found, question)
        found = phrases.refers_loosely.search(text)
        if found and not phrases.asks_how.match(text):
            return _as_written(found, question)
    return None


def open_reference(question: str) -> str | None:
    """Return the pronoun for what a question asks about if nothing in it says what is meant, or
    None.

    "it" is one in "What does it cost?", but not in "What is it called when a ferry turns?". If the
    words of a question do not decide, there is none. `words.references` has another rule, for
    claims: it finds too many rather than too few.
    """
    text = _plain(question)
    found = (pattern.match(text) for phrases in _tables() for pattern in phrases.open)
    return next((match["pronoun"] for match in found if match), None)


def _plain(question: str) -> str:
    """Return the question with single spaces, and with a name instead of what it quotes."""
    return _QUOTED.sub(_TITLE, _spaced(question))


def _spaced(question: str) -> str:
    """Return the question with single spaces."""
    return " ".join(question[:_LONGEST].split())


def _as_written(found: re.Match[str], question: str) -> str:
    """Return what was found in a plain question, with what the question quotes in it."""
    text = _spaced(question)
    start, end = found.span()
    start_moved = end_moved = moved = 0
    for quoted in _QUOTED.finditer(text):
        longer = len(quoted[0]) - len(_TITLE)
        start_moved += longer if quoted.start() - moved < start else 0
        end_moved += longer if quoted.start() - moved < end else 0
        moved += longer
    return text[start + start_moved : end + end_moved].strip()


@lru_cache(maxsize=1)
def _tables() -> tuple[QuestionPhrases, ...]:
    # all of them: the language of a short text is easily mistaken; imported late, because only
    # questions that a model wrote are read so
    modules = (importlib.import_module(f"{__package__}.{module}") for module in _MODULES)
    return tuple(module.PHRASES for module in modules)
