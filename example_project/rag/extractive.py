"""An answerer without a model: it repeats the sentences that answer the question best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing

from .corpus import Passage
from .index import Index
from .languages import DONT_KNOW, language_of, search_terms

MOST_SENTENCES = 2
# The point of "am 1. Mai" ends no sentence.
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\s\d\.)(?<!\s\d\d\.)\s+|(?<=[。！？])")


def extractive_answer(question: str, passages: Sequence[Passage]) -> str:
    """One or two sentences of one passage. They must hold more than half of the question's words,
    else the answer is that it is not known.
    """
    terms = search_terms(question)
    sentences = [
        (passage, sentence) for passage in passages for sentence in sentences_of(passage.text)
    ]
    held = _terms_held(terms, [f"{passage.heading}. {text}" for passage, text in sentences])
    chosen: list[int] = []
    covered: set[str] = set()
    while len(chosen) < MOST_SENTENCES:
        fitting = [
            place
            for place, (passage, _) in enumerate(sentences)
            if held[place] - covered and (not chosen or passage == sentences[chosen[0]][0])
        ]
        if not fitting:
            break
        # the sentence that answers most of what is still open; of equals the first
        best = max(fitting, key=lambda place: len(held[place] - covered))
        chosen.append(best)
        covered |= held[best]
    if 2 * len(covered) <= len(terms):
        return DONT_KNOW[language_of(question)]
    joint = "" if language_of(question) == "zh" else " "
    return joint.join(sentences[place][1] for place in sorted(chosen))


def sentences_of(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(text) if sentence]


def _terms_held(terms: Sequence[str], texts: Sequence[str]) -> list[set[str]]:
    held: list[set[str]] = [set() for _ in texts]
    with closing(Index(texts)) as index:
        for term in terms:
            for place in index.search([term]):
                held[place].add(term)
    return held
