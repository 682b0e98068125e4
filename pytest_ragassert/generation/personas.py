"""Has descriptions of people who would ask about a corpus written, once for the corpus."""

from __future__ import annotations

from ..corpus.passages import Corpus, Document
from ..language.escaping import shortened
from ..metrics.metric import Ask
from ..runtime.canonical_json import Json
from ..steps.write_personas import WRITE_PERSONAS

_MOST_HEADINGS = 20  # of one document
_LONGEST_BEGINNING = 80  # characters of a passage


async def personas_for(
    ask: Ask, corpus: Corpus, number: int, language: str | None
) -> tuple[str, ...]:
    """Return descriptions of up to `number` people who would ask about the corpus.

    They depend on the names of the documents and their headings alone, so that changed paragraphs
    do not change them. Of a document without headings, the beginnings of passages are used instead.

    Raises:
        JudgeError, VerdictMissing: the judge gave no answer.
    """
    documents = [{"name": one.name, "headings": _headings(one)} for one in corpus.documents]
    input: Json = {"documents": documents, "number": number, "language": language}
    reply = await ask(WRITE_PERSONAS.name, input)
    return tuple(reply["personas"])


def _headings(document: Document) -> list[str]:
    title = [document.title] if document.title else []
    headings = [*title, *document.headings] or [
        shortened(passage.text.strip().partition("\n")[0], _LONGEST_BEGINNING)
        for passage in document.passages
    ]
    return list(dict.fromkeys(headings))[:_MOST_HEADINGS]
