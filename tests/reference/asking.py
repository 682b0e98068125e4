"""What metrics ask the offline judge about a case, noted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from pytest_ragassert import ConfigurationError, EvalCase, MissingFieldError, Settings, evaluate
from pytest_ragassert.judging.judges.offline.offline_judge import OfflineJudge
from pytest_ragassert.metrics.metric import Metric
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.step import Step

_TEXT = "The museum opens at 9."
# Values of every field that a metric may read.
FIELDS: Mapping[str, Any] = {
    "question": "When does the museum open?",
    "history": [{"role": "user", "content": "I am in Vienna."}],
    "answer": f"{_TEXT} [1]",
    "retrieved_contexts": [_TEXT, "Tickets cost 8 euros."],
    "retrieved_context_ids": ["1", "2"],
    "retrieved_context_sources": ["hours.md", "prices.md"],
    "ground_truth_answer": _TEXT,
    "ground_truth_context_ids": ["1"],
    "criteria": ["names the opening time"],
}
# Options under which a metric asks something else than by default.
VARIANTS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "answer_relevancy": [{"method": "questions"}, {"method": "direct"}]
}
Asked = tuple[str, str]  # the step, and the message as JSON


@contextmanager
def noted() -> Iterator[list[Asked]]:
    """What the offline judge is asked meanwhile."""
    asked: list[Asked] = []
    run = OfflineJudge.run

    def noting(judge: OfflineJudge, step: Step, input: Json) -> str:
        asked.append((step.name, json.dumps(input, sort_keys=True)))
        return run(judge, step, input)

    with patch.object(OfflineJudge, "run", noting):
        yield asked


def asked_about(metric: Metric, fields: Mapping[str, Any]) -> list[Asked]:
    """All that a metric asks about a case, and last what it says of the case."""
    asked: list[Asked] = []
    for options in VARIANTS.get(metric.name, [{}]):
        with noted() as new:
            asked.append(("", _measured(metric, fields, options)))
        asked += sorted(new)
    return asked


def _measured(metric: Metric, fields: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    case = EvalCase(id="museum", **fields)
    settings = Settings(judge="offline")
    try:
        found = evaluate(case, {metric.name: options}, settings=settings)
    except (ConfigurationError, MissingFieldError) as error:
        # the offline judge does not write questions, and no embedder is configured
        return str(error)
    return str(found[metric.name].model_dump_json())
