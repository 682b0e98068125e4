"""Formats numbers for people, without suggesting more, or anything else, than the value says."""

from __future__ import annotations

from collections.abc import Sequence

TOLERANCE = 1e-9  # a score this little below a minimum still reaches it


def plural(count: int, thing: str, things: str | None = None) -> str:
    """Return `1 claim`, `2 claims`.

    Args:
        things: the plural, if it is not the singular with an s.
    """
    return f"{count} {thing if count == 1 else things or f'{thing}s'}"


def listed(names: Sequence[str], last: str) -> str:
    """Return `a`, `a and b`, or `a, b and c`.

    Args:
        last: the word before the last one: `and`, `or`.
    """
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def fixed(value: float, digits: int) -> str:
    """Return this many digits after the point; zero has no sign."""
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def signed(value: float) -> str:
    """Return three digits and a sign; zero has no sign."""
    text = f"{value:+.3f}"
    return text[1:] if float(text) == 0 else text


def share_of_one(share: float, digits: int) -> str:
    """Return a share in [0, 1] that is printed as 0 or 1 only if it is exactly that."""
    least = 10**-digits
    return fixed(share if share in (0, 1) else min(1 - least, max(least, share)), digits)


def percent(share: float) -> str:
    """Return `99.9 %`; only none and all are printed as 0 and 100."""
    value = 100 * share if share in (0, 1) else min(99.9, max(0.1, 100 * share))
    return f"{value:.1f} %"


def changed(before: float, after: float) -> str:
    """Return `0.80 -> 0.25`, with as many digits as needed to distinguish the two."""
    digits = 2
    while before != after and digits < 6 and fixed(before, digits) == fixed(after, digits):
        digits += 1
    return f"{fixed(before, digits)} -> {fixed(after, digits)}"


def tokens(prompt: int, completion: int, cached: int | None = None) -> str:
    """Return `120 prompt (0 cached), 40 completion`, omitting what there is none of."""
    parts = []
    if prompt:
        parts.append(f"{prompt} prompt" + ("" if cached is None else f" ({cached} cached)"))
    if completion:
        parts.append(f"{completion} completion")
    return ", ".join(parts)


def below(score: float, minimum: float) -> str:
    """Return `0.80 < 0.85`, with as many digits as keep the inequality true."""
    return _relation(score, "<", minimum)


def between(low: float, high: float, minimum: float) -> str:
    """Return `0.40 to 0.60 < 0.80`, or what all scores between two bounds have in common."""
    fails = high < minimum - TOLERANCE
    relation = below(high, minimum) if fails else _relation(low, ">=", minimum)
    end, sign, least = relation.partition(" < " if fails else " >= ")
    digits = len(end.partition(".")[2])
    ends = (f"{low:.{digits}f}", end) if fails else (end, f"{high:.{digits}f}")
    return f"{' to '.join(dict.fromkeys(ends))}{sign}{least}"


def compared(score: float, minimum: float | None) -> str:
    """Return a score beside its minimum."""
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
