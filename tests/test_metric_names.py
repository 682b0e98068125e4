"""A metric's name is a project's own text: whatever it holds, what people read of it is safe."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, JudgeError, MetricResult
from pytest_ragassert.analysis.records.measurement import measurements_of
from pytest_ragassert.analysis.records.result_rows import (
    Sent,
    from_text,
    headline,
    headline_of_several,
    is_told_in,
    row_of,
    to_text,
)
from pytest_ragassert.analysis.regression.comparison import compared
from pytest_ragassert.engine.jobs import Job
from pytest_ragassert.engine.runner import not_measured
from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.metrics.metric import Ask, Metric
from pytest_ragassert.metrics.registry import Registry
from pytest_ragassert.report.comparison_lines import comparison_lines
from pytest_ragassert.report.failure_report import failure_lines
from pytest_ragassert.report.known_failures import quarantine_lines
from pytest_ragassert.report.terminal import Screen

NAMES = st.text(st.characters(codec=None), min_size=1)
CASE = EvalCase(id="c", question="Q?", answer="A.", retrieved_contexts=["A."])


class Own(Metric):
    requires = ("answer",)
    default_min = 0.5

    def __init__(self, name: str) -> None:
        self.name = name

    async def measure(self, case: EvalCase, ask: Ask, *_: Any, **options: Any) -> MetricResult:
        return below(self.name)


def safe(text: str) -> None:
    """Holds nothing that acts on a terminal, breaks its line, or that no encoding takes."""
    text.encode("utf-8")
    assert not [char for char in text if ord(char) < 32 or 127 <= ord(char) < 160]
    assert not set(text) & set("\u2028\u2029\u202d\u202e\u2066\u2067\ufeff")


def below(name: str) -> MetricResult:
    return MetricResult(metric=name, score=0.5, minimum=0.6, reason="half of it")


@given(NAMES)
def test_messages_and_lines_of_any_name_are_safe(name: str) -> None:
    result = below(name)
    row = row_of(result, CASE) | {"asserted": True, "nodeid": "t.py::t"}
    message = headline(result, "c")
    for text in (message, headline_of_several([result, result], "c")):
        safe(text)
    assert is_told_in(message, row)
    for verbose in (False, True):
        for line in failure_lines([row], Screen(), verbose=verbose):
            safe(line)
    passing = row | {"passed": True, "quarantine": "why"}
    for line in quarantine_lines([passing]):
        safe(line)
    before, after = (
        measurements_of([row | {"score": score, "identity": "i"}]) for score in (0.9, 0.5)
    )
    for pair in ((before, after), ([], after), (before, []), (before, [*after, *after])):
        for line in comparison_lines(compared(*pair), Screen(), against="b", verbose=True):
            safe(line)


@given(NAMES)
def test_what_could_not_be_measured_is_told_safely(name: str) -> None:
    job = Job(CASE, name, Own(name), {}, 0.5, "fail", ())
    measured = not_measured(job, JudgeError(f"{name} did not answer"))
    safe(str(measured.error))
    assert "of case c not measured" in str(measured.error)


@given(NAMES)
def test_a_row_of_any_name_travels_between_processes(name: str) -> None:
    sent = Sent([row_of(below(name), CASE)], [], {})
    text = to_text(sent)
    assert text.isascii()
    assert from_text(text).rows[0]["metric"] == name


@pytest.mark.parametrize(
    "name", ["a=b", "a:b", "a\nb", "bell\x07", "\u202eid", "ev\ud83d"], ids=ascii
)
def test_a_name_may_hold_what_it_likes(name: str) -> None:
    assert name in [metric.name for metric in Registry([Own(name)])]


@pytest.mark.parametrize("name", ["", " ", "\u200b", 5, None])
def test_a_name_is_a_text(name: Any) -> None:
    with pytest.raises(ConfigurationError, match="with a name"):
        Registry([Own(name)])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"requires": ("answerr",)},
            "requires names 'answerr', which is not a field of EvalCase (did you mean 'answer'?)",
        ),
        ({"requires": (5,)}, "requires names 5, which is not a field of EvalCase"),
        ({"requires": "answer"}, "requires must be a tuple of fields of EvalCase, not 'answer'"),
        ({"default_min": 7}, "default_min must be a number from 0 to 1, not 7"),
        ({"default_min": "0.5"}, "default_min must be a number from 0 to 1, not '0.5'"),
    ],
)
def test_what_a_metric_declares_is_checked(changes: dict[str, Any], told: str) -> None:
    metric = Own("mine")
    vars(metric).update(changes)
    with pytest.raises(ConfigurationError) as caught:
        Registry([metric])
    assert str(caught.value).startswith(f"metric mine: {told}")


@given(NAMES)
def test_an_unknown_name_is_told_safely(name: str) -> None:
    others = [Own("bell\x07\x1b[31m")]
    if name in [metric.name for metric in Registry(others)]:
        return
    with pytest.raises(TypeError) as told:
        Registry(others)[name]
    safe(str(told.value))
