"""Finds out from a test's source what it measures of its `rag_case`, without running it."""

from __future__ import annotations

import ast
import importlib
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from .. import aio, evaluation
from ..analysis.regression import no_regression
from ..assertions import RagAssert
from ..case import EvalCase
from ..engine.jobs import Job
from ..engine.session import Session
from ..metrics import assertion
from ..metrics.metric import Expectation

_PACKAGE, _CASE, _FIXTURE = "pytest_ragassert", "rag_case", "ragassert"
# A minimum does not affect any question.
_MINIMUM, _ANY_MINIMUM = "min", 0.0
_NO_THRESHOLDS = ("case", "models", "votes")
_EVALUATE = [inspect.unwrap(one) for one in (evaluation.evaluate, aio.evaluate)]

# Returns what a call of an assertion, or of `evaluate`, would measure of a case. Raises
# ConfigurationError, TypeError or ValueError if the call is invalid.
Call = Callable[[EvalCase, Session], list[Job]]


class Unread(Exception):
    """Why a test's source does not show what it measures, for display."""


def source_calls(test: Callable[..., Any] | None) -> list[Call]:
    """Find the measuring calls of a test function.

    Args:
        test: the test function; None if the test is not a function.

    Raises:
        Unread: its source does not show what it measures.
    """
    if test is None:
        raise Unread("they are not functions")
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(test)))
    except (OSError, TypeError, SyntaxError):
        raise Unread("their source cannot be read") from None
    names: Mapping[str, Any] = getattr(inspect.unwrap(test), "__globals__", {})
    calls = list(_calls(tree, {**names, **_imported(tree)}))
    if not calls:
        raise Unread("their source shows no assertion on rag_case")
    return calls


def _calls(tree: ast.AST, names: Mapping[str, Any]) -> Iterator[Call]:
    nodes = list(ast.walk(tree))
    changes = [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Attribute)
        and not isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == _CASE
    ]
    for node in nodes:
        if isinstance(node, ast.Call):
            function = _ours(node.func, names)
            if function is None:
                continue
            if changes and min(changes) <= node.lineno:
                raise Unread("they change their case before they measure it")
            yield _call(function, node, names)


def _imported(tree: ast.AST) -> dict[str, Any]:
    """The names that the test itself imports from this package."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == _PACKAGE:
            module = importlib.import_module(node.module or "")
            for alias in node.names:
                found[alias.asname or alias.name] = getattr(module, alias.name, None)
    return found


def _ours(node: ast.expr, names: Mapping[str, Any]) -> Callable[..., Any] | None:
    """The called function, if it is one of ours that measures."""
    found = names.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        whose = names.get(node.value.id, RagAssert if node.value.id == _FIXTURE else None)
        # attribute access on any other object might run code
        if inspect.ismodule(whose) or whose is RagAssert:
            found = getattr(whose, node.attr, None)
    function = inspect.unwrap(found) if inspect.isfunction(found) else None
    return function if function in _measuring() else None


@cache
def _measuring() -> set[Callable[..., Any]]:
    bundled = (getattr(RagAssert, name) for name in vars(RagAssert) if not name.startswith("_"))
    return {inspect.unwrap(one) for one in (*bundled, *_EVALUATE) if inspect.isfunction(one)}


def _call(function: Callable[..., Any], node: ast.Call, names: Mapping[str, Any]) -> Call:
    args = list(node.args)
    kwargs = {keyword.arg: keyword.value for keyword in node.keywords}
    case = args.pop(0) if args else kwargs.pop("case", None)
    if not (isinstance(case, ast.Name) and case.id == _CASE):
        raise Unread("they measure a case other than rag_case")
    if None in kwargs or any(isinstance(arg, ast.Starred) for arg in args):
        raise Unread("the options of a call are not written out")
    thresholds = function is assertion.assert_rag
    options: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name == "settings":
            raise Unread("they pass their own settings")
        minimum = name not in _NO_THRESHOLDS if thresholds else name == _MINIMUM
        if name is not None:
            options[name] = _ANY_MINIMUM if minimum else _value(value, names)
    return partial(_jobs, function, [_value(arg, names) for arg in args], options)


def _jobs(
    function: Callable[..., Any],
    args: list[Any],
    options: dict[str, Any],
    case: EvalCase,
    session: Session,
) -> list[Job]:
    if function in _EVALUATE:
        by_metric = _evaluated(session, *args, **options)
    elif function is no_regression.assert_no_regression:
        by_metric = _compared(*args, **options)
    else:
        made = function(case, *args, **options)
        expected = [made] if isinstance(made, Expectation) else made
        by_metric = {one.metric: one.options for one in expected}
    return [
        session.job(case, metric, {name: value for name, value in own.items() if value is not None})
        for metric, own in by_metric.items()
    ]


def _evaluated(
    session: Session, metrics: evaluation.Metrics, on_error: str = "raise", **options: Any
) -> dict[str, dict[str, Any]]:
    return evaluation.options_by_metric(metrics, options, session)


def _compared(metric: str, tolerance: float | None = None, **options: Any) -> dict[str, Any]:
    return {metric: options}


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of a literal or a global."""
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise Unread("the options of a call are not written out") from None
