"""What a corpus consists of: documents, their passages, and the files that were skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Passage:
    """A part of a document that can be understood on its own.

    Attributes:
        id: unique in the corpus, readable, and stable: `en/fares.md#children` is the section
            "Children", `en/fares.md#children-2` its second part, and `en/fares.md` a document that
            is one passage.
        document: the document's name.
        headings: the headings above the text, outermost first, as plain text. They begin with the
            document's title, and do not include the headings inside `text`.
        text: a verbatim slice of the document's text. The first part of a section begins with the
            section's heading.
    """

    id: str
    document: str
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Document:
    """A file that has passages.

    Attributes:
        name: unique in the corpus: the path below the given folder, with "/", or the name of the
            given file. If two are equal, the folder's name precedes them.
        title: None if the document has none.
        passages: at least one, in the order of the text.
        headings: all headings, in the order of the text, each once; the title is one if it is a
            heading of the text.
    """

    name: str
    title: str | None
    passages: tuple[Passage, ...]
    headings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Skipped:
    """A file, or the files of one suffix, that no passage is taken from.

    Attributes:
        name: as of a document, or the folder of files that are not read.
        reason: a phrase for people, such as "not text: it contains NUL bytes".
    """

    name: str
    reason: str


@dataclass(frozen=True)
class Corpus:
    """The documents of some files and folders.

    Attributes:
        documents: at least one, sorted by name.
        skipped: sorted by name.
    """

    documents: tuple[Document, ...]
    skipped: tuple[Skipped, ...]

    @cached_property
    def passages(self) -> Mapping[str, Passage]:
        """All passages by id, in the order of the documents and their texts."""
        return {one.id: one for document in self.documents for one in document.passages}
