"""What goes into a case's metadata beside its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def add_metadata(fields: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add entries to the metadata among a case's fields, in place, behind which its own stay.

    Metadata that are no dict stay as they are: the case says that they are wrong.
    """
    own = fields.get("metadata") or {}
    if more and isinstance(own, Mapping):
        fields["metadata"] = {**more, **own}
