"""What each metric needs, asks and takes, from its class."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable

from pytest_ragassert.metrics.assertion import expectation_factory
from pytest_ragassert.metrics.metric import Assertion, Metric
from pytest_ragassert.metrics.registry import OWN
from pytest_ragassert.steps.catalogue import STEPS

from .asking import FIELDS, asked_about
from .markdown import code, table

# Options that several assertions take in the same sense: the page describes them once.
COMMON = ("min", "no_claims", "models", "votes", "aggregate")


def parts(metrics: Iterable[Metric] = OWN) -> dict[str, str]:
    metrics = list(metrics)
    return {"assertions": assertions_table(metrics)} | {
        f"metric {metric.name}": _facts(metric) for metric in metrics
    }


def assertions_table(metrics: Iterable[Metric]) -> str:
    """A row for each assertion, or each group of assertions of one metric."""
    rows: dict[str, tuple[str, ...]] = {}
    for metric in metrics:
        for one in metric.asserted_by:
            names = one.metrics or (metric.name,)
            links = ", ".join(f"[{name}](#{name})" for name in names)
            least = f"{metric.default_min:g}" if _has_minimum(metric) else "none"
            rows.setdefault(
                one.name, (code(one.name), _capital(one.holds), links, _needs(metric), least)
            )
    return table(("assertion", "what it asserts", "metric", "needs", "minimum"), rows.values())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _has_minimum(metric: Metric) -> bool:
    return any(not one.labels for one in metric.asserted_by)


def _needs(metric: Metric) -> str:
    return metric.needs or ", ".join(map(code, metric.requires))


def _facts(metric: Metric) -> str:
    lines = [f"Assertion: {code(_call(metric, one))}" for one in metric.asserted_by]
    lines.append(f"Needs: {_needs(metric)}")
    if _has_minimum(metric):
        lines.append(f"Default minimum: {metric.default_min:g}")
    steps = ", ".join(f"[`{s}`](judge-format.md#{s})" for s in steps_asked(metric))
    lines.append(f"Asks the judge: {steps or 'nothing'}")
    if metric.may_lack_claims:
        lines.append("If a text has no claims, there is [nothing to check](#nothing-to-check)")
    if metric.document_name is not None:
        lines.append(f"Other name in the results file: {code(metric.document_name[0])}")
    lines += [f"{code(name)}: {text}" for name, text in own_options(metric).items()]
    return "".join(f"- {line}\n" for line in lines)


def _call(metric: Metric, assertion: Assertion) -> str:
    """How the assertion is called, without the types."""
    shown = []
    starred = False
    parameters = inspect.signature(expectation_factory(metric, assertion)).parameters.values()
    for one in parameters:
        if one.kind is one.VAR_POSITIONAL:
            shown.append(f"*{one.name}")
        elif one.kind is one.KEYWORD_ONLY:
            if not starred and not any(text.startswith("*") for text in shown):
                shown.append("*")
            starred = True
            shown.append(f"{one.name}={one.default!r}".replace("'", '"'))
        else:
            shown.append(one.name)
    return f"{assertion.name}({', '.join(shown)})"


_ARGUMENT = re.compile(r"^    (?P<names>\w+(?:, \w+)*): (?P<text>.*(?:\n     +.*)*)", re.M)


def documented(docstring: str) -> dict[str, str]:
    """The arguments that a docstring describes, by name."""
    found = re.search(r"^Args:\n((?:    .*\n?|\n)*)", inspect.cleandoc(docstring), re.M)
    return {
        name: " ".join(one["text"].split())
        for one in _ARGUMENT.finditer(found[1] if found else "")
        for name in one["names"].split(", ")
    }


def own_options(metric: Metric) -> dict[str, str]:
    """What an assertion of the metric takes beside the common options, each described.

    Raises:
        LookupError: a docstring does not describe one.
    """
    found: dict[str, str] = {}
    for assertion in metric.asserted_by:
        function = expectation_factory(metric, assertion)
        described = documented(function.__doc__ or "")
        for base in type(metric).__mro__:
            described = {**_inherited(base), **described}
        for name in list(inspect.signature(function).parameters)[1:]:
            if name not in COMMON:
                if name not in described:
                    raise LookupError(f"{assertion.name}: no docstring describes {name}")
                found[name] = described[name]
    return found


def _inherited(base: type) -> dict[str, str]:
    # retrieval metrics refer to the docstring of the first of them
    same = [type(one) for one in OWN if base in type(one).__mro__] if base is not Metric else []
    return documented(same[0].__doc__ or "") if same and base is not object else {}


def steps_asked(metric: Metric) -> list[str]:
    """The steps that the metric asks about a case that has every field."""
    if not metric.asks_judge:
        return []
    asked = {step for step, _ in asked_about(metric, FIELDS)}
    return [step for step in STEPS if step in asked]
