"""Formats a measurement of granularity as lines for display."""

from __future__ import annotations

from ..analysis.calibration.granularity import AnswerSplits, GranularityFile, MeanSpread
from ..language.escaping import visible
from ..language.number_format import plural

_MOST_LISTED = 10


def lines(made: GranularityFile) -> list[str]:
    """The whole report; untrusted texts are escaped."""
    measured = [one for one in made.answers if one.error is None]
    lines = [
        f"judge {visible(made.judge)}: {plural(len(measured), 'answer')}, "
        f"{made.extractions} extractions each"
    ]
    failed = [one for one in made.answers if one.error is not None]
    if failed:
        lines.append(f"not measured: {len(failed)}; first {visible(failed[0].id)}: ")
        lines[-1] += visible(failed[0].error or "")
    none = "no measured answer has any" if failed else "no answer has any"
    if not measured:
        none = "asking failed for every answer"
    lines.append(f"number of claims, standard deviation / mean: {_mean(made.spread, none)}")
    lines.append(
        "score with the declared details wrong, standard deviation: "
        + _mean(made.score_spread, none)
    )
    uneven = sorted(
        (one for one in measured if one.spread), key=lambda one: (-(one.spread or 0), one.id)
    )
    if uneven:
        lines += ["", "most uneven:", *map(_answer, uneven[:_MOST_LISTED])]
    if len(uneven) > _MOST_LISTED:
        lines.append(f"  and {len(uneven) - _MOST_LISTED} more; --output lists them all")
    return lines


def _mean(spread: MeanSpread | None, none: str) -> str:
    """
    Args:
        none: the reason if no answer could be measured.
    """
    if spread is None:
        return f"not measured ({none})"
    text = f"{spread.mean:.3f} over {plural(spread.answers, 'answer')}"
    if spread.low is None or spread.high is None:
        return text
    return f"{text} (95 %: {spread.low:.3f} to {spread.high:.3f})"


def _answer(one: AnswerSplits) -> str:
    counts = ", ".join(str(len(claims)) for claims in one.claims)
    scores = ", ".join(f"{score:.2f}" for score in one.scores)
    shown = f"; score {scores}" if scores else ""
    return f"  {visible(one.id)}: {counts} claims ({one.spread:.3f}){shown}"
