"""Reads options from environment variables."""

from __future__ import annotations

from collections.abc import Mapping

from . import option_types as values
from .metric_table import MINIMUMS
from .option_types import Chosen
from .options import BASE_URL_VARIABLE, OPTIONS

_PREFIX = "RAGASSERT_"
MINIMUM_VARIABLE = f"{_PREFIX}MIN_"
MINIMUM = "a number from 0 to 1"


def read_minimum(text: str, source: str) -> float:
    try:
        return values.number(0, 1, MINIMUM)(text)
    except ValueError as error:
        raise ValueError(f"{source}: {text!r} is not {error}") from None


def base_url_from(environ: Mapping[str, str]) -> str | None:
    """The base URL in the OpenAI client's variable; None if it is not set.

    Raises:
        ValueError: it is not a URL; the message names the variable.
    """
    text = environ.get(BASE_URL_VARIABLE)
    option = next(option for option in OPTIONS if option.name == "base-url")
    return option.parse(text, BASE_URL_VARIABLE) if text else None


def from_environment(environ: Mapping[str, str]) -> dict[str, Chosen]:
    """The options given by environment variables, by field; `minimums` by metric.

    Raises:
        ValueError: an option does not take the value; the message names the variable.
    """
    chosen = {
        option.field: Chosen(option.parse(text, option.variable), option.variable)
        for option in OPTIONS
        if (text := environ.get(option.variable, "")).strip()
    }
    # names of metrics are checked later, when all metrics are registered
    minimums = {
        name.removeprefix(MINIMUM_VARIABLE).lower(): read_minimum(text, name)
        for name, text in environ.items()
        if text.strip() and name.startswith(MINIMUM_VARIABLE)
    }
    if minimums:
        chosen["minimums"] = Chosen(minimums, "environment")
    return chosen


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A line for each variable that looks like an option but is not one, with the nearest
    option.
    """
    known = {option.variable for option in OPTIONS} | {"RAGASSERT_DATA", "RAGASSERT_LLM_FOLDER"}
    unknown = sorted(
        name
        for name in environ
        if name.upper().startswith(_PREFIX)
        and name not in known
        and not name.startswith(MINIMUM_VARIABLE)
    )
    if not unknown:
        return []
    from ..language.suggestions import nearest

    minimums = (MINIMUM_VARIABLE + metric.upper() for metric in MINIMUMS)
    # without the common prefix, which would make any two similar
    ends = [name.removeprefix(_PREFIX) for name in (*sorted(known), *minimums)]
    lines = []
    for name in unknown:
        near = nearest(name[len(_PREFIX) :], ends)
        hint = f"; did you mean {_PREFIX}{near}?" if near else ""
        lines.append(f"the environment variable {name} has no effect: no option reads it{hint}")
    return lines
