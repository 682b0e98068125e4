"""The answer hook: once for a case in the whole run, when its test begins or ahead of it."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from ..blocked import blocker_in
from ..case import EvalCase
from ..errors import ConfigurationError
from ..intercepted import intercepted
from ..steps.canonical import canonical_json

if TYPE_CHECKING:
    from .run import Run

ANSWER_FIELDS = ("answer", "retrieved_contexts")
# Of a test: the fields that the hook filled in its case.
FILLED = pytest.StashKey[dict[str, Any]]()


def fill_answer(case: EvalCase, item: pytest.Item, run: Run) -> None:
    """Ask the answer hook, once for the case in the whole run."""
    hook = run.config.hook.pytest_ragassert_answer
    if not hook.get_hookimpls():
        return
    session = run.session()
    name = _name_of(case)
    lookahead = run.tests.lookahead
    failed = None if lookahead is None else lookahead.failed_answer(name)
    if failed is not None:
        raise failed

    def make() -> dict[str, Any]:
        given = hook(case=case)
        return _checked(session.wait_for(given) if inspect.isawaitable(given) else given)

    item.stash[FILLED] = _fill(case, session.run.once(name, make, sleep=time.sleep))


def waits_for_answer(case: EvalCase, run: Run) -> bool:
    """Whether a hook is asked for the case's answer before its test."""
    return case.answer is None and bool(run.config.hook.pytest_ragassert_answer.get_hookimpls())


async def filled_ahead(case: EvalCase, run: Run, failed: dict[str, Exception]) -> bool:
    """Whether the case has got its answer from a hook that may be run ahead: an async one.

    Args:
        failed: takes the hook's error by the case's name, for its test.
    """
    from ..store.run_folder import InUse

    hook = run.config.hook.pytest_ragassert_answer
    if not all(_is_async(implementation) for implementation in hook.get_hookimpls()):
        return False

    async def make() -> dict[str, Any]:
        given: Awaitable[Any] | None = hook(case=case.fresh())
        return _checked(None if given is None else await given)

    name = _name_of(case)
    # the test of one that failed has not come yet, in another function perhaps
    if name in failed or intercepted():
        return False
    try:
        _fill(case, await run.session().run.once_if_free(name, make))
    except InUse:
        return False
    except Exception as error:
        # where sockets are blocked for the test that is running, the case's own test asks anew
        if blocker_in(error) is None:
            failed[name] = error
        return False
    return True


def _is_async(implementation: Any) -> bool:
    wraps = implementation.hookwrapper or getattr(implementation, "wrapper", False)
    return not wraps and inspect.iscoroutinefunction(implementation.function)


def _fill(case: EvalCase, record: Mapping[str, Any]) -> dict[str, Any]:
    """Put what the hook gave into the case; what that was."""
    given = {field: record[field] for field in ANSWER_FIELDS if record.get(field) is not None}
    for field, value in given.items():
        setattr(case, field, value)
    return given


def _name_of(case: EvalCase) -> str:
    inputs = case.model_dump(exclude={"results"}, exclude_none=True)
    return canonical_json(["answer", _plain(inputs)])


def _plain(value: Any) -> Any:
    """JSON values, others by their repr."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def _checked(given: Any) -> dict[str, Any]:
    """What the hook gave, as fields of a case."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or set(given) - set(ANSWER_FIELDS):
        raise ConfigurationError(
            'pytest_ragassert_answer must return {"answer": …, "retrieved_contexts": […]}, '
            f"not {given!r:.80}"
        )
    checked = EvalCase(**given)
    return {field: getattr(checked, field) for field in ANSWER_FIELDS}
