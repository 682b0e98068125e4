"""An extractive answerer: no model, no key, only sentences of the documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .retriever import Index, Text

MOST_SENTENCES = 2
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def index_of_sentences(documents: Mapping[str, str]) -> Index:
    return Index(
        Text(name, sentence) for name, text in documents.items() for sentence in sentences_of(text)
    )


def sentences_of(text: str) -> Iterable[str]:
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield from _SENTENCE_END.split(line.strip())


def answer(question: str, sentences: Index, retrieved: Iterable[Text]) -> str:
    """The sentences that fit the question best, of the first retrieved document that has any."""
    for document, _ in retrieved:
        if found := sentences.search(question, MOST_SENTENCES, document):
            return " ".join(sentence.text for sentence in found)
    return "I don't know."
