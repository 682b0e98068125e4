"""Gets the answer of a case: the recorded one, or the hook's. The hook is called once per case and
run, when the test begins or ahead of it.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from ..case import EvalCase
from ..errors import AnswerMissing, ConfigurationError
from ..interop.documents import CONTEXT_NAMES
from ..judging.calls import user_calls
from ..judging.calls.blocked_sockets import blocker_in
from ..runtime.canonical_json import canonical_json
from ..runtime.fake_files import real_files
from ..runtime.http_mocks import intercepted
from .project_hooks import Implementer, implementers
from .recorded_answers import ANSWER_FIELDS, ANSWERED, Answered, Wanted, fields_of, plain

if TYPE_CHECKING:
    from .run import Run

# On a test item: the fields of its case that the hook filled in.
FILLED = pytest.StashKey[dict[str, Any]]()


def fill_answer(case: EvalCase, item: pytest.Item, run: Run) -> None:
    """Fill in the recorded answer, or call the item's answer hook: each implementation once per
    case and run.

    Raises:
        AnswerMissing: a replay of recorded answers has none.
    """
    recorded = run.recorded_answers
    wanted = None if recorded is None else recorded.wanted(case, item)
    if wanted is not None and _is_recorded(wanted, item, run):
        return
    asked = implementers(item)
    if not asked:
        return
    with real_files():
        session = run.session()
    for implementer in asked:
        name = _name_of(case, implementer, wanted)
        failed = run.failed_answers.pop(name, None)
        if failed is not None:
            raise failed

        def make(implementer: Implementer = implementer) -> dict[str, Any]:
            returned = user_calls.call_now(partial(implementer.call, case=case))
            gave = _checked(
                session.hooks.wait_for(returned) if inspect.isawaitable(returned) else returned
            )
            if wanted is not None:
                wanted.keep(implementer, gave)
            return gave

        record = session.run.once(name, make, sleep=time.sleep)
        item.stash[FILLED] = fill(case, record)
        if record:
            if wanted is not None:
                item.stash[ANSWERED]["origin"] = "application"
            return


def _is_recorded(wanted: Wanted, item: pytest.Item, run: Run) -> bool:
    """Whether the case got its recorded answer, or the record says that no hook has one.

    Raises:
        AnswerMissing: a replay has none.
    """
    case, replays = wanted.case, wanted.answers.replays
    item.stash[ANSWERED] = told = Answered(case=case.name, places=list(map(list, wanted.places)))
    found = wanted.recorded()
    if found is not None:
        item.stash[FILLED] = fill(case, fields_of(found))
        if not found.is_empty:
            told["origin"] = "recorded"
            told["places"].append(list(found.place))
        return True
    if wanted.asked and replays:
        why = wanted.missing()
        told["origin"], told["why"] = "missing", why
        raise AnswerMissing(
            f"no recorded answer for case {case.name} in {wanted.answers.path.name} ({why}); "
            f"record it with: pytest {recording_options(run)}"
        )
    return False


def waits_for_answer(case: EvalCase, item: pytest.Item, run: Run) -> bool:
    """Whether the case's answer may be filled in before its test: from the record or by a hook."""
    may_have = run.recorded_answers is not None or bool(implementers(item))
    return case.answer is None and may_have


async def filled_ahead(
    case: EvalCase, item: pytest.Item, run: Run, failed: dict[str, BaseException]
) -> bool:
    """Fill in the answer ahead of the test, from the record or from hooks that may run ahead (the
    async ones); whether the case now has one.

    Args:
        failed: keeps a hook's error for the case's test, by the names of the hook and the case.
    """
    from ..storage.run_state.run_folder import InUse

    recorded, wanted = run.recorded_answers, None
    if recorded is not None:
        try:
            wanted = recorded.wanted(case, item)
        except Exception:
            # the case's own test reports it
            return False
        found = wanted.recorded()
        if found is not None:
            fill(case, fields_of(found))
            return True
        if recorded.replays:
            return False
    asked = implementers(item)
    if not all(implementer.is_async for implementer in asked):
        return False
    session = run.session()
    for implementer in asked:

        async def make(implementer: Implementer = implementer) -> dict[str, Any]:
            returned: Awaitable[Any] | None = implementer.call(case=case.fresh())
            gave = _checked(None if returned is None else await session.hooks.done(returned))
            if wanted is not None:
                wanted.keep(implementer, gave)
            return gave

        name = _name_of(case, implementer, wanted)
        # the test of a case whose hook failed may come later, perhaps in another function
        if name in failed or intercepted():
            return False
        try:
            record = await session.run.once_if_free(name, make)
        except InUse:
            return False
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # if sockets are blocked for the running test, the case's own test asks again
            if not isinstance(error, Exception) or blocker_in(error) is None:
                failed[name] = error
            return False
        fill(case, record)
        if record:
            break
    return True


def fill(case: EvalCase, record: Mapping[str, Any]) -> dict[str, Any]:
    """Put what the hook returned into the case, and return it."""
    returned = {field: record[field] for field in ANSWER_FIELDS if record.get(field) is not None}
    if "retrieved_contexts" in returned:
        # names in a case file belong to another retrieval
        returned = {**returned, **{field: record.get(field) for field in CONTEXT_NAMES}}
        case.retrieved_context_sources = None
    for field, value in returned.items():
        setattr(case, field, value)
    return returned


def recording_options(run: Run) -> str:
    """The options of a run that records the answers missing in a replay."""
    update = run.verdicts is not None and run.judge != "offline"
    return "--ragassert-record-mode=new_episodes" + " --ragassert-update-verdicts" * update


def _name_of(case: EvalCase, implementer: Implementer, wanted: Wanted | None) -> str:
    inputs = case.model_dump(exclude={"results"}, exclude_none=True)
    key = [] if wanted is None else [wanted.key]
    return canonical_json(["answer", implementer.name, *key, plain(inputs)])


def _checked(returned: Any) -> dict[str, Any]:
    """The hook's return value as fields of a case; empty if it left the case to others."""
    if returned is None:
        return {}
    if not isinstance(returned, Mapping) or set(returned) - set(ANSWER_FIELDS):
        raise ConfigurationError(
            'pytest_ragassert_answer must return {"answer": …, "retrieved_contexts": […]}, '
            f"not {returned!r:.80}"
        )
    checked = EvalCase(**returned)
    return {field: getattr(checked, field) for field in ANSWER_FIELDS}
