"""Calls the hooks by which plugins and conftest.py files add judges, embedders, metrics and
answers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from . import hookspecs
from .hookspecs import AT_START, HOOK_PREFIX

if TYPE_CHECKING:
    from pluggy import HookCaller, HookImpl

    from ..case import EvalCase
    from ..metrics.metric import Metric
    from ..steps.step import Step as AnyStep


class ProjectHooks:
    """The hooks that apply to the whole run.

    Args:
        in_time: returns the ids of the plugins that implemented one of the `AT_START` hooks when
            the session started; None: it has not started.
    """

    def __init__(self, config: pytest.Config, in_time: Callable[[], frozenset[int] | None]) -> None:
        self._config = config
        self._in_time = in_time

    def _implementations(self) -> list[tuple[str, HookImpl]]:
        hooks = [getattr(self._config.hook, name) for name in AT_START]
        return [(hook.name, one) for hook in hooks for one in hook.get_hookimpls()]

    def late(self) -> str | None:
        """Which files implement a hook too late, and what to do; None if there are none."""
        late: dict[str, list[str]] = {}
        in_time = self._in_time()
        for name, one in self._implementations():
            if in_time is not None and id(one.plugin) not in in_time:
                late.setdefault(_place(one.plugin, one.plugin_name), []).append(name)
        if not late:
            return None
        places = "; ".join(
            f"{place} implements {', '.join(names)}" for place, names in late.items()
        )
        root = self._config.rootpath / "conftest.py"
        return (
            f"{places}: too late, because pytest loads it after the session start, when judge, "
            f"embedder, metrics and reports are set up; move it to {root}, or into a plugin loaded "
            "by -p or pytest_plugins"
        )

    @property
    def adding_metrics(self) -> list[str]:
        """The files and plugins that add metrics."""
        return [
            _place(one.plugin, one.plugin_name)
            for name, one in self._implementations()
            if name == "pytest_ragassert_metrics"
        ]

    def _check(self) -> None:
        late = self.late()
        if late is not None:
            from ..errors import ConfigurationError

            raise ConfigurationError(late)

    def judge(self, name: str) -> Any:
        """The judge with the name; None if no hook provides it.

        Raises:
            ConfigurationError: a file implements a hook too late. Also below.
        """
        self._check()
        return self._config.hook.pytest_ragassert_make_judge(config=self._config, name=name)

    def embedder(self, name: str) -> Any:
        """The embedder with the name; None if no hook provides it."""
        self._check()
        return self._config.hook.pytest_ragassert_make_embedder(config=self._config, name=name)

    def metrics(self) -> list[Metric]:
        """The metrics that hooks add.

        Raises:
            ConfigurationError: a hook did not return a list.
        """
        self._check()
        returned = self._config.hook.pytest_ragassert_metrics()
        return [metric for many in returned for metric in _listed(many)]

    def steps(self) -> dict[str, AnyStep]:
        """The steps by name: built-in ones, and those of added metrics."""
        from ..steps.catalogue import STEPS

        try:
            metrics = self.metrics() if self.adding_metrics else []
        except Exception:
            metrics = []  # the hook's own error, which each test that measures shows
        return {**STEPS, **{step.name: step for metric in metrics for step in metric.steps}}


def _listed(returned: Any) -> list[Any]:
    """The metrics that one implementation of the hook returned."""
    if returned is not None and not isinstance(returned, list | tuple):
        from ..errors import ConfigurationError

        raise ConfigurationError(
            f"pytest_ragassert_metrics must return a list of metrics, not {returned!r:.80}"
        )
    return list(returned or ())


class Implementer(NamedTuple):
    """A plugin or conftest.py that answers cases.

    Attributes:
        name: equal in all processes of a run.
        place: equal on all machines: the path of a file from rootdir, or the name of a module.
        call: the hook, restricted to this implementation.
        is_async: whether it is a coroutine function.
    """

    name: str
    place: str
    call: HookCaller
    is_async: bool


def implementers(item: pytest.Item) -> list[Implementer]:
    """The implementers that answer the item's case, in pytest's calling order.

    They are plugins, and the conftest.py files of the item's folder and the folders above. If one
    is a wrapper, all count as one implementer, because only pytest can call them together.
    """
    hook: HookCaller = item.ihook.pytest_ragassert_answer
    found = list(reversed(hook.get_hookimpls()))
    root = item.config.rootpath
    if any(one.hookwrapper or one.wrapper for one in found):
        names, places = map(_name, found), (_portable_name(one, root) for one in found)
        return [Implementer(" ".join(names), " ".join(places), hook, False)]
    manager = item.config.pluginmanager
    every = [one.plugin for one in item.config.hook.pytest_ragassert_answer.get_hookimpls()]
    return [
        Implementer(
            _name(one),
            _portable_name(one, root),
            manager.subset_hook_caller(
                "pytest_ragassert_answer", [other for other in every if other is not one.plugin]
            ),
            _is_async(one),
        )
        for one in found
    ]


def answer_key(item: pytest.Item, case: EvalCase) -> str | None:
    """The key that a hook returns for the recorded answer to the item's case; None: no key.

    Raises:
        ConfigurationError: the key is not a text.
    """
    from ..judging.calls.user_calls import call_now

    hook: HookCaller = item.ihook.pytest_ragassert_answer_key
    key = call_now(partial(hook, case=case.fresh()))
    if key is not None and not isinstance(key, str):
        from ..errors import ConfigurationError

        if inspect.iscoroutine(key):
            key.close()
        raise ConfigurationError(
            f"pytest_ragassert_answer_key must return a text or None, not {key!r:.80}"
        )
    return key


def gives_keys(item: pytest.Item) -> bool:
    """Whether a hook provides keys for recorded answers."""
    hook: HookCaller = item.ihook.pytest_ragassert_answer_key
    return bool(hook.get_hookimpls())


def _is_async(one: HookImpl) -> bool:
    return inspect.iscoroutinefunction(one.function)


def _name(one: HookImpl) -> str:
    kind = type(one.plugin)
    # pytest names an unnamed plugin by its address, which differs between processes
    own = "" if one.plugin_name == str(id(one.plugin)) else one.plugin_name
    return _place(one.plugin, f"{kind.__module__}.{kind.__qualname__} {own}")


def _portable_name(one: HookImpl, root: Path) -> str:
    """A name that is equal on all machines."""
    file = getattr(one.plugin, "__file__", None)
    if file is None:
        return _name(one)
    path = Path(file)
    # the path of an installed plugin differs between machines, even inside the project folder
    if path.is_relative_to(root) and "site-packages" not in path.parts:
        return path.relative_to(root).as_posix()
    return str(getattr(one.plugin, "__name__", path.name))


def unknown_hook(name: str, implementation: HookImpl) -> str:
    """The mistake in words: who implements a hook that does not exist, and which may be meant."""
    from ..language.suggestions import nearest

    known = [hook for hook in vars(hookspecs) if hook.startswith(HOOK_PREFIX)]
    near = nearest(name.removeprefix(HOOK_PREFIX), [one.removeprefix(HOOK_PREFIX) for one in known])
    hint = f"did you mean {HOOK_PREFIX}{near}?" if near else f"known are {', '.join(sorted(known))}"
    place = _place(implementation.plugin, implementation.plugin_name)
    return f"{place}: no hook is called {name}; {hint}"


def _place(plugin: object, otherwise: str) -> str:
    """The file of the plugin."""
    return getattr(plugin, "__file__", None) or otherwise
