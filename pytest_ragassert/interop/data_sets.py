"""Reads the items of other tools' data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .objects import is_peers, record_of

# The attributes of LlamaIndex and DeepEval; the first that has items is used.
_ITEMS = ("examples", "predictions", "test_cases", "goldens")


def items_of(source: Any) -> list[Any] | None:
    """The items of a data set of another tool; None if it is not one, or if it can be iterated.

    For a tuple of a labelled data set and its predictions, the items are joined.

    Raises:
        ValueError: the numbers of predictions and examples differ.
    """
    if isinstance(source, tuple) and len(source) == 2:
        both = [items_of(one) for one in source]
        if both[0] is not None and both[1] is not None:
            return joined(both[0], both[1])
        return None
    if not is_peers(source):
        return None
    queries = queries_in(getattr(source, "__dict__", None))
    if queries is not None:
        return queries
    lists = [items for name in _ITEMS if isinstance(items := getattr(source, name, None), list)]
    return next(filter(None, lists), [] if lists else None)


def queries_in(data_set: Any) -> list[Any] | None:
    """The record of each query in LlamaIndex' data set for retrieval (EmbeddingQAFinetuneDataset),
    or the ValueError that says what it lacks; None if it is another data set.
    """
    if not isinstance(data_set, Mapping):
        return None
    queries, corpus = data_set.get("queries"), data_set.get("corpus")
    relevant = data_set.get("relevant_docs")
    if not (isinstance(queries, Mapping) and isinstance(corpus, Mapping)):
        return None
    if not isinstance(relevant, Mapping):
        return None
    return [_query(id, text, corpus, relevant.get(id)) for id, text in queries.items()]


def _query(id: Any, text: Any, corpus: Mapping[Any, Any], relevant: Any) -> Any:
    ids = relevant if isinstance(relevant, list) else []
    texts = [corpus.get(one) if isinstance(one, str) else None for one in ids]
    if None in texts:
        missing = ids[texts.index(None)]
        return ValueError(
            f"query {id!r:.60}: the corpus has no text for the document {missing!r:.60}"
        )
    return {
        "id": id,
        "question": text,
        "ground_truth_contexts": texts,
        "ground_truth_context_ids": dict.fromkeys(ids, 1) or None,
    }


def joined(examples: Sequence[Any], predictions: Sequence[Any]) -> list[Any]:
    """Each example with the prediction at the same position; the examples if there are none.

    Raises:
        ValueError: their numbers differ.
    """
    if not predictions:
        return list(examples)
    if len(examples) != len(predictions):
        raise ValueError(
            f"it has {len(examples)} examples and {len(predictions)} predictions, which are joined "
            "by position; predict all examples again"
        )
    return [_both(*pair) for pair in zip(examples, predictions, strict=True)]


def _both(example: Any, prediction: Any) -> Any:
    records = record_of(example), record_of(prediction)
    if not all(isinstance(one, Mapping) for one in records):
        return example
    return {name: value for one in records if one for name, value in one.items()}
