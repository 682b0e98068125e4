"""Writes the files that follow from the metrics: `python -m tests.metric_files`.

Signatures for editors and type checkers, and the names and minimums that every pytest run needs
before a metric is imported. `python -m tests.reference` writes the page about metrics.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import inspect
import sys
import textwrap
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest_ragassert
from pytest_ragassert.config.metric_table import ASSERTIONS
from pytest_ragassert.metrics import assertion as assertion_module
from pytest_ragassert.metrics.assertion import expectation_factory
from pytest_ragassert.metrics.metric import Assertion, Metric
from pytest_ragassert.metrics.registry import OWN

ROOT = Path(__file__).parent.parent
PACKAGE = pytest_ragassert.__name__
_SIGNATURES = "assertion_signatures"
WIDTH = 100  # of a line
WRITTEN = (
    "# Written by `python -m tests.metric_files`; change the metric's file, and run it again.\n"
)


def metric_files(metrics: Iterable[Metric] = OWN) -> dict[str, str]:
    """The files' text by path, relative to the project's folder."""
    metrics = list(metrics)
    return {
        f"{PACKAGE}/config/metric_table.py": _table(metrics),
        f"{PACKAGE}/metrics/{_SIGNATURES}.pyi": _signatures(metrics, coroutines=False),
        f"{PACKAGE}/metrics/coroutine_signatures.pyi": _signatures(metrics, coroutines=True),
        f"{PACKAGE}/__init__.pyi": _public_names(metrics),
    }


def _table(metrics: list[Metric]) -> str:
    minimums = _items(f"{_quoted(m.name)}: {m.default_min}" for m in metrics if _has_minimum(m))
    names = _items(_quoted(one.name) for _, one in _asserted(metrics))
    return (
        f'"""Names and minimums of the metrics, for runs that measure nothing."""\n\n{WRITTEN}\n'
        "from __future__ import annotations\n\nfrom collections.abc import Mapping\n\n"
        "# Default minimum of each metric's score, in [0, 1]; settable by ini as"
        " ragassert_min_<metric>.\n"
        f"MINIMUMS: Mapping[str, float] = {{\n{minimums}}}\n\n"
        f"ASSERTIONS = (\n{names})\n\n"
        "# The texts whose claims a metric checks against another text.\n"
        f"SIDES: Mapping[str, tuple[tuple[str, str], ...]] = {{\n{_entries(metrics, 'sides')}}}\n\n"
        "# What the source documents call a metric's mean, and what they multiply it with.\n"
        f"DOCUMENT_NAMES: Mapping[str, tuple[str, float]] = {{\n"
        f"{_entries(metrics, 'document_name')}}}\n\n"
        "# What a run counts beside a metric's mean.\n"
        f"COUNTS: Mapping[str, str] = {{\n{_entries(metrics, 'counts')}}}\n\n"
        "# They say nothing of whether the answer is right.\n"
        f"NOT_OF_TRUTH = frozenset(\n    {{\n{_not_of_truth(metrics)}    }}\n)\n"
    )


def _asserted(metrics: Iterable[Metric]) -> list[tuple[Metric, Assertion]]:
    """Each assertion, with the first of its metrics."""
    found: dict[str, tuple[Metric, Assertion]] = {}
    for metric in metrics:
        for one in metric.asserted_by:
            found.setdefault(one.name, (metric, one))
    return list(found.values())


def _entries(metrics: list[Metric], fact: str) -> str:
    """A fact by metric, of those that have it."""
    each = ((metric.name, getattr(metric, fact)) for metric in metrics)
    return _items(f"{_quoted(name)}: {_plain(value)}" for name, value in each if value)


def _plain(value: object) -> str:
    # a named tuple as a tuple
    if isinstance(value, tuple):
        each = list(map(_plain, value))
        return f"({', '.join(each)}{',' * (len(each) == 1)})"
    return _requoted(repr(value))


def _not_of_truth(metrics: list[Metric]) -> str:
    return "".join(f"        {_quoted(one.name)},\n" for one in metrics if not one.says_right)


def _has_minimum(metric: Metric) -> bool:
    return any(not one.labels for one in metric.asserted_by)


def _signatures(metrics: list[Metric], *, coroutines: bool) -> str:
    functions, names, modules = [], [], [assertion_module]
    for metric, one in _asserted(metrics):
        modules.append(sys.modules[type(metric).__module__])
        names.append(one.name)
        functions.append(_signature(expectation_factory(metric, one), coroutine=coroutines))
    text = "\n".join(functions)
    if not coroutines:
        # in the class a bare name would be that of the class
        methods = "".join(f"    {name} = staticmethod({_SIGNATURES}.{name})\n" for name in names)
        text += f"\nclass AssertionMethods:\n{methods}"
    imports = _imports(text, modules)
    return f"{WRITTEN}\n{imports}\n{text}"


def _signature(function: Callable[..., Any], *, coroutine: bool) -> str:
    each = inspect.signature(function).parameters.values()
    parameters = [
        f"    {one.name}: {_requoted(one.annotation)} = {_requoted(repr(one.default))},\n"
        for one in each
        if one.kind is one.KEYWORD_ONLY
    ]
    several = [f"{one.name}: {one.annotation}" for one in each if one.kind is one.VAR_POSITIONAL]
    returned = function.__annotations__["return"]
    return (
        f"{'async ' * coroutine}def {function.__name__}(\n    case: EvalCase,\n"
        f"    *{''.join(several)},\n"
        f"{''.join(parameters)}) -> {returned}:\n"
        f'    """{_docstring(function)}"""\n'
    )


def _docstring(function: Callable[..., Any]) -> str:
    # from Python 3.13 on the compiler takes the indentation away
    lines = textwrap.indent(inspect.cleandoc(function.__doc__ or ""), "    ").lstrip()
    return f"{lines}\n    " if "\n" in lines else lines


def _requoted(code: str) -> str:
    return code.replace("'", '"')


def _quoted(text: str) -> str:
    return f'"{text}"'


def _imports(text: str, modules: list[types.ModuleType]) -> str:
    """The imports of the names that the signatures use, from where the metrics have them."""
    tree = ast.parse(text)
    defined = {node.name for node in ast.walk(tree) if isinstance(node, _DEFINING)}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    homes: dict[str, set[str]] = {}
    if _SIGNATURES in used:
        homes[f"{PACKAGE}.metrics"] = {_SIGNATURES}
        defined.add(_SIGNATURES)
    for name in used - defined - vars(builtins).keys():
        home = next(home for module in modules if (home := _home(name, module)) is not None)
        homes.setdefault(home, set()).add(name)
    lines = [f"from {home} import {', '.join(_sorted(names))}\n" for home, names in homes.items()]
    ours = sorted(line for line in lines if f" {PACKAGE}." in line)
    return "".join([*sorted(set(lines) - set(ours)), "\n", *ours])


_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _home(name: str, module: types.ModuleType) -> str | None:
    """The module that `name` is imported from, or this one; None where it does not know it."""
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom) and name in [one.name for one in node.names]:
            source = "." * node.level + (node.module or "")
            return importlib.util.resolve_name(source, module.__package__)
    return module.__name__ if name in vars(module) else None


def _public_names(metrics: list[Metric]) -> str:
    home_of = {n: h for n, h in vars(pytest_ragassert)["_HOME_OF"].items() if n not in ASSERTIONS}
    # the package has those of the table as it was
    home_of |= {one.name: "assertions" for _, one in _asserted(metrics)}
    homes: dict[str, list[str]] = {}
    for name, home in home_of.items():
        homes.setdefault(home, []).append(name)
    imports = []
    for home, names in sorted(homes.items()):
        line = f"from .{home} import {', '.join(_sorted(names))}\n"
        if len(line) > WIDTH:
            line = f"from .{home} import (\n{_items(_sorted(names))})\n"
        imports.append(line)
    listed = _items(_quoted(name) for name in sorted(home_of))
    return f"{WRITTEN}\n{''.join(imports)}\n__all__ = [\n{listed}]\n\n__version__: str\n"


def _sorted(names: Iterable[str]) -> list[str]:
    """Classes first, as ruff has them."""
    return sorted(names, key=lambda name: (name[0].islower(), name.lower()))


def _items(texts: Iterable[str]) -> str:
    return "".join(f"    {text},\n" for text in texts)


def main() -> None:
    for path, text in metric_files().items():
        (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
