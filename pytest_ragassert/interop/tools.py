"""The tools whose records are read, by their names in `format=`."""

from __future__ import annotations

from collections.abc import Mapping

BEIR, LLAMA_INDEX = "beir", "llama-index"
# What a record of each tool has, as messages describe it.
TOOLS: Mapping[str, str] = {
    "ragas": "user_input, reference or reference_contexts; before 0.2 question with contexts or "
    "ground_truth",
    "deepeval": "input with actual_output, expected_output or retrieval_context; a conversation "
    "has scenario and turns",
    "langchain": "input, context and answer, or source_documents with result or answer",
    LLAMA_INDEX: "query and reference_answer, response and contexts, or response and source_nodes",
    "haystack": "data, query and documents",
    "langsmith": "inputs, and outputs for the reference; a run has run_type, inputs and outputs",
    "mlflow": "inputs, outputs for the answer, and expectations; a trace has request, response and "
    "spans, or info and data",
    "phoenix": "context.trace_id, context.span_id and parent_id; a span has context and attributes",
    "langfuse": "in a trace input, output and observations; in an observation traceId and type; in "
    "an item of a data set input and expectedOutput",
    "trulens": "record_id, app_id, input and output; an event has record_attributes and trace",
    "promptfoo": "vars, or a row of a table for them",
    "ragbench": "question, documents and response, and annotations",
    BEIR: "a folder with corpus.jsonl, queries.jsonl and qrels",
    "axion": "dataset_id, retrieved_content or acceptance_criteria",
}
