"""Adds entries to a case's metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def add_metadata(fields: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add entries to the metadata among a case's fields, in place; the case's own take precedence.

    Metadata that are not a dict are unchanged: the case reports them as wrong.
    """
    own = fields.get("metadata") or {}
    if more and isinstance(own, Mapping):
        fields["metadata"] = {**more, **own}
