"""Lines of the summary on people's overrides of verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.records.row_types import MeasuredRow, criteria_in
from ..judgements import Met, label_named
from ..language.escaping import visible
from ..language.number_format import plural
from ..steps.evidence.claim_ids import SHORT_ID


def override_lines(rows: Sequence[MeasuredRow], judge: str) -> list[str]:
    """The number of overrides in effect, and those that the judge now agrees with.

    Args:
        judge: the judge of the run, as the summary names it.
    """
    claims = {
        (claim["text"], claim["verdict"]): claim["judged"]
        for row in rows
        for claim in row["claims"]
        if claim["by_hand"] is not None
    }
    criteria = {
        (said["criterion"], said["met"]): said.get("judged")
        for row in rows
        for said in criteria_in(row)
        if "by_hand" in said
    }
    counts = [plural(len(claims), "claim")] * bool(claims)
    counts += [plural(len(criteria), "criterion", "criteria")] * bool(criteria)
    lines = [f"overridden: {', '.join(counts)}"] if counts else []
    for (text, label), judged in (*claims.items(), *criteria.items()):
        if judged == label:
            words = label_named(label).words
            lines.append(
                f"override no longer needed: the judge ({visible(judge)}) also says "
                f'{words}: "{visible(text)[:60]}"'
            )
    return lines + _given_elsewhere(rows)


def _given_elsewhere(rows: Sequence[MeasuredRow]) -> list[str]:
    """Claims with an override for other passages, which did not apply in this run."""
    uses = [use for row in rows for use in row["by_hands"]]
    applied = {use["claim"] for use in uses if use["applied"]}
    lines = []
    for use in {use["claim"]: use for use in uses if use["claim"] not in applied}.values():
        label = use["verdicts"][0] if len(use["verdicts"]) == 1 else "LABEL"
        labels = list(map(label_named, use["verdicts"]))
        said = " and ".join(one.words for one in labels)
        other = "another answer" if isinstance(labels[0], Met) else "other passages"
        lines.append(
            f'override: "{visible(use["claim"])[:60]}" was {said} for {other}, and is the '
            "judge's again: python -m pytest_ragassert verdicts override "
            f'{use["id"][:SHORT_ID]} {label} --reason "…" renews it'
        )
    return lines


def unused_line(id: str, text: str, words: str, *, criterion: bool) -> str:
    """A line on an override whose claim or criterion no test of a whole run checked.

    Args:
        words: the overriding verdict.
    """
    what = "criterion" if criterion else "claim"
    return (
        f'override: "{visible(text)[:60]}" was {words}, but no test checked this {what}, perhaps '
        "because the answer changed: python -m pytest_ragassert verdicts override "
        f"{id[:SHORT_ID]} --remove removes the override"
    )
