"""Checks of option values that several metrics share."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal

_LARGEST = 1e300


def check_minimum(minimum: object, name: str = "min") -> float:
    """Return `min`, or another number in [0, 1], as a float.

    Raises:
        TypeError: it is not a number.
        ValueError: it is not in [0, 1].
    """
    if isinstance(minimum, bool) or not isinstance(minimum, numbers.Real | Decimal):
        raise TypeError(f"{name} must be a number from 0 to 1, not {minimum!r}")
    try:
        value = float(minimum)
    except (ValueError, OverflowError):
        value = math.nan
    if not 0 <= value <= 1:
        percent = f"; for {value:g} % write {value / 100:g}" if 1 < value <= 100 else ""
        raise ValueError(f"{name} must be a number from 0 to 1, not {minimum!r}{percent}")
    return value


def check_flag(name: str, value: object) -> None:
    """Check an option that is True or False.

    Raises:
        ValueError: it is neither.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False, not {value!r}")


def check_no_claims(value: object) -> str:
    """Return `no_claims`.

    Raises:
        ValueError: it is not one of its values.
    """
    if value not in ("fail", "warn", "pass"):
        raise ValueError(f"no_claims is {value!r}; valid are fail, warn, pass")
    return str(value)


def check_models(value: object) -> tuple[str, ...]:
    """Return the names in `models`, which may be a single one.

    Raises:
        TypeError: it is neither a text nor a list.
        ValueError: a name is empty or repeated, is not a text, or there is none.
    """
    if not isinstance(value, str | list | tuple):
        raise TypeError(f"models must be a list of model names, not {value!r}")
    models = (value,) if isinstance(value, str) else tuple(value)
    if not models or not all(isinstance(model, str) and model.strip() for model in models):
        raise ValueError(f"models must be a list of model names, not {value!r}")
    if len(set(models)) < len(models):
        raise ValueError(f"models names one model twice: {', '.join(models)}")
    return models


def is_count(value: object) -> bool:
    """Whether the value is a whole number from 1."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_weight(value: object) -> bool:
    """Whether the value is a number from 0, small enough to be summed."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return False
    try:
        return 0 <= float(value) <= _LARGEST
    except (OverflowError, ValueError):
        return False
