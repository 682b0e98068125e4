"""ragas' `evaluate` over cases.jsonl, run by its own Python: `… URL AT_ONCE METRIC…`.

CACHE names a folder in which it keeps replies by prompt. Prints the mean of each metric as JSON.
"""

from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path
from typing import Any

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from ragas import EvaluationDataset, RunConfig, evaluate
from ragas.cache import DiskCacheBackend
from ragas.embeddings import LangchainEmbeddingsWrapper
from ragas.llms import LangchainLLMWrapper
from ragas.metrics import (
    FactualCorrectness,
    Faithfulness,
    LLMContextPrecisionWithReference,
    LLMContextRecall,
    ResponseRelevancy,
)

METRICS: dict[str, Any] = {
    "faithfulness": Faithfulness,
    "factual_f1": FactualCorrectness,
    "context_precision": LLMContextPrecisionWithReference,
    "context_recall": LLMContextRecall,
    "answer_relevancy": ResponseRelevancy,
}


def rows() -> list[dict[str, Any]]:
    lines = Path("cases.jsonl").read_text("utf-8").splitlines()
    return [
        {
            "user_input": case["question"],
            "response": case["answer"],
            "retrieved_contexts": case["retrieved_contexts"],
            "reference": case["ground_truth_answer"],
        }
        for case in map(json.loads, lines)
    ]


def main(url: str, at_once: str, *names: str) -> None:
    served = {"base_url": url, "api_key": "sk-loopback"}
    # Without it the embeddings fetch a tokenizer's table from the net.
    embeddings = OpenAIEmbeddings(model="embed-a", check_embedding_ctx_length=False, **served)
    cache = DiskCacheBackend(os.environ["CACHE"]) if "CACHE" in os.environ else None
    result = evaluate(
        EvaluationDataset.from_list(rows()),
        metrics=[METRICS[name]() for name in names],
        llm=LangchainLLMWrapper(ChatOpenAI(model="judge-a", **served), cache=cache),
        embeddings=LangchainEmbeddingsWrapper(embeddings),
        run_config=RunConfig(max_workers=int(at_once)),
        show_progress=False,
        raise_exceptions=True,
    )
    means: dict[str, float] = {}
    for row in result.scores:
        for name, score in row.items():
            if math.isnan(score):
                raise ValueError(f"no score of {name}")
            means[name] = means.get(name, 0.0) + score / len(result.scores)
    print(json.dumps(means))


if __name__ == "__main__":
    main(*sys.argv[1:])
