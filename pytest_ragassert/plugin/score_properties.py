"""Adds scores to the properties of tests and of the run, which JUnit files and other reports show.

A test's properties are plain builtins, which can be sent with its report, and safe in XML.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import pytest

from ..analysis.records.result_rows import counted, is_failure
from ..analysis.records.row_types import MeasuredRow, score_of
from ..judgements import BY_MERIT
from ..language.escaping import escaped
from ..report.score_lines import scores_of
from ..runtime.redaction import redact

Property = tuple[str, float | str]

_OURS = pytest.StashKey[list[Property]]()
# pytest escapes values for XML, but not names
_NO_XML = re.compile("[\ufffe\uffff]")


def put_on_item(item: pytest.Item, rows: Sequence[MeasuredRow]) -> None:
    """Set the properties of an item to what its running attempt measured; keep those of others.

    A property of the project with the same name takes precedence.
    """
    former = item.stash.get(_OURS, [])
    if former:
        ours = set(map(id, former))
        item.user_properties[:] = [one for one in item.user_properties if id(one) not in ours]
    if rows or former:
        taken = {name for name, _ in item.user_properties}
        new = [one for one in properties_of(rows) if one[0] not in taken]
        item.stash[_OURS] = new
        item.user_properties += new


def renew(report: pytest.TestReport, item: pytest.Item, rows: Sequence[MeasuredRow]) -> None:
    """The same for a report that was already made."""
    former = {name for name, _ in item.stash.get(_OURS, [])}
    put_on_item(item, rows)
    others = [one for one in report.user_properties if one[0] not in former]
    report.user_properties = [*others, *item.stash.get(_OURS, [])]


def properties_of(rows: Iterable[MeasuredRow]) -> list[Property]:
    """The score of each metric (the lowest of several), the case, and the number of claims by
    verdict.
    """
    rows = counted(rows)
    lowest = scores_of([row for row in rows if row["score"] is not None and not row["vacuous"]])
    properties: list[Property] = []
    for row, several in lowest:
        metric = _name(row["metric"])
        properties.append((f"evals.scores.{metric}.value", score_of(row)))
        if row["minimum"] is not None:
            properties.append((f"ragassert.{metric}.minimum", float(row["minimum"])))
        if several > 1 and row["case"] is not None:
            properties.append((f"ragassert.{metric}.case", _text(row["case"])))
    # the case that best explains how the test ended
    telling = sorted(
        (row for row, _ in lowest), key=lambda row: (not is_failure(row), score_of(row))
    )
    cases = (row["case"] for row in (*telling, *rows))
    case = next((one for one in cases if one is not None), None)
    if case is not None:
        properties.append(("ragassert.case", _text(case)))
    verdicts = Counter(_verdicts(rows))
    if verdicts:
        counts = (f"{one.value}={verdicts[one.value]}" for one in reversed(BY_MERIT))
        properties.append(("ragassert.claims", " ".join(counts)))
    return properties


def _verdicts(rows: Iterable[MeasuredRow]) -> Iterator[str]:
    """Each claim once, however many metrics use it."""
    seen = set()
    for row in rows:
        case = (row["case"], *sorted(row["inputs"].items()))
        for claim in row["claims"]:
            one = (case, claim["source"], claim["against"], claim["text"], claim["span"])
            if one not in seen:
                seen.add(one)
                yield claim["verdict"]


def _text(text: str) -> str:
    return escaped(redact(text))


def _name(metric: str) -> str:
    return _NO_XML.sub(lambda found: f"\\u{ord(found.group()):04x}", escaped(metric))


def add_to_suite(config: pytest.Config, rows: Sequence[MeasuredRow]) -> None:
    """Add the mean of each metric in the run to the JUnit file that pytest is about to write."""
    from _pytest.junitxml import xml_key

    from ..analysis.records.figures import figures

    junit = config.stash.get(xml_key, None)
    if junit is None:
        # its plugin is off, or another process wrote the file
        return
    for metric, own in figures(rows).items():
        if own.mean is not None:
            junit.add_global_property(f"evals.scores.{_name(metric)}.mean", own.mean)
            junit.add_global_property(f"ragassert.{_name(metric)}.n", own.n)
