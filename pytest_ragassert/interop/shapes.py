"""Flat records of other tools: which tool wrote one, and the field that each of its names is.

A name that means one thing wherever it stands is an alias (`case.ALIASES`); here are those whose
meaning only the record as a whole says, such as `context`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import NamedTuple

# What goes into `metadata` under its own name, and a dict whose entries go there.
KEPT, MERGED = "metadata", "metadata of it"


class Shape(NamedTuple):
    """A record of another tool.

    Attributes:
        all_of: names that it has, null or not.
        any_of: names of which it has one at least; empty: none is needed.
        names: the field of each name, `KEPT` or `MERGED`.
        separator: of the texts in a cell, where the tool writes tables.
        whole: it has no other names.
    """

    all_of: frozenset[str]
    any_of: frozenset[str]
    names: Mapping[str, str]
    separator: str | None = None
    whole: bool = False


DEEPEVAL = Shape(
    frozenset({"input"}),
    frozenset({"actual_output", "expected_output", "retrieval_context"}),
    {
        "context": "ground_truth_contexts",
        "source_file": "source_units",
        "additional_metadata": MERGED,
        **dict.fromkeys(
            (
                *("name", "comments", "tools_called", "expected_tools", "token_cost"),
                *("input_token_count", "output_token_count", "completion_time", "multimodal"),
                *("flaky", "custom_column_key_values", "expectations", "expected_labels"),
                *("mcp_servers", "mcp_tools_called", "mcp_resources_called", "mcp_prompts_called"),
                "multi_turn",
            ),
            KEPT,
        ),
    },
    separator="|",
)
_SHAPES = (
    DEEPEVAL,
    # LangChain's retrieval chain, and the older ones
    Shape(
        frozenset({"input", "context", "answer"}),
        frozenset(),
        {"context": "retrieved_contexts", "chat_history": "history"},
    ),
    Shape(
        frozenset({"source_documents"}),
        frozenset({"result", "answer"}),
        {
            "source_documents": "retrieved_contexts",
            "result": "answer",
            "chat_history": "history",
            "generated_question": KEPT,
        },
    ),
    # LlamaIndex: an answer, and an example of a labelled data set
    Shape(
        frozenset({"response", "source_nodes"}),
        frozenset(),
        {"source_nodes": "retrieved_contexts"},
    ),
    Shape(
        frozenset({"query", "reference_answer"}),
        frozenset({"query_by", "reference_answer_by"}),
        {"query_by": KEPT, "reference_answer_by": KEPT},
    ),
    # Haystack's GeneratedAnswer
    Shape(
        frozenset({"data", "query", "documents"}),
        frozenset(),
        {"data": "answer", "documents": "retrieved_contexts", "meta": MERGED},
        whole=True,
    ),
)


@functools.lru_cache(maxsize=64)  # the rows of a file have the same names
def shape_of(names: tuple[str, ...]) -> Shape | None:
    """The shape of a record with these names; None where it is none of another tool."""
    for shape in _SHAPES:
        if not all(name in names for name in shape.all_of):
            continue
        if shape.any_of and not any(name in names for name in shape.any_of):
            continue
        if shape.whole and not set(names) <= shape.all_of | shape.names.keys():
            continue
        return shape
    return None
