"""`@pytest.mark.rag_cases(…)`, and the `rag_case` fixture behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ..case import EvalCase
from ..metrics.registry import EVERYWHERE, Registry, whole_options
from ..runtime.canonical_json import digest
from ..runtime.ci_log import without_prefixes
from .answer_hook import fill_answer
from .case_sampling import sources_of
from .collected_tests import MARKER, declared_metrics
from .run import RUN

# The first test function with each mistake; the others refer to it.
_FIRST_TESTS = pytest.StashKey[dict[str, str]]()
_LONGEST_ID, _BEGINNING = 200, 60  # maximum number of characters of a case's id in a test's name
_HINT = 'mark the test with @pytest.mark.rag_cases("cases.jsonl"), or pass it a list of cases'


def parametrize(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Parametrize a test function: one test per case, with the case's id."""
    _check_one_marker(metafunc.definition)
    cases: list[EvalCase] = []
    mistake = None
    unknown = sorted(set(marker.kwargs) - {"metrics", "fields", "format"})
    if unknown:
        listed = ", ".join(map(repr, unknown))
        mistake = (
            "rag_cases takes the cases, metrics=, fields= and format=; unexpected argument: "
            f"{listed}"
        )
    elif len(marker.args) != 1:
        mistake = _HINT
    else:
        try:
            source = sources_of(metafunc.config).of(marker, metafunc)
            _check_metrics(declared_metrics(marker), metafunc.config)
        except (OSError, ValueError, TypeError) as error:
            mistake = f"rag_cases: {error}"
        else:
            cases, mistake = source.cases, source.mistake
    if mistake is not None:
        own = metafunc.definition.nodeid
        first = metafunc.config.stash.setdefault(_FIRST_TESTS, {}).setdefault(mistake, own)
        if first != own:
            mistake = f"rag_cases: the same as for {first}"
        pytest.fail(f"{own}: {mistake}", pytrace=False)
    # on all systems, so that a test's name is the same in CI
    ids = [
        _short(without_prefixes(case.id)) if case.id else f"case-{number}"
        for number, case in enumerate(cases, start=1)
    ]
    metafunc.parametrize("rag_case", cases, ids=ids, indirect=True)


def _check_one_marker(test: pytest.Item) -> None:
    for node in test.listchain():
        if [one.name for one in node.own_markers].count(MARKER) > 1:
            pytest.fail(
                f"{node.nodeid}: has several rag_cases markers, of which only one would be used; "
                "put all cases in one marker, as a list or as load_cases(a) + load_cases(b)",
                pytrace=False,
            )


def _short(id: str) -> str:
    """The id; a long or unprintable one is shortened to its beginning and a unique suffix."""
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
