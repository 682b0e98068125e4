"""The options as pytest gives them: on the command line, in the environment and in ini files."""

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
            # an optional value would swallow a test path behind it
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
    """What pytest prints in one line at the start, and ends."""
    from ..runtime.printable import printable

    return pytest.UsageError(printable(str(error)))


def chosen_options(config: pytest.Config, environ: Mapping[str, str]) -> dict[str, Chosen]:
    """Every option that is given: command line before environment before ini.

    Raises:
        pytest.UsageError: names where a value stands and what its option takes.
    """
    try:
        ini, variables = _from_ini(config), from_environment(environ)
        chosen = {**ini, **variables, **_from_command_line(config)}
    except ValueError as error:
        raise usage_error(error) from None
    minimums = [source["minimums"] for source in (ini, variables) if "minimums" in source]
    if minimums:
        # one metric's variable leaves another's ini value alone
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
    """Minimums in the ini file and in `-o` that are of none of our metrics."""
    overridden = [one.partition("=")[0] for one in config.getoption("override_ini", None) or ()]
    keys = {*config._get_unknown_ini_keys(), *overridden}
    own = {f"{MINIMUM_INI}{metric}" for metric in MINIMUMS}
    return sorted(key for key in keys - own if key.startswith(MINIMUM_INI))


def ini_text(config: pytest.Config, name: str, takes: str) -> str | None:
    """An ini value as text, whatever the file's form; None where it is not given."""
    overrides = (one.partition("=") for one in config.getoption("override_ini", None) or ())
    if [value.strip() for key, _, value in overrides if key == name][-1:] == [""]:
        # `-o name=` takes back what the file says; of a number pytest itself makes an error
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
    """Raises pytest.UsageError where a folder after an option hid the project's ini file.

    pytest looks for it before it knows plugins' options, and takes an existing path that
    stands alone for a test path.
    """
    start = config.invocation_params.dir
    alone = [name for name in _PATHS if name in config.invocation_params.args]
    if alone and config.inipath is None and any((start / name).exists() for name in _INIS):
        raise pytest.UsageError(
            f"the ini file of {start} was not read: write {alone[0]}=DIR "
            "(pytest takes a folder that stands alone for a test path)"
        )
