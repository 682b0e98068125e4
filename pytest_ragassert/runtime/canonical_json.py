"""One spelling for each JSON value, so that equal questions have equal keys."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, TypeGuard

from ..language.escaping import SURROGATE

# A JSON object: a step's input, a message to a judge, a reply, a stored row.
Json = dict[str, Any]
_DIGEST = re.compile("[0-9a-f]{64}")

# created once, because every key needs it
_CANONICAL = json.JSONEncoder(
    ensure_ascii=True, sort_keys=True, separators=(",", ":"), check_circular=False
)


def canonical_json(value: Any) -> str:
    """Return ASCII JSON with sorted keys and no spaces: the same text on every machine and Python
    version.
    """
    return _CANONICAL.encode(value)


def digest(value: Any) -> str:
    """Return the SHA-256 of the value's canonical JSON, in hexadecimal."""
    return digest_of_text(canonical_json(value))


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of an ASCII text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_digest(value: object) -> TypeGuard[str]:
    """Whether it has the form of a result of `digest`."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def same_text(one: str, other: str) -> bool:
    """Whether JSON spells both in the same way: it joins two adjacent halves of a surrogate
    pair.
    """
    return one == other or canonical_json(one) == canonical_json(other)


def readable_json(value: Any) -> str:
    """Return JSON for a judge: texts unescaped, except lone surrogates, which can't be encoded."""
    text = json.dumps(value, ensure_ascii=False)
    return SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
