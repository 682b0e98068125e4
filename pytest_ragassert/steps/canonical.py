"""One spelling for each JSON value, so that equal questions have equal keys."""

from __future__ import annotations

import json
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def canonical_json(value: Any) -> str:
    """ASCII, keys sorted, no space: the same text on every machine and Python."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))


def readable_json(value: Any) -> str:
    """JSON for a judge: texts as they are, lone surrogates (which no encoding takes) escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
