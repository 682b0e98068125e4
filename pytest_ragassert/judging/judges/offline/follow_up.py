"""Finds what a question takes from the turns before it: "And for children?", "How long does it
take?".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ....language.phrases.patterns import compiled
from ....language.phrases.table import phrases_of
from .questions import asks_number
from .text_comparison import shared

# By language: how a question begins that continues the previous one.
_GOES_ON = {
    "en": compiled(r"\W*(?:and|but|or|also|what about|how about|what if)\b"),
    "de": compiled(
        r"\W*(?:und|aber|oder|auch|was ist mit|wie (?:ist|steht|sieht) (?:es|das) (?:mit|bei)"
        r"|wie wäre es mit)\b"
    ),
    "ru": compiled(r"\W*(?:а|и|но|или|также|(?:а )?(?:что|как) насч[её]т|(?:а )?как же)\b"),
}
_GOES_ON_IN_CHINESE = re.compile("呢$")
_ASKS = compiled(
    r"\W*(?:who|what|when|where|which|whose|why|how|wer|was|wann|wo\w*|welche\w*|wessen|warum"
    r"|wieso|wie|кто|что|когда|где|куда|откуда|как\w*|чей|почему|зачем|сколько)\b"
)
# Words that refer to the conversation before.
_REFERS = compiled(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|there|that|those|these|this|one"
    r"|ones|er|sie|es|ihn|ihm|ihr|ihre[nmrs]?|dort|da|dafür|davon|damit|dazu|dabei|dies\w*|jene\w*"
    r"|он|она|оно|они|его|е[её]|их|ему|ей|им|ними?|там|туда|оттуда|этот|эта|это|эти|этого|этой)\b"
    r"|[它他她]|那里|那儿|那个|这个|这里|其中"
)
_FEW = 4  # maximum words of a question that may be a part of one
_WORD = re.compile(r"[^\W_]+")
_DENSE = re.compile("[\u3400-\u9fff]")  # the same in characters, in scripts without spaces
_NUMBER = re.compile(r"\d\S*")
_AROUND = " \t\r\n,，、;:：.。?？!！…\"'“”«»„"
_LONGEST_BARE = 40  # maximum characters of an answer that may be only a few words


class Asked(NamedTuple):
    """A question as it is to be understood.

    Attributes:
        question: its own text.
        before: the turns that it continues; empty if it is self-contained.
        known: what an answer need not repeat: the question and the turns before, except the
            numbers of earlier answers, because an answer has to state its own.
        part: if the question only names a part of what was asked before, that part ("for
            children"); None if the question is complete.
        number: it asks for a number or a date.
    """

    question: str
    before: str
    known: str
    part: str | None
    number: bool


def read_question(question: str, history: Sequence[Mapping[str, Any]] = ()) -> Asked:
    """Return the question with the turns that it continues. These start at the last self-contained
    question, and are used if this one is a part of a question or refers to them.
    """
    part = _part(question) if history else None
    if not history or (part is None and not _REFERS.search(question)):
        return Asked(question, "", question, None, asks_number(question))
    own = [at for at, turn in enumerate(history) if turn["role"] == "user"]
    alone = [at for at in own if _part(history[at]["content"]) is None]
    turns = history[(alone or own or [0])[-1 if alone else 0] :]
    before = "\n".join(turn["content"] for turn in turns)
    said = [
        turn["content"] if turn["role"] == "user" else _NUMBER.sub(" ", turn["content"])
        for turn in turns
    ]
    number = asks_number(question) or (part is not None and asks_number(said[0]))
    return Asked(question, before, "\n".join([*said, question]), part, number)


def with_part(asked: Asked, claims: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the claims. A single one of a few bare words names its subject: "for children: 5
    pounds.".
    """
    if not asked.part or len(claims) != 1 or not _is_bare(claims[0]["text"], asked.part):
        return claims
    return [{**claims[0], "text": f"{asked.part}: {claims[0]['text']}"}]


def _is_bare(answer: str, part: str) -> bool:
    if len(answer) > _LONGEST_BARE or shared(part, answer).found:
        return False
    return bool(_DENSE.search(answer)) or not _has_verb(answer)


def _has_verb(text: str) -> bool:
    return any(phrases_of(code).finite.search(text) for code in _GOES_ON)


def _part(question: str) -> str | None:
    """Return the part that the question names if it has no verb and either continues another
    question or is as short as a part of one; None if it is complete.
    """
    bare = question.strip(_AROUND)
    if end := _GOES_ON_IN_CHINESE.search(bare):
        return bare[: end.start()].removeprefix("那").removeprefix("么").strip(_AROUND)
    for code, goes_on in _GOES_ON.items():
        if opening := goes_on.match(bare):
            rest = bare[opening.end() :]
            return None if phrases_of(code).finite.search(rest) else rest.strip(_AROUND)
    if _DENSE.search(question) or _ASKS.match(question) or len(_WORD.findall(question)) > _FEW:
        return None
    return None if _has_verb(bare) else bare
