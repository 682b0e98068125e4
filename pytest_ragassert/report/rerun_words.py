"""The command that reruns a test."""

from __future__ import annotations

import os
import shlex

from ..analysis.run_record import RunRecord
from ..language.escaping import without_surrogates


def rerun_words(run: RunRecord, nodeid: str) -> str:
    """The recorded command that reruns the test; if there is none, one made from its node id."""
    test, command = nodeid, "pytest"
    if run.rerun is not None:
        command = run.rerun.command
        path, colons, name = nodeid.partition("::")
        test = os.path.normpath(os.path.join(run.rerun.folder, path)) + colons + name
    return f"{command} {shlex.quote(without_surrogates(test))}"
