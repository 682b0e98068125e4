"""The hooks that a project may implement, from their specifications."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from pytest_ragassert.plugin import hookspecs

from .markdown import code, table

_PREFIX = "pytest_ragassert_"


def parts() -> dict[str, str]:
    return {
        "hooks": table(
            ("hook", "what it does", "where", "which result counts"),
            (
                (
                    f"[`{name}`](#{name})",
                    first_line(hook),
                    _where(name),
                    "the first that is not None" if _first_result(hook) else "all",
                )
                for name, hook in hooks().items()
            ),
        )
    } | {f"hook {name}": f"{code(signature(name, hook))}\n" for name, hook in hooks().items()}


def hooks() -> dict[str, Callable[..., Any]]:
    """The specifications by name, in their order."""
    return {
        name: value
        for name, value in vars(hookspecs).items()
        if name.startswith(_PREFIX) and inspect.isfunction(value)
    }


def signature(name: str, hook: Callable[..., Any]) -> str:
    """The hook's name with its arguments and their types."""
    parameters = inspect.signature(hook).parameters.values()
    each = ", ".join(f"{one.name}: {one.annotation}" for one in parameters)
    return f"{name}({each}) -> {inspect.signature(hook).return_annotation}"


def first_line(hook: Callable[..., Any]) -> str:
    first = inspect.cleandoc(hook.__doc__ or "").split("\n\n")[0]
    return " ".join(first.removesuffix("Example::").split())


def _where(name: str) -> str:
    if name in hookspecs.AT_START:
        return "plugins, and each `conftest.py` that pytest loads at the start"
    return "any `conftest.py`, for the tests in its folder, and plugins"


def _first_result(hook: Callable[..., Any]) -> bool:
    marked: dict[str, Any] = getattr(hook, "pytest_spec", {})
    return bool(marked.get("firstresult"))
