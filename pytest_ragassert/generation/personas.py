"""Has descriptions of people who would ask about a corpus written, once for the corpus."""

from __future__ import annotations

from ..corpus.passages import Corpus, Document
from ..metrics.metric import Ask
from ..runtime.canonical_json import Json
from ..steps.write_personas import WRITE_PERSONAS

_MOST_HEADINGS = 20  # of one document


async def personas_for(
    ask: Ask, corpus: Corpus, number: int, language: str | None
) -> tuple[str, ...]:
    """Return descriptions of up to `number` people who would ask about the corpus.

    They depend on the names of the documents and their headings alone, so that changed paragraphs
    do not change them.

    Raises:
        JudgeError, VerdictMissing: the judge gave no answer.
    """
    documents = [{"name": one.name, "headings": _headings(one)} for one in corpus.documents]
    input: Json = {"documents": documents, "number": number, "language": language}
    reply = await ask(WRITE_PERSONAS.name, input)
    return tuple(reply["personas"])


def _headings(document: Document) -> list[str]:
    paths = (heading for passage in document.passages for heading in passage.headings)
    headings = dict.fromkeys([*([document.title] if document.title else []), *paths])
    return list(headings)[:_MOST_HEADINGS]
