"""A test of faithfulness as DeepEval has it, run by its own Python's pytest.

JUDGE_URL is the judge's address; the cases lie in this folder.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from deepeval import assert_test
from deepeval.metrics import FaithfulnessMetric
from deepeval.models import LocalModel
from deepeval.test_case import LLMTestCase

CASES = [json.loads(line) for line in Path("cases.jsonl").read_text("utf-8").splitlines()]
MODEL = LocalModel(model="judge-a", api_key="sk-loopback", base_url=os.environ["JUDGE_URL"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_faithful(case: dict[str, Any]) -> None:
    asked = LLMTestCase(
        input=case["question"],
        actual_output=case["answer"],
        retrieval_context=case["retrieved_contexts"],
    )
    assert_test(asked, [FaithfulnessMetric(threshold=0.8, model=MODEL)])
