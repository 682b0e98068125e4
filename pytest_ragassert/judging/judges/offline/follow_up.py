"""What a question leaves to the turns before it: "And for children?", "How long does it take?"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ....language.phrases.patterns import compiled
from ....language.phrases.table import phrases_of
from .questions import asks_number

# By language: how a question opens that goes on with the one before it.
_GOES_ON = {
    "en": compiled(r"\W*(?:and|but|or|also|what about|how about|what if)\b"),
    "de": compiled(
        r"\W*(?:und|aber|oder|auch|was ist mit|wie (?:ist|steht|sieht) (?:es|das) (?:mit|bei)"
        r"|wie wäre es mit)\b"
    ),
    "ru": compiled(r"\W*(?:а|и|но|или|также|(?:а )?(?:что|как) насч[её]т|(?:а )?как же)\b"),
}
_GOES_ON_IN_CHINESE = re.compile(r"呢\s*[?？]?\s*$")
_ASKS = compiled(
    r"\W*(?:who|what|when|where|which|whose|why|how|wer|was|wann|wo\w*|welche\w*|wessen|warum"
    r"|wieso|wie|кто|что|когда|где|куда|откуда|как\w*|чей|почему|зачем|сколько)\b"
)
# Words that stand for what was said before.
_REFERS = compiled(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|there|that|those|these|this|one"
    r"|ones|er|sie|es|ihn|ihm|ihr|ihre[nmrs]?|dort|da|dafür|davon|damit|dazu|dabei|dies\w*|jene\w*"
    r"|он|она|оно|они|его|е[её]|их|ему|ей|им|ними?|там|туда|оттуда|этот|эта|это|эти|этого|этой)\b"
    r"|[它他她]|那里|那儿|那个|这个|这里|其中"
)
_FEW = 4  # words of a question that may be a part of one
_WORD = re.compile(r"[^\W_]+")
_DENSE = re.compile("[\u3400-\u9fff]")  # written without spaces
_NUMBER = re.compile(r"\d\S*")


class Asked(NamedTuple):
    """A question as it is to be understood.

    Attributes:
        question: as it stands.
        before: the turns that it goes on with; empty where it stands alone.
        known: what need not be said in an answer: the question and what was said before, without
            the numbers of earlier answers, as an answer has to say its own.
        is_part: it leaves to the turns before what is asked, and not only of what.
        number: a number or a date is asked for.
    """

    question: str
    before: str
    known: str
    is_part: bool
    number: bool


def read_question(question: str, history: Sequence[Mapping[str, Any]] = ()) -> Asked:
    """The question with what it leaves to the turns before: those from the last one on that stands
    alone, where it is a part of a question, or has a word for what was said."""
    is_part = bool(history) and _is_part(question)
    if not history or not (is_part or _REFERS.search(question)):
        return Asked(question, "", question, False, asks_number(question))
    own = [at for at, turn in enumerate(history) if turn["role"] == "user"]
    alone = [at for at in own if not _is_part(history[at]["content"])]
    turns = history[(alone or own or [0])[-1 if alone else 0] :]
    before = "\n".join(turn["content"] for turn in turns)
    said = [
        turn["content"] if turn["role"] == "user" else _NUMBER.sub(" ", turn["content"])
        for turn in turns
    ]
    number = asks_number(question) or (is_part and asks_number(said[0]))
    return Asked(question, before, "\n".join([*said, question]), is_part, number)


def _is_part(question: str) -> bool:
    """Whether it has no verb, and goes on with another question or is as short as a part of one."""
    if _GOES_ON_IN_CHINESE.search(question):
        return True
    for code, goes_on in _GOES_ON.items():
        if opening := goes_on.match(question):
            return not phrases_of(code).finite.search(question, opening.end())
    if _DENSE.search(question) or _ASKS.match(question) or len(_WORD.findall(question)) > _FEW:
        return False
    return not any(phrases_of(code).finite.search(question) for code in _GOES_ON)
