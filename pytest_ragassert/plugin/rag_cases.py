"""`@pytest.mark.rag_cases(…)`, the `rag_case` fixture behind it, and `--ragassert-sample`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ..case import EvalCase
from ..datasets.loading import cases_from, load_cases
from ..datasets.sampling import sampled
from ..language.escaping import is_blank
from ..metrics.registry import EVERYWHERE, Registry, whole_options
from ..runtime.canonical_json import digest
from ..runtime.ci_log import without_prefixes
from .answer_hook import fill_answer
from .collected_tests import collected_case, declared_metrics
from .run import RUN, Run

# The first test function with a mistake, by the mistake: the others refer to it.
_FIRST_TESTS = pytest.StashKey[dict[str, str]]()
_LONGEST_ID, _BEGINNING = 200, 60  # characters of a case's id in a test's name
_HINT = 'mark the test with @pytest.mark.rag_cases("cases.jsonl") or with a list of cases'


def parametrize(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """One test a case, with the case's id."""
    cases: list[EvalCase] = []
    mistake = None
    unknown = sorted(set(marker.kwargs) - {"metrics", "fields", "format"})
    if unknown:
        listed = ", ".join(map(repr, unknown))
        mistake = f"rag_cases takes the cases, metrics=, fields= and format=, no argument {listed}"
    elif len(marker.args) != 1:
        mistake = _HINT
    else:
        try:
            cases = _cases(marker, metafunc)
            _check_metrics(declared_metrics(marker), metafunc.config)
        except (OSError, ValueError, TypeError) as error:
            mistake = f"rag_cases: {error}"
        else:
            mistake = _sample_mistake(metafunc.config.stash[RUN], cases)
    if mistake is not None:
        own = metafunc.definition.nodeid
        first = metafunc.config.stash.setdefault(_FIRST_TESTS, {}).setdefault(mistake, own)
        if first != own:
            mistake = f"rag_cases: the same as for {first}"
        pytest.fail(f"{own}: {mistake}", pytrace=False)
    # everywhere, as a test's name is the same in CI
    ids = [
        _short(without_prefixes(case.id)) if case.id else f"case-{number}"
        for number, case in enumerate(cases, start=1)
    ]
    metafunc.parametrize("rag_case", cases, ids=ids, indirect=True)


def _short(id: str) -> str:
    """The id, of one that no command line should hold its beginning and what tells it apart."""
    return id if len(id) <= _LONGEST_ID else f"{id[:_BEGINNING]}-{digest(id)[:12]}"


def case_of(request: pytest.FixtureRequest) -> EvalCase:
    if not hasattr(request, "param"):
        pytest.fail(f"{request.node.nodeid}: rag_case has no cases; {_HINT}", pytrace=False)
    case: EvalCase = request.param.fresh()
    if case.answer is None:
        fill_answer(case, request.node, request.config.stash[RUN])
    return case


def _check_metrics(declared: Mapping[str, Mapping[str, Any]], config: pytest.Config) -> None:
    """
    Raises:
        TypeError: an unknown metric, or one that does not take an option.
    """
    if not declared:
        return
    registry = Registry(config.stash[RUN].hooks.metrics())
    for name, options in declared.items():
        own = {key: value for key, value in options.items() if key not in EVERYWHERE}
        whole_options(registry[name], own)


def _cases(marker: pytest.Mark, metafunc: pytest.Metafunc) -> list[EvalCase]:
    source = marker.args[0]
    fields, format = marker.kwargs.get("fields"), marker.kwargs.get("format")
    if isinstance(source, str | os.PathLike):
        file = _found(Path(source), metafunc)
        cases = load_cases(file, fields=fields, format=format)
        if not cases:
            # a truncated export must not switch its tests off unseen
            raise ValueError(f"no case in {file}")
        return cases
    return cases_from(_kept(source), fields=fields, format=format)


# An iterator serves every function it marks, so what it gave is kept with it.
_GIVEN: dict[int, tuple[Any, list[Any]]] = {}


def _kept(source: Any) -> Any:
    if not isinstance(source, Iterator):
        return source
    if id(source) not in _GIVEN or _GIVEN[id(source)][0] is not source:
        _GIVEN[id(source)] = (source, list(source))
    return _GIVEN[id(source)][1]


def _found(path: Path, metafunc: pytest.Metafunc) -> Path:
    """The file, looked for beside the test file, then under rootdir."""
    places = [metafunc.definition.path.parent / path, metafunc.config.rootpath / path]
    for place in places:
        if place.exists():
            # one file is called the same by all that use it
            plain = Path(os.path.normpath(place))
            return plain if plain.exists() and plain.samefile(place) else place
    tried = " and ".join(str(place) for place in dict.fromkeys(places))
    raise FileNotFoundError(f"no file {str(path)!r}; looked for {tried}")


def _sample_mistake(run: Run, cases: Sequence[EvalCase]) -> str | None:
    """Why no sample can be taken of a data set; None where one can, or none is wanted."""
    if "sample" not in run.chosen:
        return None
    for case in cases:
        if is_blank(case.id):
            return f"--ragassert-sample chooses cases by their ids; case {case.name} has none"
    key: str | None = run.value("sample_by", None)
    if key is not None and cases and not any(key in case.metadata for case in cases):
        return f"--ragassert-sample-by: no case has {key!r} in its metadata"
    return None


def deselect(run: Run, items: list[pytest.Item]) -> None:
    """Leave the sample's items, and those without a case."""
    by_item = {item: case for item in items if (case := collected_case(item)) is not None}
    key: str | None = run.value("sample_by", None)
    strata = {
        str(case.id): "" if key is None else str(case.metadata.get(key, ""))
        for case in by_item.values()
    }
    chosen = sampled(strata, run.value("sample", len(strata)))
    run.note_sample(len(chosen), len(strata))
    out = {item for item, case in by_item.items() if str(case.id) not in chosen}
    if out:
        items[:] = [item for item in items if item not in out]
        run.config.hook.pytest_deselected(items=[item for item in by_item if item in out])
