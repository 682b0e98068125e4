"""The patterns that a language has, and how they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass

NEVER = re.compile(r"(?!)")
ALWAYS = re.compile("")

# What ends a lead-in, where its word could as well begin a statement: "Sure Start", "No dogs".
STOP = r"(?:\s*(?:[,.!…،，。！、]+|$)|\s[-–]\s|\s?—)"
# The end of a sentence that holds no more than the phrase before.
END = r"[.!…。！]*\s*$"


@dataclass(frozen=True)
class Phrases:
    """The patterns of one language; the default of each finds nothing."""

    leads: re.Pattern[str] = NEVER  # matched at a sentence's start, cut off there
    nothing: re.Pattern[str] = NEVER  # matched at the start of the rest, which then says nothing
    not_in_sources: re.Pattern[str] = NEVER  # searched anywhere
    turns: re.Pattern[str] = NEVER  # splits where a half that says nothing may be dropped
    closings: re.Pattern[str] = NEVER  # what a sentence may end with, saying no more: ", sorry"
    # Splits what begins by saying nothing, there only: "I can't find anything but ...".
    corrects: re.Pattern[str] = NEVER
    # Searched in what begins by saying nothing; it then says something: "other than every hour".
    exceeds: re.Pattern[str] = NEVER
    goes_on: re.Pattern[str] = NEVER  # matched after a comma: what is not known, or why
    asserts: re.Pattern[str] = NEVER  # matched after a comma: a clause that states something
    lists: re.Pattern[str] = NEVER  # "and" and "or"
    # Words of not knowing, of sources and of courtesy, and function words; "document*" stands for
    # all that begin so. What an answer says in these and in the question's words is nothing new.
    empty: frozenset[str] = frozenset()
    # Those of them that answer a question which has them: "Is it mentioned?" "Not mentioned."
    reporting: frozenset[str] = frozenset()
    doubtful: re.Pattern[str] = NEVER  # searched: an answer that may say more than its words
    # A separator of two clauses. Its group `alone` stands for a subject that needs no more proof
    # than itself; its groups `bare` and `listed` for a weak "and", which often joins less than
    # clauses, the second only where it isn't followed by such a subject.
    joints: re.Pattern[str] = NEVER
    finite: re.Pattern[str] = ALWAYS  # what the clause before a joint has to hold
    bound: re.Pattern[str] = NEVER  # searched there: a weak "and" goes on with it
    opens: re.Pattern[str] = NEVER  # matched at its start: it is none of its own ("If ...")
    opinion: frozenset[str] = frozenset()  # words (Chinese: parts of words) that state no fact
    yes_no: re.Pattern[str] = NEVER  # matches an answer that is only yes or no


def compiled(pattern: str) -> re.Pattern[str]:
    """`pattern` ignoring case, with any apostrophe for its `'` and any white space for its ` `.

    Neither may stand in a set of characters.
    """
    pattern = pattern.replace("'", "['’ʼ´]").replace(" ", r"\s")
    return re.compile(pattern, re.IGNORECASE)


def opening(*phrases: str) -> re.Pattern[str]:
    """A pattern of any of the phrases, to be matched at the start of a text."""
    return compiled(r"\s*(?:" + "|".join(phrases) + ")")
