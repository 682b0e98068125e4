"""Tools whose records are read, by the name that `format=` gives each."""

from __future__ import annotations

from collections.abc import Mapping

BEIR, LLAMA_INDEX = "beir", "llama-index"
# What a record of each has, as messages say it.
TOOLS: Mapping[str, str] = {
    "ragas": "user_input, reference or reference_contexts; before 0.2 question with contexts or "
    "ground_truth",
    "deepeval": "input with actual_output, expected_output or retrieval_context; a conversation "
    "scenario and turns",
    "langchain": "input, context and answer, or source_documents with result or answer",
    LLAMA_INDEX: "query and reference_answer, response and contexts, or response and source_nodes",
    "haystack": "data, query and documents",
    "langsmith": "inputs, and outputs for the reference; a run run_type, inputs and outputs",
    "mlflow": "inputs, outputs for the answer, and expectations; a trace request, response and "
    "spans, or info and data",
    "phoenix": "context.trace_id, context.span_id and parent_id; a span context and attributes",
    "langfuse": "a trace input, output and observations; an observation traceId and type; an item "
    "of a data set input and expectedOutput",
    "trulens": "record_id, app_id, input and output; an event record_attributes and trace",
    "promptfoo": "vars, or a row of a table for them",
    "ragbench": "question, documents and response, and annotations",
    BEIR: "a folder with corpus.jsonl, queries.jsonl and qrels",
    "axion": "dataset_id, retrieved_content or acceptance_criteria",
}
