"""The data set that cases are generated for: which lines it has already, and which come next."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..corpus.passages import Corpus
from ..errors import ConfigurationError
from .case_lines import CaseLine, hashes_of, read_lines
from .draft import Draft
from .generator import EarlierCase


@dataclass(frozen=True)
class DataSet:
    """The lines of a data set before cases are generated.

    Attributes:
        lines: those that stay as they are, in the order of the file.
        outdated: those of cases whose passages changed; they are made again.
    """

    lines: Sequence[CaseLine] = ()
    outdated: Sequence[CaseLine] = ()

    @classmethod
    def replacing(cls, path: Path) -> DataSet:
        """Return an empty data set that may replace a file.

        Raises:
            ConfigurationError: the file has lines that a person wrote or changed.
        """
        if path.exists():
            edited = [line.name for line in read_lines(path) if line.edited]
            if edited:
                raise ConfigurationError(
                    f"{path} has {len(edited)} of your own changes or cases ({edited[0]}"
                    f"{', …' * (len(edited) > 1)}), which would be lost: keep them with --update "
                    f"{path}, or name another file with --output"
                )
        return cls()

    @classmethod
    def updating(cls, path: Path, corpus: Corpus, rejected: Collection[str]) -> DataSet:
        """Return a data set that keeps the lines of a file.

        Args:
            corpus: the documents as they are now.
            rejected: ids of cases to leave out.

        Raises:
            ConfigurationError: the file can't be read.
        """
        lines = [line for line in read_lines(path) if line.record.get("id") not in rejected]
        hashes = hashes_of(corpus)
        return cls(
            [line for line in lines if line.is_current(hashes)],
            [line for line in lines if not line.is_current(hashes)],
        )

    @property
    def earlier(self) -> list[EarlierCase]:
        """What a generator needs to know of the lines that stay."""
        return [line.as_earlier() for line in self.lines]

    @property
    def personas(self) -> tuple[str, ...]:
        """The personas of the generated cases, each once."""
        all_lines = [*self.lines, *self.outdated]
        personas = (line.record.get("persona") for line in all_lines if line.kind is not None)
        return tuple(dict.fromkeys(one for one in personas if isinstance(one, str)))

    def with_new(self, drafts: Iterable[Draft], made_by: Mapping[str, Any]) -> list[CaseLine]:
        """Return all lines: first those that stay, then the new ones by document and id."""
        new = [CaseLine.of_draft(draft, made_by) for draft in drafts]
        return [*self.lines, *sorted(new, key=lambda one: (one.documents[:1], one.record["id"]))]
