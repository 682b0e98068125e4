"""Runs on a store that machines share: a machine is a folder of its own in front of one server."""

from __future__ import annotations

import re

import pytest

from tests.loopback.server import LoopbackJudge
from tests.redis_server import RedisServer, needs_server

from .projects import FAILING, Project, new_project, printed, section

pytestmark = needs_server
project = pytest.fixture(new_project)

MANY = """
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

@pytest.mark.parametrize("n", range({count}))
def test_many(n):
    assert_faithful(case(f"c{{n}}", f"Boat {{n}} is new. The ferry runs every 40 minutes."), min=0)
"""


class Machine:
    """Runs a project with a folder of its own."""

    def __init__(self, project: Project, name: str, *options: str) -> None:
        self.project = project
        self.options = (f"--ragassert-cache-dir={name}", *options)
        self.folder = project.path / name

    def run(self, *args: str) -> pytest.RunResult:
        return self.project.run(*self.options, *args)

    def command(self, *args: str) -> list[str]:
        return self.project.forked_command(*self.options, *args)


@pytest.fixture
def machines(
    project: Project, judge: LoopbackJudge, redis_server: RedisServer
) -> tuple[Machine, Machine]:
    project.judged_by(judge)
    project.set(RAGASSERT_STORE=redis_server.url)
    return Machine(project, "one"), Machine(project, "two")


Machines = tuple[Machine, Machine]


def results(result: pytest.RunResult, project: Project) -> list[str]:
    """What a run printed, but for what differs between a live run and a stored one."""
    other = r"^ragassert: judge|asked|tokens|judgements|asking|judge "
    return [line for line in printed(result, project) if not re.search(other, line)]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_what_one_machine_asked_is_stored_for_the_others(
    machines: Machines, judge: LoopbackJudge, project: Project, workers: tuple[str, ...]
) -> None:
    project.test(FAILING)
    one, two = machines
    first = one.run(*workers)
    first.assert_outcomes(passed=1, failed=1)
    asked = judge.count()
    assert asked > 0
    second = two.run(*workers)
    second.assert_outcomes(passed=1, failed=1)
    assert judge.count() == asked
    second.stdout.fnmatch_lines(["*0 asked*"])
    third = two.run("--ragassert-store=disk", *workers)
    third.assert_outcomes(passed=1, failed=1)
    assert judge.count() == asked
    assert section(second, "ragassert") == section(third, "ragassert")


def test_the_header_says_where_verdicts_are_shared(
    machines: Machines, project: Project, redis_server: RedisServer
) -> None:
    project.test("def test_it(): pass")
    one, _ = machines
    result = one.run("--ragassert-store-namespace=team:a")
    where = f"store unix://{redis_server.socket} (namespace team:a), cached in {one.folder}"
    result.stdout.fnmatch_lines([f"ragassert: judge *; {where}"])


def test_namespaces_share_nothing(
    machines: Machines, project: Project, judge: LoopbackJudge
) -> None:
    project.test(FAILING)
    one, two = machines
    one.run()
    asked = judge.count()
    two.run("--ragassert-store-namespace=other")
    assert judge.count() == 2 * asked


def test_what_a_folder_had_before_is_shared_when_it_is_used(
    machines: Machines, project: Project, judge: LoopbackJudge, redis_server: RedisServer
) -> None:
    project.test(FAILING)
    one, two = machines
    one.run("--ragassert-store=disk")
    asked = judge.count()
    assert redis_server.client().dbsize() == 0
    one.run()
    with redis_server.client() as client:
        shared = {key.decode() for key in client.keys("*")}
    assert any(key.endswith(".question") for key in shared)
    assert any(key.endswith(".passage") for key in shared)
    assert any(key.endswith(".judged") for key in shared)
    two.run()
    assert judge.count() == asked
    # a replay adds nothing
    redis_server.client().flushall()
    one.run("--ragassert-record-mode=none").assert_outcomes(passed=1, failed=1)
    assert redis_server.client().dbsize() == 0


def test_nothing_stays_but_what_was_stored(
    machines: Machines, project: Project, redis_server: RedisServer
) -> None:
    project.test(FAILING)
    machines[0].run("-n", "2")
    shape = rb"ragassert:([0-9a-f]{64}(\.question|\.passage)?|[0-9a-f]{32}\.judged)"
    with redis_server.client() as client:
        keys = client.keys()
        assert [key for key in keys if not re.fullmatch(shape, key)] == []
        assert {client.ttl(key) for key in keys} == {-1}


def test_mode_all_overwrites_for_everyone(
    machines: Machines, project: Project, judge: LoopbackJudge
) -> None:
    project.test(FAILING)
    one, two = machines
    one.run()
    judge.script("verify_claims", *[{"replaces": True}] * 0)
    asked = judge.count()
    two.run("--ragassert-record-mode=all")
    assert judge.count() == 2 * asked
