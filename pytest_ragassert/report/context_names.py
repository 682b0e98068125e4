"""What reports call a retrieved context: its source, its id, or both where they differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..analysis.records.result_record import CaseTexts

# As libraries make them of random numbers or digests; beside a source they tell a person nothing.
_MACHINE_MADE = re.compile(r"[0-9a-fA-F-]{32,}")

Names = Sequence[str | None] | None


def names_in(texts: CaseTexts) -> list[str | None]:
    """The name of each retrieved context, as in `context_names`."""
    return context_names(
        len(texts.retrieved_contexts or ()),
        texts.retrieved_context_sources,
        texts.retrieved_context_ids,
    )


def context_names(count: int, sources: Names, ids: Names) -> list[str | None]:
    """The name of each context, `fares.md (id1)` where both are known; None where neither is.

    Args:
        count: of the contexts; a list of another length names none of them.
    """
    named = [
        list(names) if names is not None and len(names) == count else [None] * count
        for names in (sources, ids)
    ]
    return [_name(source, id) for source, id in zip(*named, strict=True)]


def misfit(count: int, sources: Names, ids: Names) -> str | None:
    """Why names that were given are not shown; None where they are."""
    given = {"retrieved_context_ids": ids, "retrieved_context_sources": sources}
    said = [
        f"{field} has {len(names)} for {count}"
        for field, names in given.items()
        if names is not None and len(names) != count
    ]
    return f"{' and '.join(said)}: which is whose is not known" if said else None


def _name(source: str | None, id: str | None) -> str | None:
    if not source or not id or id in source or _MACHINE_MADE.fullmatch(id):
        return source or id
    return f"{source} ({id})"
