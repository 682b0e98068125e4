"""The part of a results file with the tests that failed, and why."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ...storage.files.records import Record


class FailedTest(Record):
    """A test that failed.

    Attributes:
        nodeid: the test's node id; the path of a file that could not be collected.
        ends: why its phases failed, in the words of `report.outcome`.
        message: the beginning of the message of a failure that has no result of the plugin.
    """

    nodeid: str
    ends: list[Literal["assertion", "judge", "missing", "other"]] = Field(default_factory=list)
    message: str = ""
