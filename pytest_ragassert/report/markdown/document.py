"""The document: the outcome of the run, its causes, and the failed cases."""

from __future__ import annotations

from functools import partial

from ...analysis.run_record import RunRecord
from ...language.number_format import plural
from ..failed_cases import failed_cases
from . import run_blocks
from .case_blocks import FORMS, case_block
from .change_blocks import changes
from .fitting import Section, Size, fitted


def document(run: RunRecord, most: int, size: Size) -> str:
    """
    Args:
        most: the maximum size, as measured by `size`.
    """
    sections: list[Section | None] = []
    if run.conclusion is not None:
        sections += run_blocks.gates(run, run.conclusion)
    sections.append(run_blocks.metrics(run))
    if run.conclusion is not None:
        sections.append(changes(run.conclusion))
    sections += [*_failed(run), *run_blocks.rest(run)]
    return fitted(run_blocks.head(run), filter(None, sections), most, size)


def _failed(run: RunRecord) -> list[Section]:
    cases = failed_cases(run)
    titles = (
        ("Below the minimum, the worst first", [one for one in cases if not one.caught]),
        (
            "Below the minimum, but no test failed because of it",
            [one for one in cases if one.caught],
        ),
    )
    return [
        Section(
            f"<h4>{title}</h4>",
            [partial(case_block, case, run) for case in own],
            lambda rest: (
                f"<p>… {plural(rest, 'more case')}, closer to the minimum, omitted for lack of "
                "room</p>"
            ),
            forms=FORMS,
        )
        for title, own in titles
        if own
    ]
