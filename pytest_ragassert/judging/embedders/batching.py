"""Splits texts into requests of a reasonable size, and a request's cost among its texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...language.token_estimate import estimated_tokens
from ...usage import Usage

_MOST_TEXTS, _MOST_TOKENS = 256, 100_000  # limits of one request


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the texts in order, cut into batches that fit into one request each."""
    batch: list[str] = []
    room = _MOST_TOKENS
    for text in texts:
        cost = estimated_tokens(text)
        if batch and (len(batch) == _MOST_TEXTS or cost > room):
            yield batch
            batch, room = [], _MOST_TOKENS
        batch.append(text)
        room -= cost
    if batch:
        yield batch


def shares(usage: Usage, weights: Sequence[int]) -> list[Usage]:
    """Return each text's share of the usage: tokens by weight, requests with the first text."""
    prompt, cached, completion = (
        _shares(total, weights)
        for total in (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
    )
    requests = [usage.requests, *[0] * (len(weights) - 1)]
    return list(map(Usage, requests, prompt, cached, completion))


def _shares(total: int, weights: Sequence[int]) -> list[int]:
    whole = sum(weights) + len(weights)
    given = summed = 0
    found = []
    for weight in weights:
        summed += weight + 1
        found.append(total * summed // whole - given)
        given += found[-1]
    return found
