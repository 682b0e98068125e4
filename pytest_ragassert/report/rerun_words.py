"""The command that runs a test of a run again."""

from __future__ import annotations

import os
import shlex

from ..analysis.run_record import RunRecord
from ..language.escaping import without_surrogates


def rerun_words(run: RunRecord, nodeid: str) -> str:
    """By which the test is run again; where that is not known, as far as its id says it."""
    test, command = nodeid, "pytest"
    if run.rerun is not None:
        command = run.rerun.command
        path, colons, name = nodeid.partition("::")
        test = os.path.normpath(os.path.join(run.rerun.folder, path)) + colons + name
    return f"{command} {shlex.quote(without_surrogates(test))}"
