"""What there is to tell of an endpoint or a store where no test run has a summary for it."""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

import pytest

from .loopback.scripts import Recorded, Reply
from .loopback.server import LoopbackJudge
from .runs.projects import Project, new_project, section

project = pytest.fixture(new_project)

REFUSED: Reply = {"status": 400, "body": {"error": {"message": "This can't be had today"}}}
TWO_CALLS = """import warnings; warnings.simplefilter("always")
import asyncio, sys
from pytest_ragassert import Settings, aio, evaluate
from tests.replies import case

settings = Settings(judge="openai", base_url=sys.argv[1], api_key="sk-test", cache_dir=sys.argv[2])
evaluate(case(), ["faithfulness"], settings=settings)
evaluate(case(answer="It stops."), ["faithfulness"], settings=settings)
asyncio.run(aio.evaluate(case(answer="It goes."), ["faithfulness"], settings=settings))
"""


def _refuse_schemas(recorded: Recorded) -> Reply | None:
    kind = recorded.body.get("response_format", {}).get("type")
    return REFUSED if kind == "json_schema" else None


@pytest.mark.parametrize("damaged", [False, True], ids=["endpoint", "endpoint and store"])
def test_outside_pytest_each_notice_is_a_warning_once(
    judge: LoopbackJudge, tmp_path: Path, forked_python: str, damaged: bool
) -> None:
    judge.on(_refuse_schemas)
    if damaged:
        (tmp_path / "store").write_text("no folder")
    ran = subprocess.run(
        [forked_python, "-c", TWO_CALLS, judge.base_url, str(tmp_path / "store")],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    told = [line for line in ran.stderr.splitlines() if "RagAssertWarning" in line]
    (helped,) = (line for line in told if "without response_format json_schema" in line)
    # at the line that called
    assert helped.startswith("<string>:7: ")
    assert "This can't be had today" in helped
    assert len(told) == 1 + damaged


def test_settings_of_a_test_are_told_in_the_summary(project: Project, judge: LoopbackJudge) -> None:
    judge.on(_refuse_schemas)
    project.test(
        textwrap.dedent(
            """
            from ferry import case
            from pytest_ragassert import Settings, evaluate

            def test_another_model():
                settings = Settings(model="another")
                evaluate(case("one"), ["faithfulness"], settings=settings)
                evaluate(case("two", "Dogs swim."), ["faithfulness"], settings=settings)
            """
        )
    )
    project.judged_by(judge)
    result = project.process()
    result.assert_outcomes(passed=1)
    told = [line for line in section(result) if "without response_format" in line]
    assert len(told) == 1
    assert "another" in told[0]
