"""The fields of the outcome line, from the record that it is printed from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

from pytest_ragassert.analysis.records.results_file import FailedBy, RunOutcome

from .markdown import code, table

# What each value of `failed-by` means, in the order in which they are looked for.
MEANINGS: Mapping[str, str] = {
    "both": "assertions failed, and something could not be measured",
    "assertions": "a score is below its minimum",
    "judge-errors": "something could not be measured, a budget was spent, or nothing was measured",
    "missing": "a replay lacks verdicts or recorded answers",
    "shards": "a shard is missing, was interrupted, or failed for a reason that the whole run does "
    "not have",
    "gates": "a gate is not met",
    "baseline": "the baseline was not written, or it is another judge's",
    "verdicts": "the committed verdicts could not be written",
    "other": "another test failed, or a file could not be collected",
    "none": "nothing failed",
}
# What each field says.
FIELDS: Mapping[str, str] = {
    "failed_by": "what failed the run",
    "assertions": "tests that failed because a score is below its minimum",
    "judge_errors": "tests that failed because something could not be measured",
    "skipped": "tests that were skipped because of a judge error",
    "other": "other tests that failed, and files that could not be collected",
    "measured": "results, vacuous ones included",
    "budget": "whether a request was refused because a budget was spent",
    "gates": "the gates of the run: `partial` if they were not checked because only some tests ran",
    "baseline": "the baseline was not written, or it is another judge's",
    "verdicts": "the committed verdicts could not be written",
    "missing": "tests that failed because a replay lacks their verdicts",
    "skipped_missing": "tests that were skipped because a replay lacks their verdicts",
    "missing_shards": "shards without results, in a run of the command `join`",
    "interrupted_shards": "shards that were interrupted, in a run of the command `join`",
    "judged": "0 if every test that needs the judge was skipped, but others measured something",
    "store": "whether a [shared store](../how-to/shared-store.md#if-the-server-is-unavailable) is "
    "configured and could not be used at the end of the run, or at all",
}


def parts() -> dict[str, str]:
    return {
        "outcome": table(
            ("field", "values", "meaning"),
            (
                (
                    code(name.replace("_", "-")) + " *" * (field.default is None),
                    _values(field.annotation),
                    FIELDS[name],
                )
                for name, field in RunOutcome.model_fields.items()
            ),
        ),
        "failed by": table(
            ("`failed-by`", "what happened"), ((code(n), said) for n, said in MEANINGS.items())
        ),
    }


def _values(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return ", ".join(map(code, get_args(annotation)))
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)]
    return _values(kinds[0]) if kinds else "a number"


def failed_by_values() -> tuple[str, ...]:
    """Every value that the line may have there."""
    return get_args(FailedBy)
