"""Registers the options with pytest and reads them from command line, environment and ini files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ..config.environment_options import MINIMUM, from_environment, read_minimum
from ..config.metric_table import MINIMUMS
from ..config.option_types import Chosen
from ..config.options import OPTIONS

MINIMUM_INI = "ragassert_min_"
_INIS = ("pytest.toml", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
_PATHS = tuple(f"--ragassert-{name}" for name in ("cache-dir", "artifacts", "verdicts", "answers"))


def add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("ragassert", "RAG regression tests")
    for option in OPTIONS:
        for value in option.flags:
            # an option with an optional value would consume a test path after it
            group.addoption(
                f"--ragassert-{option.name}" + f"={value}" * (value != option.flags[0]),
                dest=f"ragassert_{option.field}",
                action="store_const",
                const=value,
                default=None,
                help=option.help,
            )
        if option.command_line and not option.flags:
            takes: dict[str, Any] = {"action": "append" if option.repeatable else "store"}
            if option.alone is not None:
                takes.update(nargs="?", const=option.alone)
            group.addoption(
                f"--ragassert-{option.name}",
                dest=f"ragassert_{option.field}",
                **takes,
                default=None,
                metavar=option.metavar,
                help=option.help,
            )
        parser.addini(f"ragassert_{option.field}", option.help, option.ini_type, default=None)
    for metric, default in MINIMUMS.items():
        text = f"minimum of {metric} in [0, 1] (default {default})"
        parser.addini(f"{MINIMUM_INI}{metric}", text, "float", default=None)


def usage_error(error: Exception) -> pytest.UsageError:
    """An error that pytest prints in one line before it exits."""
    from ..runtime.printable import printable

    return pytest.UsageError(printable(str(error)))


def chosen_options(config: pytest.Config, environ: Mapping[str, str]) -> dict[str, Chosen]:
    """Read all options that are set: command line before environment before ini.

    Raises:
        pytest.UsageError: a value is invalid; the message names its source and what the option
        takes.
    """
    try:
        ini, variables = _from_ini(config), from_environment(environ)
        chosen = {**ini, **variables, **_from_command_line(config)}
    except ValueError as error:
        raise usage_error(error) from None
    minimums = [source["minimums"] for source in (ini, variables) if "minimums" in source]
    if minimums:
        # the variable of one metric does not affect the ini value of another
        merged = {name: least for one in minimums for name, least in one.value.items()}
        chosen["minimums"] = Chosen(merged, minimums[-1].source)
    return chosen


def _from_command_line(config: pytest.Config) -> dict[str, Chosen]:
    chosen = {}
    for option in OPTIONS:
        words = config.getoption(f"ragassert_{option.field}", None)
        if words is None:
            continue
        text = option.joined_by.join(words) if option.repeatable else words
        value = option.parse(text, f"--ragassert-{option.name}")
        chosen[option.field] = Chosen(value, "command line")
    return chosen


def _from_ini(config: pytest.Config) -> dict[str, Chosen]:
    chosen = {}
    for option in OPTIONS:
        text = ini_text(config, f"ragassert_{option.field}", option.takes)
        if text is not None:
            chosen[option.field] = Chosen(option.parse(text, f"ragassert_{option.field}"), "ini")
    minimums = {}
    for metric in MINIMUMS:
        name = f"{MINIMUM_INI}{metric}"
        text = ini_text(config, name, MINIMUM)
        if text is not None:
            minimums[metric] = read_minimum(text, name)
    if minimums:
        chosen["minimums"] = Chosen(minimums, "ini")
    return chosen


def added_keys(config: pytest.Config) -> list[str]:
    """Minimums in the ini file and in `-o` for metrics that are not built in."""
    overridden = [one.partition("=")[0] for one in config.getoption("override_ini", None) or ()]
    keys = {*config._get_unknown_ini_keys(), *overridden}
    own = {f"{MINIMUM_INI}{metric}" for metric in MINIMUMS}
    return sorted(key for key in keys - own if key.startswith(MINIMUM_INI))


def ini_text(config: pytest.Config, name: str, takes: str) -> str | None:
    """An ini value as text, in any file format; None if it is not set."""
    overrides = (one.partition("=") for one in config.getoption("override_ini", None) or ())
    if [value.strip() for key, _, value in overrides if key == name][-1:] == [""]:
        # `-o name=` resets the file's value; for a number, pytest itself raises an error
        return None
    try:
        value = config.getini(name)
    except (TypeError, ValueError, pytest.UsageError) as error:
        from ..runtime.urls import masked_urls

        raise ValueError(f"{name} takes {takes}: {masked_urls(str(error))}") from None
    if value is None:
        return None
    text = "\n".join(value) if isinstance(value, list) else str(value)
    return text if value != "" and (text.strip() or not isinstance(value, list)) else None


def check_ini_was_found(config: pytest.Config) -> None:
    """Raise pytest.UsageError if a folder after an option hid the project's ini file.

    pytest looks for the ini file before it knows the options of plugins, and takes any existing
    path that is a separate argument for a test path.
    """
    start = config.invocation_params.dir
    alone = [name for name in _PATHS if name in config.invocation_params.args]
    if alone and config.inipath is None and any((start / name).exists() for name in _INIS):
        raise pytest.UsageError(
            f"the ini file of {start} was not read: write {alone[0]}=DIR (pytest takes a folder as "
            "a separate argument for a test path)"
        )
