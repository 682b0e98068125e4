"""The fields of a case: what each is, which metrics read it, and its names elsewhere."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from pytest_ragassert import EvalCase
from pytest_ragassert.case_mistakes import TAKES
from pytest_ragassert.metrics.metric import Metric
from pytest_ragassert.metrics.registry import OWN

from .asking import FIELDS, asked_about
from .markdown import code
from .names import names_anywhere, names_in_records

_TEXT = FIELDS["ground_truth_answer"]
# Cases in which one field or another decides.
_CASES: tuple[Mapping[str, Any], ...] = (
    {},
    {"ground_truth_contexts": [_TEXT]},
    {"ground_truth_answers": [_TEXT, "At 9."]},
    {"ground_truth_claims": [_TEXT]},
    {"answer": f"{_TEXT} [prices.md]", "retrieved_context_ids": None},
)
# Another value of each field.
_CHANGES: Mapping[str, Any] = {
    "question": "Where is it?",
    "history": [],
    "answer": "The museum opens at 10. [2]",
    "retrieved_contexts": ["Nothing.", "At 9 it opens."],
    "retrieved_context_ids": ["7", "8"],
    "retrieved_context_sources": ["a.md", "b.md"],
    "ground_truth_answer": "It opens at 11.",
    "ground_truth_answers": ["It opens at 12."],
    "ground_truth_contexts": ["The museum is closed."],
    "ground_truth_context_ids": ["9"],
    "ground_truth_claims": ["It opens at 13."],
    "criteria": ["is polite"],
}
_DESCRIBED = re.compile(r"^    (\w+): (.*(?:\n     +.*)*)", re.M)


def parts() -> dict[str, str]:
    described = descriptions()
    readers: dict[str, list[str]] = {name: [] for name in EvalCase.model_fields}
    for metric in OWN:
        for name in fields_read(metric):
            readers[name].append(metric.name)
    sections = (
        f"### {name}\n\n{described[name]}\n\n{_facts(name, readers[name])}" for name in described
    )
    return {"fields": "\n".join(sections)}


def _facts(name: str, readers: list[str]) -> str:
    lines = [f"Type: {_type(name)}"]
    if readers:
        lines.append(f"Read by: {_listed(readers)}")
    if anywhere := names_anywhere(name):
        listed = (f"{code(other)} ({', '.join(tools)})" for other, tools in anywhere.items())
        lines.append(f"Other names: {', '.join(listed)}")
    if records := names_in_records(name):
        named = (f"{tool} {', '.join(map(code, names))}" for tool, names in records.items())
        lines.append(f"In records of one tool: {'; '.join(named)}")
    return "".join(f"- {line}\n" for line in lines)


def descriptions() -> dict[str, str]:
    """What the docstring of `EvalCase` says of each field, as a sentence."""
    docstring = inspect.cleandoc(EvalCase.__doc__ or "")
    attributes = docstring.partition("Attributes:\n")[2].partition("\nRaises:")[0]
    found = {name: " ".join(text.split()) for name, text in _DESCRIBED.findall(attributes)}
    return {name: f"{text[:1].upper()}{text[1:]}" for name, text in found.items()}


def _type(name: str) -> str:
    if name == "results":
        return "a dict of `MetricResult` by metric"
    return TAKES.get(name, "a text")


def _listed(metrics: list[str]) -> str:
    of_claims = [metric.name for metric in OWN if metric.asks_judge]
    if metrics == of_claims:
        return "every metric that asks a judge"
    return ", ".join(f"[{name}](metrics.md#{name})" for name in metrics)


def fields_read(metric: Metric) -> list[str]:
    """The fields that change what the metric asks or says of a case, and those that it needs."""
    cases = [{**FIELDS, **case} for case in _CASES]
    before = [asked_about(metric, case) for case in cases]
    return [
        name
        for name, value in _CHANGES.items()
        if name in metric.requires
        or any(
            asked_about(metric, {**case, name: value}) != asked
            for case, asked in zip(cases, before, strict=True)
        )
    ]
