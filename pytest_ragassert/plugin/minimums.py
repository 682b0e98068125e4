"""Reads the minimums of metrics that hooks add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import pytest

from ..config.environment_options import MINIMUM, MINIMUM_VARIABLE, read_minimum
from ..config.metric_table import MINIMUMS
from .pytest_options import MINIMUM_INI, added_keys, ini_text

if TYPE_CHECKING:
    from ..metrics.metric import Metric


def checked_minimums(
    config: pytest.Config, chosen: Mapping[str, float], added: Callable[[], Iterable[Metric]]
) -> dict[str, float]:
    """All minimums in ini files and the environment, by metric name.

    Args:
        chosen: those of built-in metrics, from options, ini files and variables.
        added: the metrics that hooks add.

    Raises:
        ConfigurationError: a minimum's metric is unknown (the message names the nearest one), or
            its value is out of range.
    """
    try:
        return _minimums(config, chosen, [metric.name for metric in added()])
    except ValueError as error:
        from ..errors import ConfigurationError

        raise ConfigurationError(str(error)) from None


def _minimums(
    config: pytest.Config, chosen: Mapping[str, float], names: list[str]
) -> dict[str, float]:
    minimums = {name: least for name, least in chosen.items() if name in MINIMUMS}
    for key in added_keys(config):
        name = key.removeprefix(MINIMUM_INI)
        if name not in names:
            raise _unknown(key, name, names)
        # pytest rejects unregistered options after this point
        config._parser.addini(key, f"minimum of {name} in [0, 1]", "float", default=None)
        text = ini_text(config, key, MINIMUM)
        if text is not None:
            minimums[name] = read_minimum(text, key)
    for name in chosen.keys() - MINIMUMS.keys():
        # variable names are all upper case
        meant = [one for one in names if one.lower() == name]
        if not meant:
            raise _unknown(MINIMUM_VARIABLE + name.upper(), name, names)
        minimums.update(dict.fromkeys(meant, chosen[name]))
    return minimums


def _unknown(source: str, name: str, added: Iterable[str]) -> ValueError:
    from ..language.suggestions import nearest

    known = [*MINIMUMS, *added]
    near = nearest(name, known)
    hint = f"did you mean {near}?" if near else f"metrics with a minimum: {', '.join(known)}"
    return ValueError(f"{source}: there is no metric {name!r} with a minimum; {hint}")
