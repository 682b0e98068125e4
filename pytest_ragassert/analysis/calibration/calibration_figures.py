"""Computes the figures of a calibration from a judge's verdicts and people's labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ...config.settings import Settings
from ...errors import JudgeError
from ...judgements import Met, Verdict
from ...usage import Prices, Usage, cost_of
from ..records.agreement_figures import ConfusionFigures
from ..records.calibration_file import (
    AgreementFigures,
    BootstrapInterval,
    CalibratedClaim,
    ClaimOfJudge,
    Contradictions,
    JudgeComparison,
    JudgeFigures,
    ModelCost,
)
from ..stats.agreement import Confusion, added, cohens_kappa, confusion
from ..stats.intervals import (
    LEVEL,
    Interval,
    bootstrap_interval,
    interval_of_mean,
    paired_difference,
    wilson_interval,
)
from .collected_verdicts import Judged, Said, Spent
from .labelled_claims import LabelledClaim
from .labelled_row import CONTRADICTED, LABELS, MET_LABELS, NEUTRAL, SUPPORTED, UNSUPPORTED

Pair = tuple[LabelledClaim, Said]
_NLI_LABELS = {SUPPORTED: "SUPPORTED", NEUTRAL: "NEUTRAL", CONTRADICTED: "CONTRADICTED"}
_SAMPLING = {"model", "temperature", "top_p", "seed", "max_tokens", "votes"}
NO_GROUP = "(none)"


def judge_figures(
    judged: Judged, rows: Sequence[LabelledClaim], by: Sequence[str], settings: Settings
) -> JudgeFigures:
    """A judge's figures over all rows, and for each column named in `by`."""
    pairs = [(rows[number], verdict) for number, verdict in sorted(judged.verdicts.items())]
    return JudgeFigures(
        judge=judged.judge,
        settings={
            **(settings.model_dump(mode="json", include=_SAMPLING) if judged.uses_model else {}),
            "judge": settings.judge,
            **settings.request_marks,
        },
        errors=_errors(judged, len(rows)),
        all=agreement(pairs),
        by={name: _by_group(pairs, place) for place, name in enumerate(by)},
        cost=[_cost(model, spent, settings.prices) for model, spent in judged.spent.items()],
    )


def agreement(pairs: Sequence[Pair]) -> AgreementFigures:
    """The figures of some claims."""
    clusters: dict[str, list[Pair]] = {}
    for pair in pairs:
        clusters.setdefault(pair[0].cluster, []).append(pair)
    each = [_confusion(own) for own in clusters.values()]
    found = added(each)
    decided = [pair for pair in pairs if _is_decided(pair[1])]
    return AgreementFigures(
        n=len(pairs),
        labels=_in_order(Counter(row.label for row, _ in pairs), _LABELS),
        verdicts={
            label: _in_order(
                Counter(said.verdict.value for row, said in pairs if row.label == label), _VERDICTS
            )
            for label in _LABELS
            if any(row.label == label for row, _ in pairs)
        },
        supported=ConfusionFigures.of(found),
        interval=_interval(found, each),
        kappa_of_three=_kappa_of_three(pairs),
        decided=_share(len(decided), len(pairs)),
        decided_right=_share(sum(map(_is_right, decided)), len(decided)),
        decided_verified=_share(sum(said.proven for _, said in decided), len(decided)),
        contradicted_raw=_contradictions([(row, said.label_raw) for row, said in pairs]),
        contradicted=_contradictions([(row, said.verdict) for row, said in pairs]),
    )


_LABELS = (*LABELS, *MET_LABELS)
_VERDICTS = tuple(one.value for one in (*Verdict, *Met))


def comparison(first: Judged, second: Judged, rows: Sequence[LabelledClaim]) -> JudgeComparison:
    """Compare two judges on the claims for which both have a verdict."""
    numbers = sorted(first.verdicts.keys() & second.verdicts.keys())
    sides = [[(rows[n], judged.verdicts[n]) for n in numbers] for judged in (first, second)]
    right = Counter(zip(*(map(_is_right, side) for side in sides), strict=True))
    clusters: dict[str, list[int]] = {}
    for place, number in enumerate(numbers):
        clusters.setdefault(rows[number].cluster, []).append(place)
    each = [
        [_confusion([side[place] for place in places]) for places in clusters.values()]
        for side in sides
    ]
    balanced = [added(side).balanced_accuracy for side in each]
    defined = balanced[0] is not None and balanced[1] is not None and len(clusters) > 1
    found = paired_difference(each[0], each[1], _balanced) if defined else None
    return JudgeComparison(
        n=len(numbers),
        difference=None if found is None else found.estimate,
        interval=None if found is None else _of_difference(found, len(clusters)),
        both_right=right[True, True],
        first_right=right[True, False],
        second_right=right[False, True],
        neither_right=right[False, False],
    )


def calibrated_claims(
    all_judged: Sequence[Judged], rows: Sequence[LabelledClaim]
) -> list[CalibratedClaim]:
    """Every row with each judge's verdict."""
    claims = []
    for number, row in enumerate(rows):
        said = [judged.verdicts.get(number) for judged in all_judged]
        yes = {is_supported(verdict) for verdict in said if verdict is not None}
        claims.append(
            CalibratedClaim(
                id=row.id,
                label=row.label,
                verdicts=[None if verdict is None else _of_judge(verdict) for verdict in said],
                disagree=len(yes) > 1,
            )
        )
    return claims


def is_supported(said: Said) -> bool:
    """Whether a claim is supported, or a criterion met."""
    return said.verdict in (Verdict.FULLY_SUPPORTED, Met.YES)


def _of_judge(said: Said) -> ClaimOfJudge:
    return ClaimOfJudge.model_validate(said.model_dump(include=set(ClaimOfJudge.model_fields)))


def _is_right(pair: Pair) -> bool:
    row, said = pair
    return row.supported == is_supported(said)


def _is_decided(said: Said) -> bool:
    if said.verdict is Verdict.CONTRADICTORY:
        return said.proven
    return is_supported(said) or said.verdict is Met.NO


def _confusion(pairs: Sequence[Pair]) -> Confusion:
    return confusion((row.supported, is_supported(said)) for row, said in pairs)


def _balanced(each: Sequence[Confusion]) -> float | None:
    return added(each).balanced_accuracy


def _interval(found: Confusion, each: Sequence[Confusion]) -> BootstrapInterval | None:
    if found.balanced_accuracy is None or len(each) < 2:
        return None
    drawn = bootstrap_interval(each, _balanced)
    if drawn.low < drawn.high:
        return _told(drawn, len(each))
    sides = (
        (found.recall, sum(1 for one in each if one.tp + one.fn)),
        (found.specificity, sum(1 for one in each if one.tn + one.fp)),
    )
    limits = interval_of_mean([(share or 0.0, contexts) for share, contexts in sides])
    return _by_number(limits, len(each))


def _of_difference(drawn: Interval, contexts: int) -> BootstrapInterval:
    """The interval of the difference between two judges."""
    if drawn.low < drawn.high:
        return _told(drawn, contexts)
    least, most = wilson_interval(abs(drawn.estimate), contexts)
    if drawn.estimate == 0:
        least = -most
    return _by_number((least, most) if drawn.estimate >= 0 else (-most, -least), contexts)


def _by_number(limits: tuple[float, float], contexts: int) -> BootstrapInterval:
    low, high = limits
    return BootstrapInterval(
        low=low, high=high, level=LEVEL, resamples=0, contexts=contexts, method="wilson"
    )


def _told(interval: Interval, contexts: int) -> BootstrapInterval:
    return BootstrapInterval(
        low=interval.low,
        high=interval.high,
        level=interval.level,
        resamples=interval.resamples,
        contexts=contexts,
        method="bca" if interval.method == "bca" else "percentile",
    )


def _kappa_of_three(pairs: Sequence[Pair]) -> float | None:
    if not _NLI_LABELS.keys() <= {row.label for row, _ in pairs}:
        return None
    return cohens_kappa(
        Counter(
            (_NLI_LABELS[row.label], str(said.verdict.nli))
            for row, said in pairs
            if row.label in _NLI_LABELS and isinstance(said.verdict, Verdict)
        )
    )


def _contradictions(
    pairs: Sequence[tuple[LabelledClaim, Verdict | Met]],
) -> Contradictions | None:
    labelled = sum(row.label == CONTRADICTED for row, _ in pairs)
    said = Counter(row.label for row, verdict in pairs if verdict is Verdict.CONTRADICTORY)
    if not labelled and not said:
        return None
    right, wrong = said[CONTRADICTED], said[SUPPORTED] + said[NEUTRAL]
    return Contradictions(
        said=said.total(),
        right=right,
        wrong=wrong,
        unsupported=said[UNSUPPORTED],
        precision=_share(right, right + wrong) if labelled else None,
        recall=_share(right, labelled),
    )


def _by_group(pairs: Sequence[Pair], place: int) -> dict[str, AgreementFigures]:
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        name = pair[0].groups[place]
        groups.setdefault(NO_GROUP if name is None else name, []).append(pair)
    return {name: agreement(own) for name, own in sorted(groups.items())}


def _errors(judged: Judged, rows: int) -> dict[str, int]:
    kinds = Counter(
        error.kind if isinstance(error, JudgeError) else "no stored verdict"
        for error in judged.errors.values()
    )
    if judged.done < rows:
        kinds["not asked"] = rows - judged.done
    return dict(sorted(kinds.items()))


def _cost(model: str, spent: Spent, prices: Prices) -> ModelCost:
    def cost(usage: Usage) -> float | None:
        return cost_of(model, usage.prompt_tokens, usage.completion_tokens, prices)

    return ModelCost(
        model=model,
        questions=spent.questions,
        stored=spent.stored,
        requests=spent.paid.requests,
        prompt_tokens=spent.paid.prompt_tokens,
        completion_tokens=spent.paid.completion_tokens,
        ever_requests=spent.ever.requests,
        ever_prompt_tokens=spent.ever.prompt_tokens,
        ever_completion_tokens=spent.ever.completion_tokens,
        cost=cost(spent.paid),
        ever_cost=cost(spent.ever),
    )


def _in_order(counts: Mapping[str, int], names: Sequence[str]) -> dict[str, int]:
    return {name: counts[name] for name in names if name in counts}


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
