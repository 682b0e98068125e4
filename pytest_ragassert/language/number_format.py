"""Formats numbers for people: never with more, or something else, than the value says."""

from __future__ import annotations

from collections.abc import Sequence

TOLERANCE = 1e-9  # a score so little below a minimum reaches it


def plural(count: int, thing: str, things: str | None = None) -> str:
    """`1 claim`, `2 claims`.

    Args:
        things: the plural where it is not the singular with an s.
    """
    return f"{count} {thing if count == 1 else things or f'{thing}s'}"


def listed(names: Sequence[str], last: str) -> str:
    """`a`, `a and b`, `a, b and c`.

    Args:
        last: the word before the last one: `and`, `or`.
    """
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def fixed(value: float, digits: int) -> str:
    """So many digits behind the point; zero has no sign."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def signed(value: float) -> str:
    """Three digits and a sign; zero has none."""
    text = f"{value:+.3f}"
    return text[1:] if float(text) == 0 else text


def share_of_one(share: float, digits: int) -> str:
    """A share in [0, 1] that is 0 or 1 in print only where it is."""
    least = 10**-digits
    return fixed(share if share in (0, 1) else min(1 - least, max(least, share)), digits)


def percent(share: float) -> str:
    """`99.9 %`; none of them and all of them are 0 and 100 in print, and nothing else is."""
    value = 100 * share if share in (0, 1) else min(99.9, max(0.1, 100 * share))
    return f"{value:.1f} %"


def changed(before: float, after: float) -> str:
    """`0.80 -> 0.25`, with as many digits as tell the two apart."""
    digits = 2
    while before != after and digits < 6 and fixed(before, digits) == fixed(after, digits):
        digits += 1
    return f"{fixed(before, digits)} -> {fixed(after, digits)}"


def tokens(prompt: int, completion: int, cached: int | None = None) -> str:
    """`120 prompt (0 cached), 40 completion`; what there is none of is left out."""
    parts = []
    if prompt:
        parts.append(f"{prompt} prompt" + ("" if cached is None else f" ({cached} cached)"))
    if completion:
        parts.append(f"{completion} completion")
    return ", ".join(parts)


def below(score: float, minimum: float) -> str:
    """`0.80 < 0.85`, with as many digits as keep the inequality true."""
    return _relation(score, "<", minimum)


def between(low: float, high: float, minimum: float) -> str:
    """`0.40 to 0.60 < 0.80`, or what all scores between two bounds have in common otherwise."""
    fails = high < minimum - TOLERANCE
    relation = below(high, minimum) if fails else _relation(low, ">=", minimum)
    end, sign, least = relation.partition(" < " if fails else " >= ")
    digits = len(end.partition(".")[2])
    ends = (f"{low:.{digits}f}", end) if fails else (end, f"{high:.{digits}f}")
    return f"{' to '.join(dict.fromkeys(ends))}{sign}{least}"


def compared(score: float, minimum: float | None) -> str:
    """A score beside its minimum."""
    if minimum is None:
        return f"{score:.2f}"
    if score < minimum - TOLERANCE:
        return below(score, minimum)
    return _relation(score, ">=", minimum)


def _relation(score: float, sign: str, minimum: float) -> str:
    for digits in range(2, 17):
        left, right = f"{score:.{digits}f}", f"{minimum:.{digits}f}"
        holds = float(left) < float(right) if sign == "<" else float(left) >= float(right)
        if holds:
            return f"{left} {sign} {right}"
    return f"{score!r} {sign} {minimum!r}"
