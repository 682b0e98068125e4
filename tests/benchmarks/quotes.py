"""What it costs to find quotes in a long context: word for word, in other typography, corrected."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator

from pytest_ragassert.language.folding import Span
from pytest_ragassert.steps.evidence.quote_repair import corrected_quote
from pytest_ragassert.steps.evidence.quotes import find_quote

from .rows import Row

CHARACTERS, QUOTES = 1_000_000, 1_000
MOST_SECONDS = 1.0  # CPU, of all quotes
_RIVERS = ("Elbe", "Oder", "Rhine", "Seine", "Tiber", "Volga", "Danube", "Thames")
_THINGS = ("ferry", "bridge", "market", "mill", "harbour", "school", "garden", "theatre")
_PEOPLE = ("guests", "pupils", "traders", "sailors", "farmers", "visitors", "neighbours")


def measure() -> Iterator[Row]:
    """CPU time of quotes spread over the context, the first and the last sentence among them."""
    sentences = list(itertools.islice(_sentences(), CHARACTERS // 100))
    context = " ".join(sentences)[:CHARACTERS].rpartition(".")[0] + "."
    there = context.split("  ")
    chosen = [there[number * (len(there) - 1) // (QUOTES - 1)] for number in range(QUOTES)]
    kinds: dict[str, tuple[Callable[[str], str], Callable[[str], Span | None], bool]] = {
        "word for word": (str, lambda quote: find_quote(quote, context), True),
        "in other typography": (
            lambda quote: quote.replace("'", "\u2019").replace("-", "\u2010"),
            lambda quote: find_quote(quote, context),
            True,
        ),
        "not there, corrected": (
            lambda quote: quote.replace(" is well-known ", " is also well-known "),
            lambda quote: corrected_quote(quote, context),
            False,
        ),
    }
    for kind, (changed, find, limited) in kinds.items():
        quotes = [changed(quote) for quote in chosen]
        started = time.process_time()
        spans = [find(quote) for quote in quotes]
        taken = time.process_time() - started
        # what is corrected ends with the last word
        right = all(
            span is not None and context[slice(*span)].rstrip(".") == quote.rstrip(".")
            for span, quote in zip(spans, chosen, strict=True)
        )
        yield Row(
            f"{QUOTES:,} quotes in a context of {len(context) / 1e6:.2f} MB, {kind}",
            f"< {MOST_SECONDS:.0f} s CPU" if limited else "",
            f"{taken:.2f} s CPU" + ("" if right else ", NOT ALL FOUND"),
            right and (taken < MOST_SECONDS or not limited),
        )


def _sentences() -> Iterator[str]:
    """No two are the same."""
    for number in itertools.count():
        river, thing, people = (
            names[number // each % len(names)]
            for names, each in ((_RIVERS, 1), (_THINGS, 8), (_PEOPLE, 64))
        )
        yield (
            f"The town's {thing} number {number} stands near the river {river}, opens at "
            f"{number % 12 + 1}:{number % 60:02}, and is well-known to {people}. "
        )
