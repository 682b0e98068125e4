"""Writes a result without a test item to Allure's folder; allure-pytest only writes those of
items.
"""

from __future__ import annotations

import uuid

import pytest


def write_result(config: pytest.Config, nodeid: str, message: str, text: str) -> None:
    """Write a failed test if this run writes Allure results."""
    if not config.getoption("allure_report_dir", None):
        return
    # the API that allure-python-commons has for test runners; allure-pytest uses it too
    from allure_commons.model2 import Label, Status, StatusDetails, TestResult
    from allure_commons.reporter import AllureReporter
    from allure_commons.types import LabelType
    from allure_commons.utils import md5, now

    own = str(uuid.uuid4())
    file, _, name = nodeid.partition("::")
    result = TestResult(
        uuid=own,
        name=name,
        fullName=nodeid,
        # constant across runs, so that Allure shows a history
        historyId=md5(nodeid),
        testCaseId=md5(nodeid),
        status=Status.FAILED,
        statusDetails=StatusDetails(message=message, trace=text),
        labels=[
            Label(name=LabelType.SUITE, value=file),
            Label(name=LabelType.FRAMEWORK, value="pytest"),
        ],
        start=now(),
        stop=now(),
    )
    reporter = AllureReporter()
    reporter.schedule_test(own, result)
    reporter.close_test(own)
