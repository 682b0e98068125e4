"""DeepEval's `evaluate` over cases.jsonl, run by its own Python: faithfulness of every case.

JUDGE_URL is the judge's address; USE_CACHE turns its cache on.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from deepeval import evaluate
from deepeval.evaluate import CacheConfig
from deepeval.metrics import FaithfulnessMetric
from deepeval.models import LocalModel
from deepeval.test_case import LLMTestCase


def main() -> None:
    model = LocalModel(model="judge-a", api_key="sk-loopback", base_url=os.environ["JUDGE_URL"])
    cases = [json.loads(line) for line in Path("cases.jsonl").read_text("utf-8").splitlines()]
    result = evaluate(
        [
            LLMTestCase(
                input=case["question"],
                actual_output=case["answer"],
                retrieval_context=case["retrieved_contexts"],
            )
            for case in cases
        ],
        [FaithfulnessMetric(threshold=0.8, model=model)],
        cache_config=CacheConfig(use_cache="USE_CACHE" in os.environ),
    )
    passed = sum(bool(test.success) for test in result.test_results)
    print(f"{passed} of {len(cases)} passed")


if __name__ == "__main__":
    main()
