"""Checks that the run can write its files, before anything is asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..report.artifacts import DEBUG_CLAIMS, ERROR_CASES
from ..storage.committed.committed_verdicts import check_writable
from ..storage.files.plain_files import check_output, check_output_folder, check_output_kind

if TYPE_CHECKING:
    from .run import Run

VERDICTS, BASELINE, HISTORY, ARTIFACTS, ANSWERS, MARKDOWN, HTML = (
    f"--ragassert-{name}"
    for name in ("verdicts", "baseline", "history", "artifacts", "answers", "markdown", "html")
)


def check_outputs(run: Run) -> None:
    """
    Raises:
        ConfigurationError: an output path is not a plain file, two options name one file, or a file
            cannot be written that is to be updated or that the command line asks for; the message
            names the option.
    """
    if run.updates is not None and run.verdicts is not None:
        check_writable(run.verdicts, VERDICTS)
    if run.value("update_baseline", None) is not None and run.baseline is not None:
        check_output(run.baseline, BASELINE)
    if run.answers is not None:
        if run.refreshes_answers:
            check_output(run.answers, ANSWERS)
        check_output_kind(run.answers, ANSWERS)
    outputs = (("history", HISTORY), ("markdown", MARKDOWN), ("html", HTML))
    for name, option in outputs:
        file = run.history if name == "history" else run.output(name)
        if file is not None:
            _check_report(file, option, asked_for=_asked_for(run, name))
    if run.artifacts is not None:
        _check_artifacts(run.artifacts, asked_for=_asked_for(run, "artifacts"))
    _check_distinct(run)


def _asked_for(run: Run, name: str) -> bool:
    """Whether the command line asks for an output. If an output from the ini file or a variable
    cannot be written, the run continues and the summary reports it.
    """
    return name in run.chosen and run.chosen[name].source == "command line"


def _check_report(file: Path, option: str, *, asked_for: bool) -> None:
    (check_output if asked_for else check_output_kind)(file, option)


def _check_artifacts(folder: Path, *, asked_for: bool) -> None:
    check_output_folder(folder, ARTIFACTS, kind_only=not asked_for)
    for name in (DEBUG_CLAIMS, ERROR_CASES):
        check_output_kind(folder / name, ARTIFACTS)


def _check_distinct(run: Run) -> None:
    named: dict[str, str] = {}
    for option, path in (
        (VERDICTS, run.verdicts),
        (BASELINE, run.baseline),
        (HISTORY, run.history),
        (ANSWERS, run.answers),
        (MARKDOWN, run.output("markdown")),
        (HTML, run.output("html")),
    ):
        if path is not None:
            other = named.setdefault(os.path.realpath(path), option)
            if other != option:
                raise ConfigurationError(
                    f"{other} and {option} name one file, {path}; use different files"
                )
