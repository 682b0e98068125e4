"""The kinds of patterns that a language has, and how they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass

NEVER = re.compile(r"(?!)")
ALWAYS = re.compile("")

# The end of a lead-in whose word could also begin a statement: "Sure Start", "No dogs".
STOP = r"(?:\s*(?:[,.!…،，。！、]+|$)|\s[-–]\s|\s?—)"
# The end of a sentence that contains only the phrase before.
END = r"[.!…。！]*\s*$"


@dataclass(frozen=True)
class Phrases:
    """The patterns of one language. The default of each matches nothing."""

    leads: re.Pattern[str] = NEVER  # matched at the start of a sentence and cut off
    nothing: re.Pattern[str] = NEVER  # matched at the start of the rest, which then says nothing
    not_in_sources: re.Pattern[str] = NEVER  # searched anywhere
    # splits a sentence so that a half that says nothing may be dropped
    turns: re.Pattern[str] = NEVER
    # a possible end of a sentence that says nothing more: ", sorry"
    closings: re.Pattern[str] = NEVER
    # Splits only a text that begins by saying nothing: "I can't find anything but ...".
    corrects: re.Pattern[str] = NEVER
    # Searched in a text that begins by saying nothing, but says something: "other than every hour".
    exceeds: re.Pattern[str] = NEVER
    goes_on: re.Pattern[str] = NEVER  # matched after a comma: what is not known, or why
    asserts: re.Pattern[str] = NEVER  # matched after a comma: a clause that states something
    lists: re.Pattern[str] = NEVER  # "and" and "or"
    # Words for not knowing, sources and courtesy, and function words; "document*" means all words
    # with this beginning. An answer in these and in the question's words says nothing new.
    empty: frozenset[str] = frozenset()
    # Those of them that answer a question that contains them: "Is it mentioned?" "Not mentioned."
    reporting: frozenset[str] = frozenset()
    doubtful: re.Pattern[str] = NEVER  # searched: an answer that may say more than its words
    # A separator of two clauses. Its group `alone` is a subject that proves a clause by itself. Its
    # groups `bare` and `listed` are a weak "and", which often joins less than clauses, the second
    # only if it is not followed by such a subject.
    joints: re.Pattern[str] = NEVER
    finite: re.Pattern[str] = ALWAYS  # what the clause before a joint must contain
    bound: re.Pattern[str] = NEVER  # searched there: a weak "and" continues it
    opens: re.Pattern[str] = NEVER  # matched at its start: it is not a separate clause ("If ...")
    opinion: frozenset[str] = frozenset()  # words (Chinese: parts of words) that state no fact
    yes_no: re.Pattern[str] = NEVER  # matches an answer that is only yes or no


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile `pattern` ignoring case, with any apostrophe for its `'` and any white space for its
    ` `.

    Neither may be in a set of characters.
    """
    pattern = pattern.replace("'", "['’ʼ´]").replace(" ", r"\s")
    return re.compile(pattern, re.IGNORECASE)


def opening(*phrases: str) -> re.Pattern[str]:
    """Return a pattern of any of the phrases, to be matched at the start of a text."""
    return compiled(r"\s*(?:" + "|".join(phrases) + ")")
