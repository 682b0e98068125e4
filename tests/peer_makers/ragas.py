"""ragas: samples of one turn and of several, a generated test set, a table of results."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .ferry import ANSWER, CONTEXTS, IDEAL, QUESTION, REFERENCE, SECOND, SECOND_ANSWER

# Its release 0.4.3 imports what later releases of langchain-community lack.
REQUIREMENTS = ("ragas", "langchain-community<0.4")
ENVIRONMENT = {"RAGAS_DO_NOT_TRACK": "true"}


def _samples() -> Any:
    os.environ.update(ENVIRONMENT)
    from ragas import EvaluationDataset, SingleTurnSample

    return EvaluationDataset(
        [
            SingleTurnSample(
                user_input=QUESTION,
                retrieved_contexts=CONTEXTS,
                reference_contexts=IDEAL,
                retrieved_context_ids=["f1", "d1"],
                reference_context_ids=["f1"],
                response=ANSWER,
                reference=REFERENCE,
                multi_responses=[ANSWER, SECOND_ANSWER],
                rubrics={"score1_description": "wrong"},
                persona_name="commuter",
                query_style="MISSPELLED",
                query_length="SHORT",
            ),
            SingleTurnSample(user_input=SECOND, response=SECOND_ANSWER),
        ]
    )


def _turns() -> Any:
    os.environ.update(ENVIRONMENT)
    from ragas import EvaluationDataset, MultiTurnSample
    from ragas.messages import AIMessage, HumanMessage, ToolCall, ToolMessage

    call = ToolCall(name="search", args={"query": "ferry"})
    return EvaluationDataset(
        [
            MultiTurnSample(
                user_input=[
                    HumanMessage(content="Hello!"),
                    AIMessage(content="What do you want to know?", tool_calls=[call]),
                    ToolMessage(content="{}"),
                    HumanMessage(content=QUESTION),
                    AIMessage(content=ANSWER),
                ],
                reference=REFERENCE,
                reference_topics=["ferry"],
                reference_tool_calls=[call],
            )
        ]
    )


def _test_set() -> Any:
    from ragas.testset.synthesizers.testset_schema import Testset, TestsetSample

    name = "single_hop_specific_query_synthesizer"
    samples = _samples().samples
    return Testset([TestsetSample(eval_sample=one, synthesizer_name=name) for one in samples])


def _results() -> Any:
    from ragas import EvaluationDataset, evaluate
    from ragas.metrics import ExactMatch

    answered = EvaluationDataset(_samples().samples[:1])
    return evaluate(answered, metrics=[ExactMatch()], show_progress=False).to_pandas()


def write(folder: Path) -> None:
    """Write its files."""
    for name, made in (("samples", _samples()), ("turns", _turns()), ("test_set", _test_set())):
        made.to_jsonl(folder / f"ragas_{name}.jsonl")
        made.to_csv(folder / f"ragas_{name}.csv")
    _results().to_csv(folder / "ragas_results.csv", index=False)


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    samples, turns, test_set = _samples(), _turns(), _test_set()
    return {
        "ragas_samples.jsonl": [
            samples,
            samples.samples,
            samples.to_list(),
            samples.to_pandas(),
            samples.to_hf_dataset(),
        ],
        "ragas_turns.jsonl": [turns, turns.samples, turns.to_list(), turns.to_pandas()],
        "ragas_test_set.jsonl": [test_set, test_set.samples, test_set.to_list()],
    }
