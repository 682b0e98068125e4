"""The answer hook: once for a case in the whole run, when its test begins or ahead of it."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from ..case import EvalCase
from ..errors import ConfigurationError
from ..judging.calls import user_calls
from ..judging.calls.blocked_sockets import blocker_in
from ..runtime.canonical_json import canonical_json
from ..runtime.fake_files import real_files
from ..runtime.http_mocks import intercepted
from .project_hooks import Implementer, implementers

if TYPE_CHECKING:
    from pluggy import HookCaller

    from .run import Run

ANSWER_FIELDS = ("answer", "retrieved_contexts")
# Of a test: the fields that the hook filled in its case.
FILLED = pytest.StashKey[dict[str, Any]]()


def fill_answer(case: EvalCase, item: pytest.Item, run: Run) -> None:
    """Ask the answer hook of the item: each implementation once for the case in the whole run."""
    asked = implementers(item)
    if not asked:
        return
    with real_files():
        session = run.session()
    for implementer in asked:
        name = _name_of(case, implementer)
        failed = run.failed_answers.pop(name, None)
        if failed is not None:
            raise failed

        def make(call: HookCaller = implementer.call) -> dict[str, Any]:
            returned = user_calls.call_now(partial(call, case=case))
            return _checked(
                session.hooks.wait_for(returned) if inspect.isawaitable(returned) else returned
            )

        record = session.run.once(name, make, sleep=time.sleep)
        item.stash[FILLED] = _fill(case, record)
        if record:
            return


def waits_for_answer(case: EvalCase, item: pytest.Item) -> bool:
    """Whether a hook is asked for the case's answer before its test."""
    return case.answer is None and bool(implementers(item))


async def filled_ahead(
    case: EvalCase, item: pytest.Item, run: Run, failed: dict[str, BaseException]
) -> bool:
    """Whether the case has got its answer from hooks that may be run ahead: async ones.

    Args:
        failed: takes a hook's error by its name and the case's, for the case's test.
    """
    from ..storage.run_state.run_folder import InUse

    asked = implementers(item)
    if not all(implementer.is_async for implementer in asked):
        return False
    session = run.session()
    for implementer in asked:

        async def make(call: HookCaller = implementer.call) -> dict[str, Any]:
            returned: Awaitable[Any] | None = call(case=case.fresh())
            return _checked(None if returned is None else await session.hooks.done(returned))

        name = _name_of(case, implementer)
        # the test of one that failed has not come yet, in another function perhaps
        if name in failed or intercepted():
            return False
        try:
            record = await session.run.once_if_free(name, make)
        except InUse:
            return False
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # where sockets are blocked for the test that is running, the case's own test asks anew
            if not isinstance(error, Exception) or blocker_in(error) is None:
                failed[name] = error
            return False
        _fill(case, record)
        if record:
            break
    return True


def _fill(case: EvalCase, record: Mapping[str, Any]) -> dict[str, Any]:
    """Put what the hook gave into the case; what that was."""
    returned = {field: record[field] for field in ANSWER_FIELDS if record.get(field) is not None}
    for field, value in returned.items():
        setattr(case, field, value)
    return returned


def _name_of(case: EvalCase, implementer: Implementer) -> str:
    inputs = case.model_dump(exclude={"results"}, exclude_none=True)
    return canonical_json(["answer", implementer.name, _plain(inputs)])


def _plain(value: Any) -> Any:
    """JSON values, others by their repr."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def _checked(returned: Any) -> dict[str, Any]:
    """What the hook gave, as fields of a case; empty where it left the case to others."""
    if returned is None:
        return {}
    if not isinstance(returned, Mapping) or set(returned) - set(ANSWER_FIELDS):
        raise ConfigurationError(
            'pytest_ragassert_answer must return {"answer": …, "retrieved_contexts": […]}, '
            f"not {returned!r:.80}"
        )
    checked = EvalCase(**returned)
    return {field: getattr(checked, field) for field in ANSWER_FIELDS}
