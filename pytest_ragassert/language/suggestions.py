"""Suggests what was meant by a wrong name or value."""

from __future__ import annotations

import difflib
import functools
import re
import reprlib
from collections.abc import Iterable
from typing import Any

from .escaping import visible

_LONGEST = 60  # characters of a value that are shown
_LONGEST_NAME = 200  # characters of a name that are compared
_OTHER_SIGNS = re.compile(r"[\W_]+")

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = _LONGEST
_short.maxlevel = 2
_short.maxlist = _short.maxtuple = _short.maxset = _short.maxfrozenset = _short.maxdict = 3


def shown_value(value: Any) -> str:
    """Return a value as Python writes it, on one line and no longer than a message can be."""
    try:
        text = visible(_short.repr(value))
    except ValueError:
        # Python does not write numbers of thousands of digits
        return f"{type(value).__name__} with too many digits"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def nearest(name: Any, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to a name, or None if none is similar.

    Capital letters and separators make no difference. Only the beginning of a long name is
    compared, because the time is quadratic.
    """
    return _nearest(str(name)[:_LONGEST_NAME], tuple(one[:_LONGEST_NAME] for one in known))


@functools.lru_cache(maxsize=256)  # the rows of a file have the same mistake
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    spelled: dict[str, str] = {}
    for one in known:
        spelled.setdefault(_letters(one), one)
    found = difflib.get_close_matches(_letters(name), sorted(spelled), n=1)
    return spelled[found[0]] if found else None


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)` to append to a wrong name, or "" if no known name is
    similar.
    """
    near = nearest(name, known)
    return f" (did you mean {near!r}?)" if near else ""


def _letters(name: str) -> str:
    return _OTHER_SIGNS.sub("", name).lower()
