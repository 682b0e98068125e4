"""ragas on scripted verdicts, run by ragas' own Python: scenes come as JSON on stdin."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM
from ragas.metrics.collections import (
    AnswerCorrectness,
    AnswerRelevancy,
    ContextPrecision,
    ContextRecall,
    FactualCorrectness,
    Faithfulness,
    SemanticSimilarity,
)

QUESTION, ANSWER, REFERENCE = "the question", "the whole answer", "the whole reference"
SUPPORTED = "FULLY_SUPPORTED"


class Script(InstructorBaseRagasLLM):  # type: ignore[misc]  # ragas is not there for mypy
    """Says what the scene says, in the shape that is asked for."""

    def __init__(self, says: dict[str, Any]) -> None:
        self._says, self._questions = says, 0

    def generate(self, prompt: str, response_model: Any) -> Any:
        return response_model.model_validate(self._reply(response_model.__name__, prompt))

    async def agenerate(self, prompt: str, response_model: Any) -> Any:
        return self.generate(prompt, response_model)

    def _reply(self, wanted: str, prompt: str) -> dict[str, Any]:
        match wanted:
            case "StatementGeneratorOutput":
                return {"statements": self._texts(self._asked(prompt, (ANSWER, REFERENCE)))}
            case "ClaimDecompositionOutput":
                return {"claims": self._texts(self._asked(prompt, (ANSWER, REFERENCE)))}
            case "NLIStatementOutput":
                side = self._asked(prompt, ("answer claim 0", "reference claim 0"))
                return {"statements": self._judged(side, "verdict")}
            case "ContextRecallOutput":
                return {"classifications": self._judged("reference", "attributed")}
            case "ContextPrecisionOutput":
                flags = self._says["relevant"]
                number = next(n for n in range(len(flags)) if f"passage {n}" in prompt)
                return {"reason": "scripted", "verdict": int(any(flags[number]))}
            case "AnswerRelevanceOutput":
                self._questions += 1
                return {"question": f"generated {self._questions - 1}", "noncommittal": 0}
            case "ClassificationWithReason":
                return self._classes()
        raise ValueError(f"nothing scripted for {wanted}")

    def _asked(self, prompt: str, texts: tuple[str, str]) -> str:
        """Which side the prompt's data are of; the last mention is the data's."""
        return "answer" if prompt.rfind(texts[0]) > prompt.rfind(texts[1]) else "reference"

    def _texts(self, side: str) -> list[str]:
        return [f"{side} claim {n}" for n in range(len(self._says[side]))]

    def _judged(self, side: str, label: str) -> list[dict[str, Any]]:
        return [
            {"statement": text, "reason": "scripted", label: int(said == SUPPORTED)}
            for text, said in zip(self._texts(side), self._says[side], strict=True)
        ]

    def _classes(self) -> dict[str, Any]:
        answer, reference = self._judged("answer", "ok"), self._judged("reference", "ok")
        return {
            "TP": [claim for claim in answer if claim["ok"]],
            "FP": [claim for claim in answer if not claim["ok"]],
            "FN": [claim for claim in reference if not claim["ok"]],
        }


class Vectors(BaseRagasEmbedding):  # type: ignore[misc]  # ragas is not there for mypy
    def __init__(self, says: dict[str, Any]) -> None:
        super().__init__()
        given = says.get("vectors", {})
        self._vectors = {QUESTION: says.get("question")}
        self._vectors |= {ANSWER: given.get("answer"), REFERENCE: given.get("reference")}
        generated = says.get("generated", [])
        self._vectors |= {f"generated {n}": vector for n, vector in enumerate(generated)}

    def embed_text(self, text: str, **_: Any) -> Any:
        return self._vectors[text]

    async def aembed_text(self, text: str, **_: Any) -> Any:
        return self._vectors[text]


async def score(scene: dict[str, Any]) -> float | None:
    says = scene["says"]
    llm, vectors = Script(says), Vectors(says)
    passages = [f"passage {n}" for n in range(len(says.get("relevant", [0])))]
    asked = {"user_input": QUESTION, "response": ANSWER, "reference": REFERENCE}
    needs: dict[str, tuple[Any, tuple[str, ...]]] = {
        "faithfulness": (Faithfulness(llm=llm), ("user_input", "response", "contexts")),
        "factual_precision": (
            FactualCorrectness(llm=llm, mode="precision"),
            ("response", "reference"),
        ),
        "factual_recall": (FactualCorrectness(llm=llm, mode="recall"), ("response", "reference")),
        "factual_f1": (FactualCorrectness(llm=llm), ("response", "reference")),
        "context_precision": (ContextPrecision(llm=llm), ("user_input", "reference", "contexts")),
        "context_recall": (ContextRecall(llm=llm), ("user_input", "reference", "contexts")),
        "answer_relevancy": (
            AnswerRelevancy(llm=llm, embeddings=vectors),
            ("user_input", "response"),
        ),
        "answer_correctness": (AnswerCorrectness(llm=llm, embeddings=vectors), tuple(asked)),
        "semantic_similarity": (SemanticSimilarity(embeddings=vectors), ("response", "reference")),
    }
    if scene["metric"] not in needs:
        return None
    metric, fields = needs[scene["metric"]]
    given: dict[str, Any] = {name: asked[name] for name in fields if name in asked}
    if "contexts" in fields:
        given["retrieved_contexts"] = passages
    return float((await metric.ascore(**given)).value)


async def main() -> None:
    print(json.dumps([await score(scene) for scene in json.load(sys.stdin)]))


if __name__ == "__main__":
    asyncio.run(main())
