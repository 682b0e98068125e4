"""The patterns of a language for what a question refers to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .patterns import NEVER


@dataclass(frozen=True)
class QuestionPhrases:
    """The patterns of one language, for a question with single spaces.

    Attributes:
        refers: searched: it refers to a text that its reader does not see.
        refers_loosely: searched: the same, unless the question asks how to do something, which may
            be done with a text: "How do I insert a picture in the text?"
        asks_how: matched at the start: it asks how to do something.
        open: each matched at the start: its group `pronoun` refers to something, and nothing in the
            question says to what.
    """

    refers: re.Pattern[str] = NEVER
    refers_loosely: re.Pattern[str] = NEVER
    asks_how: re.Pattern[str] = NEVER
    open: tuple[re.Pattern[str], ...] = ()
