"""LlamaIndex: a labelled data set, predictions for it, and an answer with its nodes."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from .ferry import ANSWER, CONTEXTS, IDEAL, QUESTION, REFERENCE, SECOND, SECOND_ANSWER

# Releases after it have no labelled data sets.
REQUIREMENTS = ("llama-index-core==0.14.20",)


def _labelled() -> Any:
    from llama_index.core.llama_dataset import (
        CreatedBy,
        CreatedByType,
        LabelledRagDataExample,
        LabelledRagDataset,
    )

    by = CreatedBy(type=CreatedByType.AI, model_name="gen-1")
    return LabelledRagDataset(
        examples=[
            LabelledRagDataExample(
                query=QUESTION,
                query_by=by,
                reference_contexts=IDEAL,
                reference_answer=REFERENCE,
                reference_answer_by=CreatedBy(type=CreatedByType.HUMAN),
            ),
            LabelledRagDataExample(query=SECOND, reference_answer="No."),
        ]
    )


def _predictions() -> Any:
    from llama_index.core.llama_dataset.rag import RagExamplePrediction, RagPredictionDataset

    return RagPredictionDataset(
        predictions=[
            RagExamplePrediction(response=ANSWER, contexts=CONTEXTS),
            RagExamplePrediction(response=SECOND_ANSWER),
        ]
    )


def _response() -> Any:
    from llama_index.core.base.response.schema import Response
    from llama_index.core.schema import NodeWithScore, TextNode

    nodes = [
        TextNode(text=text, id_=f"n{place}", metadata={"file_name": "faq.md"})
        for place, text in enumerate(CONTEXTS)
    ]
    return Response(
        response=ANSWER,
        source_nodes=[NodeWithScore(node=node, score=0.5) for node in nodes],
        metadata={"n0": {"file_name": "faq.md"}},
    )


def write(folder: Path) -> None:
    """Write its files."""
    inner = folder / "llama_index_predicted"
    inner.mkdir(exist_ok=True)
    _labelled().save_json(str(folder / "llama_index_labelled.json"))
    _labelled().save_json(str(inner / "rag_dataset.json"))
    _predictions().save_json(str(inner / "predictions.json"))
    made = dataclasses.asdict(_response())
    made["source_nodes"] = [node.model_dump(mode="json") for node in made["source_nodes"]]
    (folder / "llama_index_response.json").write_text(json.dumps(made, indent=1) + "\n")


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    return {
        "llama_index_labelled.json": [_labelled(), _labelled().examples],
        "llama_index_predicted": [(_labelled(), _predictions())],
        "llama_index_response.json": [[_response()]],
    }
