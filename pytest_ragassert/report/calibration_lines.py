"""Formats a calibration as lines for display."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..analysis.records.calibration_file import (
    AgreementFigures,
    BootstrapInterval,
    CalibrationFile,
    Contradictions,
    JudgeComparison,
    JudgeFigures,
    ModelCost,
)
from ..judgements import Met, Verdict
from ..language.escaping import visible
from ..language.number_format import percent, plural, share_of_one, signed, tokens

_MOST_DISAGREEMENTS = 10
_WIDEST_NAME = 40
_THINGS: dict[bool, tuple[str, ...]] = {False: ("claim",), True: ("criterion", "criteria")}


def lines(made: CalibrationFile) -> list[str]:
    """The whole report; untrusted texts are escaped."""
    files = ", ".join(f"{count} of {visible(name)}" for name, count in made.files.items())
    one = made.claims[0] if made.claims else None
    things = "criteria" if one is not None and one.label in Met.__members__ else "claims"
    lines = [f"labelled {things}: {files}"]
    for judge in made.judges:
        lines += ["", *_judge(judge)]
    if made.comparison is not None:
        names = [visible(judge.judge) for judge in made.judges]
        lines += ["", *_comparison(made.comparison, names, made)]
    return lines


def _judge(judge: JudgeFigures) -> list[str]:
    figures = judge.all
    thing = plural(figures.n, *_THINGS[_of_criteria(figures)])
    lines = [f"judge {visible(judge.judge)}: {thing} with a verdict"]
    if judge.errors:
        kinds = ", ".join(f"{count} {visible(kind)}" for kind, count in judge.errors.items())
        lines.append(f"not measured: {sum(judge.errors.values())}: {kinds}")
    if figures.n:
        lines += ["", *_matrix(figures), "", *_agreements(judge), "", *_gate(figures)]
    return [*lines, *_costs(judge.cost)]


def _matrix(figures: AgreementFigures) -> list[str]:
    verdicts: Sequence[Verdict | Met] = (*(Met if _of_criteria(figures) else Verdict),)
    rows = [["people say", "n", *(verdict.words for verdict in verdicts)]]
    for label, said in figures.verdicts.items():
        counts = [str(said.get(verdict.value, 0)) for verdict in verdicts]
        rows.append([label, str(figures.labels[label]), *counts])
    return _aligned(rows)


def _agreements(judge: JudgeFigures) -> list[str]:
    """The table: a row for all claims and one for each group."""
    what = "met or not" if _of_criteria(judge.all) else "supported or not"
    head = [what, "n", "balanced", "95 %", "recall", "precision", "F1", "kappa"]
    rows = [[*head, "decided", "right of these"]]
    named = [("all", judge.all)]
    named += [
        (f"{name} {value}", own)
        for name, groups in judge.by.items()
        for value, own in groups.items()
    ]
    for name, own in named:
        yes = own.supported
        row = [_short(visible(name)), str(own.n), _number(yes.balanced_accuracy)]
        row += [_limits(own.interval), *map(_number, (yes.recall, yes.precision, yes.f1))]
        rows.append([*row, _number(yes.kappa), _percent(own.decided), _percent(own.decided_right)])
    return _aligned(rows)


def _gate(figures: AgreementFigures) -> list[str]:
    if _of_criteria(figures):
        return [
            f"decided, not unclear: {_percent(figures.decided)} of the criteria, "
            f"{_percent(figures.decided_verified)} of these with a quote of the answer"
        ]
    lines = []
    if figures.kappa_of_three is not None:
        kappa = _number(figures.kappa_of_three)
        lines.append(f"kappa of supported, neutral, contradicted: {kappa}")
    named = (
        ("contradicted, by the judge:             ", figures.contradicted_raw),
        ("contradicted, after the evidence check: ", figures.contradicted),
    )
    lines += [f"{name}{_contradictions(found)}" for name, found in named if found is not None]
    lines.append(
        f"decided after the evidence check: {_percent(figures.decided)} of the claims, "
        f"{_percent(figures.decided_verified)} of these with a verified quote"
    )
    return lines


def _of_criteria(figures: AgreementFigures) -> bool:
    return any(label in Met.__members__ for label in figures.labels)


def _contradictions(figures: Contradictions) -> str:
    unsure = figures.unsupported
    # it is unknown whether these are contradicted
    apart = f", {unsure} labelled unsupported, not counted" if unsure else ""
    return (
        f"{figures.said} said, {figures.right} right, {figures.wrong} wrong{apart}: precision "
        f"{_number(figures.precision)}, recall {_number(figures.recall)}"
    )


def _costs(costs: Iterable[ModelCost]) -> list[str]:
    lines = []
    for one in costs:
        name = f"{visible(one.model)}: " if one.model else ""
        line = f"{name}{plural(one.questions, 'judgement')} asked, {one.stored} stored"
        if one.ever_requests:
            line += (
                f"; {plural(one.requests, 'request')}, tokens: "
                f"{tokens(one.prompt_tokens, one.completion_tokens) or 'none'}{_price(one.cost)}"
            )
            used = tokens(one.ever_prompt_tokens, one.ever_completion_tokens)
            line += (
                f"; all verdicts used: {plural(one.ever_requests, 'request')}, "
                f"{used or 'no tokens reported'}{_price(one.ever_cost)}"
            )
        lines.append(line)
    return lines


def _price(cost: float | None) -> str:
    return "" if cost is None else f", cost {cost:.4f}"


def _comparison(
    compared: JudgeComparison, names: Sequence[str], made: CalibrationFile
) -> list[str]:
    first, second = names
    of_criteria = _of_criteria(made.judges[0].all)
    things = plural(compared.n, *_THINGS[of_criteria])
    lines = [f"{first} against {second}, the same {things}"]
    if compared.difference is not None:
        lines.append(
            f"balanced accuracy: difference {_number(compared.difference, sign=True)} "
            f"(95 %: {_limits(compared.interval, sign=True)})"
        )
    yes = "met" if of_criteria else "supported"
    lines.append(
        f"right, {yes} or not: both {compared.both_right}, {first} alone "
        f"{compared.first_right}, {second} alone {compared.second_right}, neither "
        f"{compared.neither_right}"
    )
    differ = [claim for claim in made.claims if claim.disagree]
    for claim in differ[:_MOST_DISAGREEMENTS]:
        said = ", ".join(one.verdict.words for one in claim.verdicts if one is not None)
        lines.append(f"  {visible(claim.id)}: people say {claim.label}; {said}")
    if len(differ) > _MOST_DISAGREEMENTS:
        lines.append(f"  and {len(differ) - _MOST_DISAGREEMENTS} more; --output lists them all")
    return lines


def _limits(interval: BootstrapInterval | None, *, sign: bool = False) -> str:
    if interval is None:
        return "-"
    return f"{_number(interval.low, sign=sign)} to {_number(interval.high, sign=sign)}"


def _number(value: float | None, *, sign: bool = False) -> str:
    """Three digits without the leading zero, as is usual for kappa and F1."""
    if value is None:
        return "-"
    text = signed(value) if sign else "-" * (value < 0) + share_of_one(abs(value), 3)
    return text.replace("0.", ".", 1)


def _percent(share: float | None) -> str:
    return "-" if share is None else percent(share)


def _short(name: str) -> str:
    """A long name, cut to its end, which distinguishes paths."""
    return name if len(name) <= _WIDEST_NAME else "…" + name[1 - _WIDEST_NAME :]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        aligned.append("  ".join(cells).rstrip())
    return aligned
