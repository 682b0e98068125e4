"""DeepEval: goldens, test cases and conversations, as JSON, JSON Lines and CSV."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .ferry import ANSWER, CONTEXTS, IDEAL, QUESTION, REFERENCE, SECOND, SECOND_ANSWER

REQUIREMENTS = ("deepeval",)
ENVIRONMENT = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_DISABLE_DOTENV": "1"}
_FORMATS = ("json", "jsonl", "csv")


def _goldens() -> list[Any]:
    from deepeval.dataset import Golden

    return [
        Golden(
            input=QUESTION,
            actual_output=ANSWER,
            expected_output=REFERENCE,
            retrieval_context=CONTEXTS,
            context=IDEAL,
            name="timetable",
            comments="checked",
            source_file="faq.md",
            additional_metadata={"topic": "times"},
            custom_column_key_values={"season": "summer"},
        ),
        Golden(input=SECOND),
    ]


def _test_cases() -> list[Any]:
    from deepeval.test_case import LLMTestCase, ToolCall

    return [
        LLMTestCase(
            input=QUESTION,
            actual_output=ANSWER,
            expected_output=REFERENCE,
            retrieval_context=CONTEXTS,
            context=IDEAL,
            tools_called=[ToolCall(name="search", input_parameters={"query": "ferry"})],
        ),
        LLMTestCase(input=SECOND, actual_output=SECOND_ANSWER),
    ]


def _turns() -> list[Any]:
    from deepeval.test_case import Turn

    return [
        Turn(role="user", content="Hello!"),
        Turn(role="assistant", content="What do you want to know?"),
        Turn(role="user", content=QUESTION),
        Turn(role="assistant", content=ANSWER, retrieval_context=CONTEXTS),
    ]


def _conversations() -> list[Any]:
    from deepeval.dataset import ConversationalGolden

    return [
        ConversationalGolden(
            scenario="A commuter asks",
            expected_outcome="is told the interval",
            user_description="in a hurry",
            context=IDEAL,
            turns=_turns(),
            additional_metadata={"topic": "times"},
        ),
        ConversationalGolden(scenario="Nobody asks"),
    ]


def _conversational_cases() -> list[Any]:
    from deepeval.test_case import ConversationalTestCase

    return [ConversationalTestCase(turns=_turns(), scenario="A commuter asks")]


def _data_set(test_cases: list[Any] | None = None, goldens: list[Any] | None = None) -> Any:
    os.environ.update(ENVIRONMENT)
    from deepeval.dataset import EvaluationDataset

    made = EvaluationDataset(goldens=goldens) if goldens else EvaluationDataset()
    for one in test_cases or ():
        made.add_test_case(one)
    return made


def write(folder: Path) -> None:
    """Write its files."""
    os.environ.update(ENVIRONMENT)
    made = {
        "goldens": _data_set(goldens=_goldens()),
        "test_cases": _data_set(_test_cases()),
        "conversations": _data_set(goldens=_conversations()),
        "conversational_cases": _data_set(_conversational_cases()),
    }
    for name, data_set in made.items():
        for format in _FORMATS:
            data_set.save_as(
                format,
                str(folder),
                file_name=f"deepeval_{name}",
                include_test_cases=name.endswith("cases"),
            )


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    os.environ.update(ENVIRONMENT)
    return {
        "deepeval_goldens.json": [_goldens(), _data_set(goldens=_goldens())],
        "deepeval_test_cases.json": [_test_cases(), _data_set(_test_cases())],
        "deepeval_conversations.json": [_conversations(), _data_set(goldens=_conversations())],
        "deepeval_conversational_cases.json": [
            _conversational_cases(),
            _data_set(_conversational_cases()),
        ],
    }
