"""Texts of kinds that no labelled set has, made from sets that people labelled.

Long summaries, and copied sentences and summaries in which one name, number, negation or opposite
was changed. What a change makes of a claim that people call supported is not supported. They are
the same in every run.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

SUMMARIES = 120  # of each kind from each set
PAIRS = """
    first last, north south, east west, more fewer, before after, won lost, early late, large small,
    high low, old new, northern southern, father mother, son daughter, best worst, male female,
    founded dissolved, began ended, born died, opened closed, American British, black white,
    brother sister, public private, positive negative, increase decrease, until since"""
OPPOSITES = {
    one: other for pair in PAIRS.split(",") for one, other in (pair.split(), pair.split()[::-1])
}


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A claim or a text of several, with its contexts, and whether these support it.

    `of` is the set that people labelled; `group` is the set that it is measured in.
    """

    group: str
    of: str
    text: str
    contexts: tuple[str, ...]
    supported: bool


def made_of(rows: Sequence[LabelledText]) -> Iterator[LabelledText]:
    """Copied sentences and summaries of the claims in each set."""
    for name in dict.fromkeys(row.of for row in rows):
        rng = random.Random(name)
        own = [row for row in rows if row.of == name and len(row.text.split()) >= 5]
        yield from _copied(own, rng)
        yield from _summaries(own, rng)


def _copied(rows: Sequence[LabelledText], rng: random.Random) -> Iterator[LabelledText]:
    """One or three sentences of a context, in every other text one of them changed."""
    for row in rng.sample(rows, min(len(rows), SUMMARIES)):
        cut = re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(row.contexts))
        sentences = [one for one in cut if 8 <= len(one.split()) <= 35]
        for number, group in ((1, "copied sentence"), (3, "copied sentences")):
            if len(sentences) < number:
                continue
            places = sorted(rng.sample(range(len(sentences)), number))
            made = replace(row, group=group, supported=True)
            yield from _maybe_changed(made, [sentences[place] for place in places], rng)


def _summaries(rows: Sequence[LabelledText], rng: random.Random) -> Iterator[LabelledText]:
    """Several claims and all their contexts; half of them with a change or an unsupported claim."""
    true = [row for row in rows if row.supported]
    # what a speaker says of himself is in no summary
    false = [row for row in rows if not row.supported and not re.search(r"\b[Ii]\b", row.text)]
    for _ in range(SUMMARIES):
        parts = rng.sample(true, rng.randrange(3, 8))
        made = LabelledText("edited summary", parts[0].of, "", _contexts(parts), True)
        yield from _maybe_changed(made, [_ended(part.text) for part in parts], rng)
        bad = rng.choice((0, 0, 1, 2))
        parts = rng.sample(true, rng.randrange(4, 9) - bad) + rng.sample(false, bad)
        rng.shuffle(parts)
        text = " ".join(_ended(part.text) for part in parts)
        yield LabelledText("long summary", parts[0].of, text, _contexts(parts), not bad)


def _contexts(parts: Sequence[LabelledText]) -> tuple[str, ...]:
    return tuple(context for part in parts for context in part.contexts)


def _ended(text: str) -> str:
    return text if text.rstrip()[-1:] in ".!?" else f"{text.rstrip()}."


def _maybe_changed(
    made: LabelledText, sentences: list[str], rng: random.Random
) -> Iterator[LabelledText]:
    if rng.random() < 0.5:
        yield replace(made, text=" ".join(sentences))
        return
    place = rng.randrange(len(sentences))
    contexts = " ".join(made.contexts)
    for change in rng.sample(CHANGES, len(CHANGES)):
        changed = change(sentences[place], contexts, rng)
        if changed and changed not in contexts:
            sentences[place] = changed
            yield replace(made, text=" ".join(sentences), supported=False)
            return


Change = Callable[[str, str, random.Random], str]  # "" where there is nothing to change


def _other_name(text: str, contexts: str, rng: random.Random) -> str:
    own = _names(text)
    others = sorted({name for name in _names(contexts) if len(name) > 3 and name not in text})
    return text.replace(rng.choice(own), rng.choice(others), 1) if own and others else ""


def _names(text: str) -> list[str]:
    return re.findall(r"(?<=[a-z,] )[A-Z][a-zA-Z]+(?: [A-Z][a-zA-Z]+)*", text)


def _other_number(text: str, contexts: str, rng: random.Random) -> str:
    digits = [match.start() for match in re.finditer(r"\d", text)]
    if not digits:
        return ""
    place = rng.choice(digits)
    other = (int(text[place]) + rng.randrange(1, 9)) % 9 + 1
    return "" if str(other) == text[place] else f"{text[:place]}{other}{text[place + 1 :]}"


def _negated(text: str, contexts: str, rng: random.Random) -> str:
    verb = re.search(r"\b(is|was|are|were|has|had|can|will|could)\b(?! not)", text)
    return f"{text[: verb.end()]} not{text[verb.end() :]}" if verb else ""


def _opposite(text: str, contexts: str, rng: random.Random) -> str:
    words = [match for match in re.finditer(r"\w+", text) if match[0] in OPPOSITES]
    if not words:
        return ""
    word = rng.choice(words)
    return f"{text[: word.start()]}{OPPOSITES[word[0]]}{text[word.end() :]}"


CHANGES: tuple[Change, ...] = (_other_name, _other_number, _negated, _opposite)
