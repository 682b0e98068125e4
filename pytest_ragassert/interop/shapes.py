"""Recognises flat records of other tools, and maps their names to fields.

A name with the same meaning in all records is an alias (`vocabularies.ALIASES`). Here are names
whose meaning depends on the record as a whole, such as `context`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import NamedTuple

# Goes into `metadata` under its own name; is a dict whose entries go there; is not read.
KEPT, MERGED, LEFT_OUT = "metadata", "metadata of it", "(left out)"
# The field's name for a cell that goes into metadata.
KEPT_VALUE = "a value in metadata"


class Shape(NamedTuple):
    """A kind of record of another tool.

    Attributes:
        tool: the tool's name in `format=`.
        all_of: names that it always has, null or not.
        any_of: names of which it has at least one; empty: none is needed.
        names: the field of each name, or `KEPT`, `MERGED` or `LEFT_OUT`.
        separator: what separates texts in a cell, if the tool writes tables.
        whole: whether it has no other names.
    """

    tool: str
    all_of: frozenset[str]
    any_of: frozenset[str]
    names: Mapping[str, str]
    separator: str | None = None
    whole: bool = False


# Names in DeepEval's objects that control how it runs a test.
_SWITCHES = ("multimodal", "flaky", "multi_turn", "images_mapping", "voice")
DEEPEVAL = Shape(
    "deepeval",
    frozenset({"input"}),
    frozenset({"actual_output", "expected_output", "retrieval_context"}),
    {
        "context": "ground_truth_contexts",
        "source_file": "source_units",
        "additional_metadata": MERGED,
        **dict.fromkeys(
            (
                *("name", "comments", "tools_called", "expected_tools", "token_cost"),
                *("input_token_count", "output_token_count", "completion_time"),
                *("custom_column_key_values", "expectations", "expected_labels", "mcp_servers"),
                *("mcp_tools_called", "mcp_resources_called", "mcp_prompts_called"),
            ),
            KEPT,
        ),
        **dict.fromkeys(_SWITCHES, LEFT_OUT),
    },
    separator="|",
)


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return "".join((first, *map(str.capitalize, others)))


# The API has the same records with these names.
_DEEPEVAL_API = Shape(
    "deepeval",
    DEEPEVAL.all_of,
    frozenset(map(_camel_case, DEEPEVAL.any_of)),
    {
        **{_camel_case(name): field for name, field in DEEPEVAL.names.items()},
        **{_camel_case(name): name for name in DEEPEVAL.any_of},
    },
)
_DEEPEVAL_CONVERSATION = Shape(
    "deepeval",
    frozenset({"scenario", "turns"}),
    frozenset(),
    {
        "turns": "question",
        "context": "ground_truth_contexts",
        "additional_metadata": MERGED,
        **dict.fromkeys(
            (
                *("scenario", "expected_outcome", "user_description", "chatbot_role", "name"),
                *("comments", "custom_column_key_values", "expectations", "expected_labels"),
                *("mcp_servers", "call_recording_path"),
            ),
            KEPT,
        ),
        **dict.fromkeys(_SWITCHES, LEFT_OUT),
    },
    separator="|",
)
# What ragas' test set generator and its samples have besides fields.
_RAGAS = Shape(
    "ragas",
    frozenset(),
    frozenset({"user_input", "reference", "reference_contexts"}),
    {
        "persona_name": "persona",
        **dict.fromkeys(
            (
                *("query_style", "query_length", "synthesizer_name", "rubrics", "multi_responses"),
                *("reference_topics", "reference_tool_calls"),
            ),
            KEPT,
        ),
    },
)
_RAGAS_1 = Shape(
    "ragas",
    frozenset({"question"}),
    frozenset({"contexts", "ground_truth", "ground_truths"}),
    {},
)
# Its contexts are those from which the question was made, even after answers were added.
_RAGAS_1_TEST_SET = Shape(
    "ragas",
    frozenset({"question", "ground_truth", "evolution_type"}),
    frozenset(),
    {
        "contexts": "ground_truth_contexts",
        "evolution_type": KEPT,
        "episode_done": KEPT,
        "metadata": "source_units",
    },
)
_RAGBENCH = Shape(
    "ragbench",
    frozenset({"question", "documents", "response"}),
    frozenset({"documents_sentences", "adherence_score", "relevance_score", "ragas_faithfulness"}),
    {
        "documents": "retrieved_contexts",
        # sentence by sentence, longer than the documents
        **dict.fromkeys(
            (
                *("documents_sentences", "response_sentences", "sentence_support_information"),
                *("unsupported_response_sentence_keys", "all_relevant_sentence_keys"),
                "all_utilized_sentence_keys",
            ),
            LEFT_OUT,
        ),
        **dict.fromkeys(
            (
                *("generation_model_name", "annotating_model_name", "dataset_name"),
                *("adherence_score", "relevance_score", "utilization_score", "completeness_score"),
                *("overall_supported_explanation", "overall_supported", "relevance_explanation"),
                *("trulens_groundedness", "trulens_context_relevance", "ragas_faithfulness"),
                *("ragas_context_relevance", "gpt3_adherence", "gpt3_context_relevance"),
                *("gpt35_utilization", "gpt35_adherence"),
            ),
            KEPT,
        ),
    },
)
_AXION = Shape(
    "axion",
    frozenset(),
    frozenset({"retrieved_content", "dataset_id", "acceptance_criteria", "single_turn_query"}),
    {
        "dataset_id": "id",
        "dataset_metadata": MERGED,
        "user_tags": "tags",
        "single_turn_query": "query",
        "single_turn_expected_output": "expected_output",
        "conversation": "history",
        "multi_turn_conversation": "history",
        "actual_ranking": "retrieved_context_ids",
        "expected_ranking": "ground_truth_context_ids",
        "conversation_extraction_strategy": LEFT_OUT,
        **dict.fromkeys(
            (
                *("latency", "judgment", "critique", "acceptance_criteria", "additional_input"),
                *("additional_output", "source_timestamp", "trace", "trace_id", "session_id"),
                *("observation_id", "tools_called", "expected_tools", "document_text"),
                *("expected_reference", "actual_reference", "has_errors", "conversation_stats"),
                "agent_trajectory",
            ),
            KEPT,
        ),
    },
)
# The first shape that fits is used.
SHAPES = (
    _RAGBENCH,
    DEEPEVAL,
    _DEEPEVAL_API,
    _DEEPEVAL_CONVERSATION,
    # LangChain's retrieval chain, and the older chains
    Shape(
        "langchain",
        frozenset({"input", "context", "answer"}),
        frozenset(),
        {"context": "retrieved_contexts", "chat_history": "history"},
    ),
    Shape(
        "langchain",
        frozenset({"source_documents"}),
        frozenset({"result", "answer"}),
        {
            "source_documents": "retrieved_contexts",
            "result": "answer",
            "chat_history": "history",
            "generated_question": KEPT,
        },
    ),
    # an answer, an example of a labelled data set, and a prediction for one
    Shape(
        "llama-index",
        frozenset({"response", "source_nodes"}),
        frozenset(),
        {"source_nodes": "retrieved_contexts"},
    ),
    Shape(
        "llama-index",
        frozenset({"query", "reference_answer"}),
        frozenset({"query_by", "reference_answer_by"}),
        {"query_by": KEPT, "reference_answer_by": KEPT},
    ),
    Shape("llama-index", frozenset({"response", "contexts"}), frozenset(), {}, whole=True),
    # GeneratedAnswer
    Shape(
        "haystack",
        frozenset({"data", "query", "documents"}),
        frozenset(),
        {"data": "answer", "documents": "retrieved_contexts", "meta": MERGED},
        whole=True,
    ),
    Shape(
        "haystack",
        frozenset({"data", "query", "document", "document_offset"}),
        frozenset(),
        {
            "data": "answer",
            "document": "retrieved_contexts",
            "meta": MERGED,
            **dict.fromkeys(("score", "context", "document_offset", "context_offset"), KEPT),
        },
        whole=True,
    ),
    _AXION,
    _RAGAS_1_TEST_SET,
    _RAGAS,
    _RAGAS_1,
)


@functools.lru_cache(maxsize=64)  # all rows of a file have the same names
def shape_of(names: tuple[str, ...], tool: str | None = None) -> Shape | None:
    """The shape of a record with these names; None if no tool has such records.

    Args:
        tool: the tool that wrote the record, if known.
    """
    for shape in SHAPES:
        if tool not in (None, shape.tool):
            continue
        if not all(name in names for name in shape.all_of):
            continue
        if shape.any_of and not any(name in names for name in shape.any_of):
            continue
        if shape.whole and not set(names) <= shape.all_of | shape.names.keys():
            continue
        return shape
    return None
