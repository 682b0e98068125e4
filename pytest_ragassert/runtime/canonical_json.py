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

# made once, as every key needs it
_CANONICAL = json.JSONEncoder(
    ensure_ascii=True, sort_keys=True, separators=(",", ":"), check_circular=False
)


def canonical_json(value: Any) -> str:
    """ASCII, keys sorted, no space: the same text on every machine and Python."""
    return _CANONICAL.encode(value)


def digest(value: Any) -> str:
    """SHA-256 of the value's canonical JSON, in hexadecimal."""
    return digest_of_text(canonical_json(value))


def digest_of_text(text: str) -> str:
    """SHA-256 of a text in ASCII, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_digest(value: object) -> TypeGuard[str]:
    """Whether it is what `digest` may give."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def same_text(one: str, other: str) -> bool:
    """Whether JSON has one spelling for both: it joins two halves of a character side by side."""
    return one == other or canonical_json(one) == canonical_json(other)


def readable_json(value: Any) -> str:
    """JSON for a judge: texts as they are, lone surrogates (which no encoding takes) escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
