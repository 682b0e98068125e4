"""Rates: the unit that a quantity refers to, "12 € im Monat", "$12/mo", "80 km per hour"."""

from __future__ import annotations

import re
from typing import NamedTuple

from .language import Language
from .tokenizer import Tokens

_SIGN = re.compile("\\s?[%°¢‰℃℉$€£¥₹₽₩₺₴₪฿₫₿]")
_SLASH = re.compile(r"\.?\s?/\s?([^\W\d_]+[²³]?)")
_MOST = 3  # "mg/kg/day"
_TIMES = frozenset({"second", "minute", "hour", "day", "week", "month", "quarter", "year"})


class Rate(NamedTuple):
    """The unit it refers to, such as "/month", where its words end, and whether it is in words."""

    per: str
    end: int
    in_words: bool


def rate_after(tokens: Tokens, end: int, language: Language) -> Rate | None:
    """Return the rate that follows an offset, or None."""
    sign = _SIGN.match(tokens.text, end)
    end = sign.end() if sign else end
    per, at = "", end
    for _ in range(_MOST):
        written = _SLASH.match(tokens.text, at)
        if written is None:
            break
        per += f"/{language.unit(written[1]) or written[1].lower()}"
        at = written.end()
    if per:
        return Rate(per, at, in_words=False)
    written = language.rate.match(tokens.text, end)
    unit = language.unit(written["per"]) if written else ""
    if written is None or (unit not in _TIMES and not (unit and written.groupdict().get("any"))):
        return None
    return Rate(f"/{unit}", written.end(), in_words=True)
