"""In a results file: the tests that failed, and for what."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ...storage.files.records import Record


class FailedTest(Record):
    """
    Attributes:
        nodeid: the test's; of a file that could not be collected its path.
        ends: for what its phases failed, in the words of `report.outcome`.
        message: the beginning of what another failure says; of the plugin's own their rows tell.
    """

    nodeid: str
    ends: list[Literal["assertion", "judge", "missing", "other"]] = Field(default_factory=list)
    message: str = ""
