"""`@pytest.mark.rag_cases(…)` and the `rag_case` fixture behind it."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ..case import EvalCase
from ..case_files import distinct, load_cases
from ..errors import ConfigurationError
from ..session import Session
from ..steps.canonical import canonical_json
from . import sampling
from .run import RUN

_HINT = 'mark the test with @pytest.mark.rag_cases("cases.jsonl") or with a list of cases'
_ANSWER_FIELDS = ("answer", "retrieved_contexts")


def parametrize(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """One test a case, with the case's id."""
    cases: list[EvalCase] = []
    mistake = None
    if len(marker.args) != 1 or marker.kwargs:
        mistake = _HINT
    else:
        try:
            cases = _cases(marker.args[0], metafunc)
        except (OSError, ValueError, TypeError) as error:
            mistake = f"rag_cases: {error}"
        else:
            mistake = sampling.mistake(metafunc.config.stash[RUN], cases)
    if mistake is not None:
        pytest.fail(f"{metafunc.definition.nodeid}: {mistake}", pytrace=False)
    ids = [case.id or f"case-{number}" for number, case in enumerate(cases, start=1)]
    metafunc.parametrize("rag_case", cases, ids=ids, indirect=True)


def case_of(request: pytest.FixtureRequest) -> EvalCase:
    if not hasattr(request, "param"):
        pytest.fail(f"{request.node.nodeid}: rag_case has no cases; {_HINT}", pytrace=False)
    case: EvalCase = request.param.fresh()
    if case.answer is None:
        _fill_answer(case, request.config)
    return case


def _cases(given: Any, metafunc: pytest.Metafunc) -> list[EvalCase]:
    if isinstance(given, str | os.PathLike):
        file = _found(Path(given), metafunc)
        cases = load_cases(file)
        if not cases:
            # a truncated export must not switch its tests off unseen
            raise ValueError(f"no case in {file}")
        return cases
    if isinstance(given, EvalCase) or not isinstance(given, Iterable):
        raise TypeError(f"{given!r:.60} is neither a file nor a list of cases")
    return distinct(_case(item) for item in _kept(given))


# An iterator serves every function it marks, so what it gave is kept with it.
_GIVEN: dict[int, tuple[Any, list[Any]]] = {}


def _kept(given: Iterable[Any]) -> list[Any]:
    if id(given) not in _GIVEN or _GIVEN[id(given)][0] is not given:
        _GIVEN[id(given)] = (given, list(given))
    return _GIVEN[id(given)][1]


def _case(item: Any) -> EvalCase:
    if isinstance(item, EvalCase):
        return item
    if isinstance(item, Mapping):
        return EvalCase(**item)
    raise TypeError(f"a case is an EvalCase or a dict, not {type(item).__name__}")


def _found(path: Path, metafunc: pytest.Metafunc) -> Path:
    """The file, looked for beside the test file, then under rootdir."""
    places = [metafunc.definition.path.parent / path, metafunc.config.rootpath / path]
    for place in places:
        if place.exists():
            return place
    tried = " and ".join(str(place) for place in dict.fromkeys(places))
    raise FileNotFoundError(f"no file {str(path)!r}; looked for {tried}")


def _fill_answer(case: EvalCase, config: pytest.Config) -> None:
    """Ask the answer hook, once for the case in the whole run."""
    hook = config.hook.pytest_ragassert_answer
    if not hook.get_hookimpls():
        return
    session = config.stash[RUN].session()
    inputs = case.model_dump(exclude={"results"}, exclude_none=True)
    name = canonical_json(["answer", _plain(inputs)])
    record = session.run.once(name, lambda: _answer(hook(case=case), session), sleep=time.sleep)
    for field in _ANSWER_FIELDS:
        if record.get(field) is not None:
            setattr(case, field, record[field])


def _plain(value: Any) -> Any:
    """JSON values, others by their repr."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | None) else repr(value)


def _answer(given: Any, session: Session) -> dict[str, Any]:
    if inspect.isawaitable(given):
        given = session.wait_for(given)
    if given is None:
        return {}
    if not isinstance(given, Mapping) or set(given) - set(_ANSWER_FIELDS):
        raise ConfigurationError(
            'pytest_ragassert_answer must return {"answer": …, "retrieved_contexts": […]}, '
            f"not {given!r:.80}"
        )
    checked = EvalCase(**given)
    return {field: getattr(checked, field) for field in _ANSWER_FIELDS}
