"""The keys that a namespace has on a server: rows, leases, and an index of judged claims.

They differ in the form of what follows the last colon of the namespace, so no namespace contains
keys of another one, and what other programs put there is left alone.
"""

from __future__ import annotations

import re

from ...runtime.canonical_json import digest_of_text, is_digest
from ..keys import PASSAGE_SUFFIX, QUESTION_SUFFIX

_ROW = re.compile(rf"[0-9a-f]{{64}}({re.escape(QUESTION_SUFFIX)}|{re.escape(PASSAGE_SUFFIX)})?")


class Keys:
    """The keys of a namespace."""

    def __init__(self, namespace: str) -> None:
        self._before = f"{namespace}:"

    def row(self, key: str) -> str:
        return self._before + key

    def lease(self, name: str) -> str:
        return f"{self._before}{name if is_digest(name) else digest_of_text(name)}.lease"

    def claim(self, about: str) -> str:
        """Return the key of the judgements on a claim, given by `text_hash`."""
        return f"{self._before}{about}.judged"

    def row_in(self, found: bytes) -> str | None:
        """Return the row's key in a key on the server; None if it is not a row of the namespace."""
        name = found.decode("ascii", "replace")
        key = name[len(self._before) :]
        return key if name.startswith(self._before) and _ROW.fullmatch(key) else None

    def matching(self, prefix: str, suffix: str) -> str:
        """Return a pattern for keys on the server: of rows with a prefix and suffix, and others."""
        return f"{self._before}{prefix}*{suffix}"
