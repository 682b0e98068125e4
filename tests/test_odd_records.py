"""Records that are nearly those of a tool: whatever stands in them, a case or a ValueError."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.errors import RagAssertWarning
from pytest_ragassert.interop.shapes import SHAPES
from pytest_ragassert.interop.tools import TOOLS

NAMES = sorted(
    {
        *(name for shape in SHAPES for name in {*shape.all_of, *shape.any_of, *shape.names}),
        *("vars", "assert", "testCase", "promptIdx", "testIdx", "response", "description"),
        *("provider", "providerOutput", "options", "tests", "prompts", "defaultTest", "scenarios"),
        *("results", "examples", "predictions", "type", "value", "threshold", "messages", "role"),
        *(
            "content",
            "output",
            "config",
            "disableVarExpansion",
            "lc",
            "kwargs",
            "node",
            "init_parameters",
        ),
        *("inputs", "outputs", "expectations", "__expected", "__expected2", "__metadata:a[]"),
        *("__config:__expected:threshold", "relevance", "id", "path"),
    }
)
texts = st.sampled_from(
    [
        "",
        "x",
        "user",
        "factuality",
        "context-recall",
        "file://x",
        "{{x}}",
        "similar(0.8): a",
        "[1",
        "{}",
    ]
)
plain = st.none() | st.booleans() | st.integers(-1, 3) | st.floats() | texts
values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=12,
)
checks = st.lists(
    values
    | st.fixed_dictionaries(
        {}, optional={"type": texts | values, "value": values, "threshold": values}
    ),
    max_size=3,
)
tests = st.fixed_dictionaries(
    {"vars": st.dictionaries(st.sampled_from(["query", "context", "x", "id"]), values)},
    optional={
        "description": values,
        "assert": checks | values,
        "metadata": values,
        "options": values,
        "providerOutput": values,
    },
)
results = st.fixed_dictionaries(
    {"vars": st.dictionaries(st.sampled_from(["query", "context"]), values)},
    optional={
        "promptIdx": values,
        "testIdx": values,
        "response": values | st.fixed_dictionaries({"output": values}),
        "testCase": values | tests,
        "provider": values,
    },
)
configurations = st.fixed_dictionaries(
    {"prompts": values},
    optional={
        "tests": values | st.lists(tests | values, max_size=3),
        "defaultTest": values | tests,
        "scenarios": values
        | st.lists(
            st.fixed_dictionaries(
                {"config": values | st.lists(tests), "tests": values | st.lists(tests)}
            ),
            max_size=2,
        ),
    },
)
messages = st.lists(values | st.fixed_dictionaries({"role": texts, "content": values}), max_size=3)
chats = st.fixed_dictionaries(
    {"scenario": values, "turns": values | messages},
    optional={"context": values, "persona": values, "additional_metadata": values},
)
rankings = st.lists(
    values | st.fixed_dictionaries({"id": values}, optional={"relevance": values}), max_size=3
)
items = st.fixed_dictionaries(
    {"query": values, "retrieved_content": values},
    optional={
        "conversation": values | st.fixed_dictionaries({"messages": messages | values}),
        "actual_ranking": values | rankings,
        "expected_ranking": values | rankings,
        "dataset_metadata": values,
        "user_tags": values,
    },
)
shaped = st.sampled_from(SHAPES).flatmap(
    lambda shape: st.dictionaries(
        st.sampled_from(sorted({*shape.all_of, *shape.any_of, *shape.names})), values
    ).map(lambda found: {**dict.fromkeys([*shape.all_of, *sorted(shape.any_of)[:1]], "x"), **found})
)
records = (
    st.dictionaries(st.sampled_from(NAMES), values, max_size=6)
    | tests
    | results
    | configurations
    | st.fixed_dictionaries(
        {"results": st.fixed_dictionaries({"results": st.lists(results | values, max_size=3)})}
    )
    | chats
    | items
    | shaped
)


@pytest.mark.filterwarnings(f"ignore::{RagAssertWarning.__module__}.RagAssertWarning")
@given(record=records, tool=st.none() | st.sampled_from(sorted(TOOLS)))
def test_a_record_is_a_case_or_a_mistake(record: dict[str, Any], tool: str | None) -> None:
    with contextlib.suppress(ValueError):
        assert all(isinstance(one, EvalCase) for one in load_cases([record], format=tool))
    with contextlib.suppress(ValueError):
        assert isinstance(EvalCase.of(record), EvalCase)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("odd")


@pytest.mark.filterwarnings(f"ignore::{RagAssertWarning.__module__}.RagAssertWarning")
@given(
    record=records,
    tool=st.none() | st.sampled_from(sorted(TOOLS)),
    suffix=st.sampled_from(["json", "jsonl", "yaml"]),
)
def test_a_file_has_cases_or_mistakes(
    folder: Path, record: dict[str, Any], tool: str | None, suffix: str
) -> None:
    file = folder / f"a.{suffix}"
    file.write_text(json.dumps(record))
    with contextlib.suppress(ValueError):
        assert all(isinstance(one, EvalCase) for one in load_cases(file, format=tool))
