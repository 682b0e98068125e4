"""Numbers as people read them: none that says more, or something else, than the value does."""

from __future__ import annotations


def counted(count: int, thing: str, things: str | None = None) -> str:
    """`1 claim`, `2 claims`.

    Args:
        things: the plural where it is not the singular with an s.
    """
    return f"{count} {thing if count == 1 else things or f'{thing}s'}"


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
