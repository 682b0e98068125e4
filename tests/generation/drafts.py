"""Passages, candidates and drafts for tests."""

from __future__ import annotations

from hypothesis import strategies as st

from pytest_ragassert.corpus.passages import Corpus, Document, Passage
from pytest_ragassert.generation.candidates import KINDS, Candidate
from pytest_ragassert.generation.draft import Draft, SourceQuote

TEXTS = st.text(min_size=1, max_size=60)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


def passage(id: str, text: str, *headings: str) -> Passage:
    return Passage(id, id.partition("#")[0], headings, text)


def document(name: str, *texts: str) -> Document:
    passages = (passage(f"{name}#{n}", text, name) for n, text in enumerate(texts))
    return Document(name, name, tuple(passages), (name,))


def corpus(*documents: Document) -> Corpus:
    return Corpus(tuple(sorted(documents, key=lambda one: one.name)), ())


@st.composite
def candidates(draw: st.DrawFn) -> Candidate:
    ids = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    passages = [
        passage(f"{id}.md#{id}", draw(TEXTS), *draw(st.lists(TEXTS, max_size=2))) for id in ids
    ]
    optional = st.none() | TEXTS
    kind = draw(st.sampled_from(KINDS))
    return Candidate(kind, tuple(passages), draw(optional), draw(optional))


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Drafts whose quotes are in their passages."""
    candidate = draw(candidates())
    quotes = []
    if candidate.kind != "unanswerable":
        for number, one in enumerate(candidate.passages):
            start = draw(st.integers(0, len(one.text) - 1))
            end = draw(st.integers(start + 1, len(one.text)))
            quotes.append(SourceQuote(number, one.text[start:end], (start, end)))
    return Draft(candidate, draw(TEXTS), draw(st.just("") | TEXTS), tuple(quotes))
