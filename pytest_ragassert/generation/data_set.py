"""The data set that cases are generated for: which lines stay, and which cases are made again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..corpus.passages import Corpus
from ..errors import ConfigurationError
from ..language.escaping import visible
from .case_lines import CaseLine, passage_hash, read_lines
from .draft import Draft
from .generator import EarlierCase


@dataclass
class DataSet:
    """The lines of a data set before cases are generated.

    Attributes:
        lines: those that stay, in the order of the file.
        outdated: those of cases whose passages changed; they are made again.
        gone: those of cases whose documents are gone.
        unread: those that stay although their documents were skipped, by document.
        still_proven: those that stay because a person changed them and their quotes are still in
            their documents, although their passages changed.
        rejected: keys of candidates that a person rejected.
        replaced: how many cases the file has that is replaced.
    """

    lines: Sequence[CaseLine] = ()
    outdated: list[CaseLine] = field(default_factory=list)
    gone: list[CaseLine] = field(default_factory=list)
    unread: dict[str, list[CaseLine]] = field(default_factory=dict)
    still_proven: list[CaseLine] = field(default_factory=list)
    rejected: frozenset[str] = frozenset()
    replaced: int = 0

    @classmethod
    def replacing(cls, path: Path) -> DataSet:
        """Return an empty data set for a file that it may replace.

        Raises:
            ConfigurationError: the file has lines that a person wrote or changed, or is not a
                file of cases.
        """
        lines = read_lines(path) if path.exists() else []
        edited = [line.name for line in lines if line.edited]
        if edited:
            raise ConfigurationError(
                f"{path} has {len(edited)} of your own changes or cases ({edited[0]}"
                f"{', …' * (len(edited) > 1)}), which would be lost: keep them with --update "
                f"{path}, or name another file with --output"
            )
        rejected = frozenset(key for line in lines for key in line.rejected)
        return cls(rejected=rejected, replaced=len(lines))

    @classmethod
    def updating(cls, path: Path, corpus: Corpus, rejected: Collection[str]) -> DataSet:
        """Return a data set that keeps the lines of a file.

        Args:
            corpus: the documents as they are now.
            rejected: ids of cases to leave out.

        Raises:
            ConfigurationError: the file can't be read, or the documents of most cases are gone.
        """
        lines = read_lines(path)
        own = [line for line in lines if str(line.record.get("id")) in rejected]
        keys = {key for line in lines for key in line.rejected}
        keys.update(line.key for line in own if line.key is not None)
        made, known = cls(rejected=frozenset(keys)), _Known(corpus)
        rest = [line for line in lines if line not in own]
        made.lines = [
            present for line in rest if (present := made._present(line, known)) is not None
        ]
        if len(made.gone) > len(made.lines) + len(made.outdated):
            names = sorted({name for line in made.gone for name in line.documents})
            raise ConfigurationError(
                f"{path}: {len(made.gone)} of {len(rest)} cases are about documents that are not "
                f"among those read, such as {visible(names[0])}; name the same files and folders "
                "as before, or another file with --output"
            )
        return made

    def _present(self, line: CaseLine, known: _Known) -> CaseLine | None:
        """Return the line as it is now; None if it does not stay."""
        if all(hash in known.ids for hash in line.passages.values()):
            return known.with_names(line)
        skipped = [name for name in line.documents if name in known.skipped]
        if skipped:
            self.unread.setdefault(skipped[0], []).append(line)
            return line
        if any(name not in known.texts for name in line.documents):
            self.gone.append(line)
            return None
        if line.edited and known.has_quotes(line):
            self.still_proven.append(line)
            return line
        self.outdated.append(line)
        return None

    @property
    def earlier(self) -> list[EarlierCase]:
        """What a generator needs to know of the lines that stay."""
        return [line.as_earlier() for line in self.lines]

    @property
    def personas(self) -> tuple[str, ...]:
        """The personas of the generated cases, each once."""
        all_lines = [*self.lines, *self.outdated, *self.gone]
        personas = (line.record.get("persona") for line in all_lines if line.kind is not None)
        return tuple(dict.fromkeys(one for one in personas if isinstance(one, str)))

    def with_new(
        self,
        drafts: Iterable[Draft],
        made_by: Mapping[str, Any],
        rejected: Collection[str] = (),
    ) -> list[CaseLine]:
        """Return all lines: first those that stay, then the new ones by document and id.

        One generated case remembers what was rejected, so that it is not written again.

        Args:
            made_by: further entries of `generation_params`.
            rejected: keys of further candidates that a person rejected.
        """
        new = [CaseLine.of_draft(draft, made_by) for draft in drafts]
        new.sort(key=lambda one: (one.documents[:1], one.record["id"]))
        lines = [*self.lines, *new]
        forgotten = self.rejected.union(rejected) - {key for line in lines for key in line.rejected}
        if forgotten:
            generated = (at for at, line in enumerate(lines) if line.kind is not None)
            at = next(generated, None) if not new else len(self.lines)
            if at is not None:
                lines[at] = lines[at].remembering(sorted(forgotten))
        return lines


class _Known:
    """The passages of a corpus.

    Attributes:
        ids: by hash, the smallest id first.
        texts: the texts of each document's passages.
        skipped: the names of files that were not read.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._passages = corpus.passages
        self.skipped = {one.name for one in corpus.skipped}
        self.texts = {
            document.name: [one.text for one in document.passages] for document in corpus.documents
        }

    @cached_property
    def ids(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for id, passage in sorted(self._passages.items()):
            found.setdefault(passage_hash(passage), []).append(id)
        return found

    def with_names(self, line: CaseLine) -> CaseLine:
        """Return a line whose passages are all there, with the names that they have now."""
        ids = {
            id: self.ids[hash][0] for id, hash in line.passages.items() if id not in self.ids[hash]
        }
        if not ids:
            return line
        former = {str(unit.get("id")): str(unit.get("document")) for unit in line.units}
        documents = {
            former[old]: self._passages[new].document for old, new in ids.items() if old in former
        }
        return line.renamed(ids, documents)

    def has_quotes(self, line: CaseLine) -> bool:
        """Whether the documents of a case still contain each of its quotes."""
        texts = [text for name in line.documents for text in self.texts.get(name, ())]
        quotes = line.quotes
        return bool(quotes) and all(any(quote in text for text in texts) for quote in quotes)
