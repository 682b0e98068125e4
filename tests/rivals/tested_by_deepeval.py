"""Tests of metrics as DeepEval has them, run by its own Python's pytest.

JUDGE_URL is the judge's address, METRICS names what is tested; the cases lie in this folder.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from deepeval import assert_test
from deepeval.metrics import ContextualPrecisionMetric, FaithfulnessMetric
from deepeval.models import LocalModel
from deepeval.test_case import LLMTestCase

METRICS = {
    "faithfulness": (FaithfulnessMetric, 0.8),
    "context_precision": (ContextualPrecisionMetric, 0.7),
}
TESTED = os.environ.get("METRICS", "faithfulness").split()
CASES = [json.loads(line) for line in Path("cases.jsonl").read_text("utf-8").splitlines()]
MODEL = LocalModel(model="judge-a", api_key="sk-loopback", base_url=os.environ["JUDGE_URL"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    asked = LLMTestCase(
        input=case["question"],
        actual_output=case["answer"],
        expected_output=case["ground_truth_answer"],
        retrieval_context=case["retrieved_contexts"],
    )
    metrics = [METRICS[name] for name in TESTED]
    assert_test(asked, [kind(threshold=least, model=MODEL) for kind, least in metrics])
