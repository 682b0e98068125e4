"""Data sets of other tools as objects: their items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .objects import is_peers, record_of

# Of LlamaIndex and DeepEval; the first that has some.
_ITEMS = ("examples", "predictions", "test_cases", "goldens")


def items_of(source: Any) -> list[Any] | None:
    """The items of a data set of another tool; None where it is none, or can be iterated.

    Of a labelled data set and the predictions for it, as a tuple, joined ones.

    Raises:
        ValueError: there are not as many predictions as examples.
    """
    if isinstance(source, tuple) and len(source) == 2:
        both = [items_of(one) for one in source]
        if both[0] is not None and both[1] is not None:
            return joined(both[0], both[1])
        return None
    if not is_peers(source):
        return None
    lists = [items for name in _ITEMS if isinstance(items := getattr(source, name, None), list)]
    return next(filter(None, lists), [] if lists else None)


def joined(examples: Sequence[Any], predictions: Sequence[Any]) -> list[Any]:
    """Each example with the prediction at its place; the examples where nothing was predicted.

    Raises:
        ValueError: there are not as many.
    """
    if not predictions:
        return list(examples)
    if len(examples) != len(predictions):
        raise ValueError(
            f"it has {len(examples)} examples and {len(predictions)} predictions, which are joined "
            "by their places; predict all examples again"
        )
    return [_both(*pair) for pair in zip(examples, predictions, strict=True)]


def _both(example: Any, prediction: Any) -> Any:
    records = record_of(example), record_of(prediction)
    if not all(isinstance(one, Mapping) for one in records):
        return example
    return {name: value for one in records if one for name, value in one.items()}
