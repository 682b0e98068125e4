"""Lines on costs that no result shows: answers prefetched but not used, or for interrupted
tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..analysis.records.row_types import AskedRow
from ..language.number_format import plural, tokens

if TYPE_CHECKING:
    from ..usage import Usage


def unused_lines(asked: Iterable[AskedRow], asked_ahead: Mapping[str, Usage]) -> list[str]:
    """A line of the summary on unused prefetched answers, if there are any.

    Args:
        asked: the questions that tests used.
        asked_ahead: the cost of each prefetched question or text, by key.
    """
    used = {one["key"] for one in asked}
    unused = [usage for key, usage in asked_ahead.items() if key not in used]
    if not unused:
        return []
    line = f"prefetched but not used: {_cost(unused)}"
    return [f"{line} (--ragassert-prefetch=off disables prefetching)"]


def broken_off_lines(paid: Sequence[Usage]) -> list[str]:
    """A line of the summary on the cost of tests that did not end, if there is any."""
    if not paid:
        return []
    return [f"asked for tests that did not end: {_cost(paid)}; requests in flight are not counted"]


def _cost(usages: Sequence[Usage]) -> str:
    told = plural(len(usages), "question")
    requests = sum(usage.requests for usage in usages)
    if requests > len(usages):
        told += f" ({plural(requests, 'request')})"
    prompt = sum(usage.prompt_tokens for usage in usages)
    completion = sum(usage.completion_tokens for usage in usages)
    return f"{told}; tokens: {tokens(prompt, completion)}" if prompt or completion else told
