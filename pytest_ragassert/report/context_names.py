"""Names retrieved contexts in reports: by source, id, or both if they differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analysis.records.result_record import CaseTexts

# Ids that libraries generate from random numbers or digests, which add nothing to a source.
_MACHINE_MADE = re.compile(r"[0-9a-fA-F-]{32,}")

Names = Sequence[str | None] | None


def names_in(texts: CaseTexts) -> list[str | None]:
    """The names of the retrieved contexts of a case, as from `context_names`."""
    return context_names(
        len(texts.retrieved_contexts or ()),
        texts.retrieved_context_sources,
        texts.retrieved_context_ids,
    )


def context_names(count: int, sources: Names, ids: Names) -> list[str | None]:
    """The name of each context, such as `fares.md (id1)` if both are known; None if neither is.

    Args:
        count: the number of contexts; a list of another length is ignored.
    """
    named = [
        list(names) if names is not None and len(names) == count else [None] * count
        for names in (sources, ids)
    ]
    return [_name(source, id) for source, id in zip(*named, strict=True)]


def misfit(count: int, sources: Names, ids: Names) -> str | None:
    """Why given names are not shown; None if they are."""
    given = {"retrieved_context_ids": ids, "retrieved_context_sources": sources}
    said = [
        f"{field} has {len(names)} for {count}"
        for field, names in given.items()
        if names is not None and len(names) != count
    ]
    return f"{' and '.join(said)}: they cannot be matched" if said else None


def _name(source: str | None, id: str | None) -> str | None:
    if not source or not id or id in source or _MACHINE_MADE.fullmatch(id):
        return source or id
    return f"{source} ({id})"
