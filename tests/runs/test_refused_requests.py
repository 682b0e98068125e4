"""An endpoint that refuses a whole request without saying why, under several workers."""

from __future__ import annotations

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

TEST = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range(8))
def test_boat(n):
    assert_faithful(case(f"{n}", f"Boat {n} is new.", retrieved_contexts=[f"Boat {n} is new."]))
"""
REFUSED = {"status": 422, "body": {"message": "not in this form"}}


def test_one_worker_finds_for_all_what_the_endpoint_takes(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(TEST)
    project.judged_by(judge)
    judge.on(lambda r: REFUSED if "response_format" in r.body else None)
    first = project.run("-n", "2")
    first.assert_outcomes(passed=8)
    types = [r.body.get("response_format", {}).get("type") for r in judge.requests]
    # each worker's first question is out before anything is known
    assert types.count("json_schema") <= 2
    assert types.count("json_object") == 1
    assert types.count(None) == 16
    told = [line for line in section(first) if "judge" in line or "without" in line]
    assert sum("accepts requests without response_format" in line for line in told) == 1
    judge.reset()
    project.test(TEST.replace("is new", "is old"))
    second = project.run()
    second.assert_outcomes(passed=8)
    assert not any("response_format" in r.body for r in judge.requests)
    assert not any("requests without" in line for line in section(second))
