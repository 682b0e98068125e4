"""The committed baseline: a line for each case, metric and judge of a good run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ...errors import ConfigurationError
from ...judgements import Met, Verdict
from ...storage.files.atomic import update_whole
from ...storage.files.committed_text import readable
from ...storage.files.json_lines import read_lines
from ...storage.files.plain_files import unwritable
from .measurement import CRITERION, MeasuredClaim, Measurement

_FIELDS = ("case", "metric", "judge", "score", "label", "inputs", "steps", "claims")
_CLAIM = ("source", "text", "verdict")
_FLAGS = ("by_hand", "carried")  # written only if they are true
_LABELS = {
    "answer": Verdict.__members__,
    "reference": Verdict.__members__,
    CRITERION: Met.__members__,
}
_OPTION = "--ragassert-baseline"
UPDATE = "--ragassert-update-baseline"

Key = tuple[str, str, str]


class Baseline:
    """The results of a good run.

    Attributes:
        path: the file; None if it was not read from one.
    """

    def __init__(self, measurements: Iterable[Measurement] = (), path: Path | None = None) -> None:
        self.path = path
        self._by_key = {one.key: one for one in measurements}
        self._by_metric: dict[tuple[str, str], list[Measurement]] | None = None

    def __len__(self) -> int:
        return len(self._by_key)

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self._by_key.values())

    def find(self, case: str, metric: str, judge: str | None = None) -> Measurement | None:
        """Return the measurement of a case and metric; None if there is none.

        Args:
            judge: as in `MetricResult.judge`; None: any, if only one judge has measured it.
        """
        if judge is not None:
            return self._by_key.get((case, metric, judge))
        if self._by_metric is None:
            self._by_metric = {}
            for one in self:
                self._by_metric.setdefault((one.case, one.metric), []).append(one)
        found = self._by_metric.get((case, metric), [])
        return found[0] if len(found) == 1 else None

    def score(self, case: str, metric: str, judge: str | None = None) -> float | None:
        """Return the score, in [0, 1]; None if there is none. Arguments as in `find`."""
        found = self.find(case, metric, judge)
        return None if found is None else found.value

    def judges(self) -> set[str]:
        return {one.judge for one in self}

    def updated(
        self, measurements: Iterable[Measurement], *, prune: Iterable[Key] = ()
    ) -> Baseline:
        """Return a baseline with the measurements of a run; those of other judges remain.

        What could not be measured now keeps its line; what has become vacuous loses it.

        Args:
            prune: keys whose lines are removed unless the run measured them.

        Raises:
            ConfigurationError: a case and metric has two different results.
        """
        kept = dict(self._by_key)
        for key in prune:
            kept.pop(key, None)
        new: dict[Key, Measurement] = {}
        for one in measurements:
            if one.vacuous:
                kept.pop(one.key, None)
            if not one.counts:
                continue
            known = new.setdefault(one.key, one)
            if known.content != one.content:
                raise ConfigurationError(
                    f"case {one.case}: {one.metric} has two different results, in {known.test} and "
                    f"{one.test}; give each of the two cases its own id"
                )
        return Baseline({**kept, **new}.values(), self.path)

    def to_text(self) -> str:
        """The lines, sorted by case, metric and judge: equal text for equal content."""
        ordered = sorted(self._by_key.items())
        return "".join(readable(_record(one)) + "\n" for _, one in ordered)

    def keys(self) -> Collection[Key]:
        """The case, metric and judge of each measurement."""
        return self._by_key.keys()


def read_baseline(path: Path) -> Baseline:
    """Read a baseline from a file with its lines in any order.

    Raises:
        ConfigurationError: the file can't be read, a line is damaged, or two lines differ for one
            case, metric and judge; the message names the file, the lines and the field.
    """
    found: dict[Key, tuple[str, Measurement]] = {}
    for where, record in read_lines(path, _OPTION):
        one = _measurement(record, where)
        earlier, known = found.setdefault(one.key, (where, one))
        if _record(known) != _record(one):
            number = where.rpartition(" ")[2]
            raise ConfigurationError(
                f"{earlier} and {number}: two different lines for case {one.case}, {one.metric}, "
                f"judge {one.judge}; delete one of them"
            )
    return Baseline((one for _, one in found.values()), path)


def update_baseline(path: Path, change: Callable[[Baseline], Baseline]) -> None:
    """Replace the baseline in the file by what `change` makes of it, without losing other writes.

    Args:
        change: called again if another process wrote the file meanwhile.

    Raises:
        ConfigurationError: the file can't be read or written; or what `change` raises.
    """

    def content() -> bytes:
        return change(open_baseline(path, update=True)).to_text().encode()

    try:
        update_whole(path, content)
    except OSError as error:
        raise unwritable(path, _OPTION, error) from None


def replaced_of_others(start: Baseline, there: Baseline, written: Baseline) -> int:
    """Count the replaced lines that another run wrote since the `start` of this one."""
    by_key = [{one.key: _record(one) for one in each} for each in (start, there, written)]
    return sum(
        key in by_key[2] and record not in (by_key[0].get(key), by_key[2][key])
        for key, record in by_key[1].items()
    )


def open_baseline(path: Path | None, *, update: bool) -> Baseline:
    """Open the configured baseline.

    Args:
        update: whether it will be written, so that it need not exist.

    Raises:
        ConfigurationError: there is none, or as in `read_baseline`.
    """
    if path is None:
        raise ConfigurationError("no baseline is configured; --ragassert-baseline FILE names it")
    if not path.exists():
        if update:
            return Baseline(path=path)
        raise ConfigurationError(f"there is no baseline {path}; a run with {UPDATE} writes it")
    return read_baseline(path)


def _record(one: Measurement) -> dict[str, Any]:
    return {
        "case": one.case,
        "metric": one.metric,
        "judge": one.judge,
        "score": float(one.value),
        "label": one.label,
        "inputs": dict(sorted(one.inputs.items())),
        "steps": dict(sorted(one.steps.items())),
        "claims": [_claim_record(claim) for claim in one.claims],
    }


def _claim_record(claim: MeasuredClaim) -> dict[str, Any]:
    record = claim._asdict()
    return {name: value for name, value in record.items() if value or name not in _FLAGS}


def _measurement(record: Mapping[str, Any], where: str) -> Measurement:
    if set(record) != set(_FIELDS):
        wrong = sorted(set(record) ^ set(_FIELDS))[0]
        what = "no" if wrong in _FIELDS else "an unknown"
        raise _damaged(where, f"it has {what} field {wrong!r}")
    for name, fits, wanted in _CHECKS:
        if not fits(record[name]):
            raise _damaged(where, f"{name} must be {wanted}, not {record[name]!r:.60}")
    return Measurement(
        case=record["case"],
        metric=record["metric"],
        judge=record["judge"],
        score=float(record["score"]),
        label=record["label"],
        inputs=record["inputs"],
        steps=record["steps"],
        claims=tuple(MeasuredClaim(**claim) for claim in record["claims"]),
    )


def _damaged(where: str, problem: str) -> ConfigurationError:
    return ConfigurationError(
        f"{where}: {problem}; take the line from git again, or delete it and run with {UPDATE}"
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_score(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(held, str) for held in value.values())


def _are_claims(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_claim, value))


def _is_claim(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and set(value) - set(_FLAGS) == set(_CLAIM)
        and all(value.get(flag, True) is True for flag in _FLAGS)
        and isinstance(value["text"], str)
        and isinstance(value["source"], str)
        and value["source"] in _LABELS
        and value["verdict"] in _LABELS[value["source"]]
    )


_CHECKS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("case", _is_text, "a text"),
    ("metric", _is_text, "a text"),
    ("judge", _is_text, "a text"),
    ("score", _is_score, "a number from 0 to 1"),
    ("label", lambda value: value is None or isinstance(value, str), "a text or null"),
    ("inputs", _are_texts, "an object of texts"),
    ("steps", _are_texts, "an object of texts"),
    ("claims", _are_claims, "a list of objects with source, text and verdict"),
)
