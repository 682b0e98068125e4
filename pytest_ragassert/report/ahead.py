"""What was asked for tests that were still to come, and that none of them used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ..text.figures import plural, tokens
from .rows import Row

if TYPE_CHECKING:
    from ..usage import Usage


def unused_lines(asked: Iterable[Row], asked_ahead: Mapping[str, Usage]) -> list[str]:
    """A line of the summary, where there is something to tell.

    Args:
        asked: the questions that tests used.
        asked_ahead: what each question or text cost that was asked ahead, by key.
    """
    used = {one["key"] for one in asked}
    unused = [usage for key, usage in asked_ahead.items() if key not in used]
    if not unused:
        return []
    line = f"asked ahead, not used: {plural(len(unused), 'question')}"
    prompt = sum(usage.prompt_tokens for usage in unused)
    completion = sum(usage.completion_tokens for usage in unused)
    if prompt or completion:
        line += f"; tokens: {tokens(prompt, completion)}"
    return [f"{line} (--ragassert-prefetch=off asks nothing ahead)"]
