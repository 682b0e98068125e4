"""`python -m pytest_ragassert join`: the verdicts that shards asked for, committed as one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project, section
from .test_join import Join, join, shard

__all__ = ["join"]  # a fixture

project = pytest.fixture(new_project)

TEST = """
from ferry import case
from pytest_ragassert import assert_faithful

def test_answer():
    assert_faithful(case("NAME", "TEXT"), min=0)
"""
TEXTS = {
    "dogs": "Dogs are not allowed on board.",
    "ferry": "The ferry runs every 40 minutes.",
    "price": "The crossing costs 9 euros.",
}
# of the last, another test asks the same
SHARDS = {1: ("dogs",), 2: ("ferry",), 3: ("price", "again")}
UPDATE = "--ragassert-update-verdicts"


def write(project: Project, **texts: str) -> None:
    for name, text in texts.items():
        project.test(TEST.replace("NAME", name).replace("TEXT", text), f"test_{name}")


@pytest.fixture
def tests(project: Project, judge: LoopbackJudge) -> Project:
    """A project with committed verdicts, and none of them so far."""
    write(project, **TEXTS, again=TEXTS["price"])
    project.judged_by(judge)
    project.pytester.makeini("[pytest]\nragassert_verdicts = verdicts.jsonl\n")
    return project


def run_shards(project: Project, *args: str, only: tuple[int, ...] = (1, 2, 3)) -> None:
    """Each shard runs on a machine of its own, with the committed verdicts and no store."""
    path = project.path / "verdicts.jsonl"
    before = path.read_bytes() if path.exists() else None
    for number in only:
        files = [f"test_{name}.py" for name in SHARDS[number]]
        run = shard(project, number, 3, f"--ragassert-cache-dir=store-{number}", *args, *files)
        assert run.ret == 0
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)


def whole(project: Project, name: str = "whole.jsonl") -> bytes:
    """The verdicts that one run of all tests commits."""
    project.run(UPDATE, f"--ragassert-verdicts={name}", "--ragassert-cache-dir=store-whole")
    return (project.path / name).read_bytes()


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_verdicts_of_all_shards_are_committed(
    tests: Project, judge: LoopbackJudge, join: Join
) -> None:
    run_shards(tests, UPDATE)
    assert not (tests.path / "verdicts.jsonl").exists()
    said = join("out")
    assert said.status == 0
    assert "verdicts: 3 shards joined: 6 new or replaced, 6 in all (verdicts.jsonl, written)" in (
        said.lines
    )
    assert (tests.path / "verdicts.jsonl").read_bytes() == whole(tests)
    judge.reset()
    tests.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    tests.set(CI="1")
    tests.run().assert_outcomes(passed=4)
    assert judge.count() == 0


@pytest.mark.parametrize("path", ["other.jsonl", "kept/"])
def test_the_command_line_may_name_another_place(tests: Project, join: Join, path: str) -> None:
    run_shards(tests, UPDATE)
    assert join("out", f"--verdicts={path}").status == 0
    assert not (tests.path / "verdicts.jsonl").exists()
    tests.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    replay = ("--ragassert-record-mode=none", "--ragassert-cache-dir=none")
    tests.run(f"--ragassert-verdicts={path}", *replay).assert_outcomes(passed=4)


def test_verdicts_need_a_place(tests: Project, join: Join) -> None:
    run_shards(tests, UPDATE)
    tests.pytester.makeini("[pytest]\n")
    said = join("out")
    assert said.status == 2
    assert (
        "the shards have verdicts, but there is no file for them: use --verdicts FILE"
        in (said.lines[-1])
    )
    (file,) = list(tests.path.glob("out/verdicts_*.jsonl"))[:1]
    said = join("out", f"--verdicts={file}")
    assert said.status == 2
    assert "is also an input" in said.lines[-1]


def test_shards_that_only_replay_commit_nothing(tests: Project, join: Join) -> None:
    (tests.path / "verdicts.jsonl").write_bytes(whole(tests))
    run_shards(tests)
    assert not list(tests.path.glob("out/verdicts_*"))
    said = join("out")
    assert said.status == 0
    assert not any(line.startswith("verdicts: ") for line in said.lines)


def test_other_committed_verdicts_stay(tests: Project, join: Join) -> None:
    write(tests, old="Tickets are sold on board.")
    before = whole(tests, "verdicts.jsonl")
    (tests.path / "test_old.py").unlink()
    write(tests, dogs="The dogs are on board.")
    run_shards(tests, UPDATE)
    said = join("out")
    assert "verdicts: 3 shards joined: 2 new or replaced, 10 in all (verdicts.jsonl, written)" in (
        said.lines
    )
    after = lines(tests.path / "verdicts.jsonl")
    assert len(after) == 10
    assert [json.loads(line) for line in before.splitlines() if json.loads(line) not in after] == []


def test_pruning_removes_what_no_shard_used(tests: Project, join: Join) -> None:
    write(tests, old="Tickets are sold on board.")
    whole(tests, "verdicts.jsonl")
    (tests.path / "test_old.py").unlink()
    run_shards(tests, UPDATE)
    said = join("out", "--prune-verdicts")
    assert (
        "verdicts: 3 shards joined: 0 new or replaced, 2 removed, 6 in all (verdicts.jsonl, pruned)"
        in said.lines
    )
    assert (tests.path / "verdicts.jsonl").read_bytes() == whole(tests)


def test_an_override_stays_although_only_one_shard_needs_it(tests: Project, join: Join) -> None:
    path = tests.path / "verdicts.jsonl"
    contexts = [TEXTS["dogs"], f"{TEXTS['ferry']} {TEXTS['price']}"]
    reply = {"verdict": "NO_EVIDENCE", "reason": "the price is old"}
    key = claim_id(TEXTS["price"], contexts)
    line = VerdictLine(key, "override", "by hand", TEXTS["price"], reply)
    path.write_text(f"{line.to_text()}\n", encoding="utf-8")
    files = [f"test_{name}.py" for name in SHARDS[1]]
    before = path.read_bytes()
    run = shard(tests, 1, 3, UPDATE, "--ragassert-cache-dir=store-1", *files)
    assert not any(line.startswith("override: ") for line in section(run))
    path.write_bytes(before)
    run_shards(tests, UPDATE, only=(2, 3))
    said = join("out", "--prune-verdicts")
    assert "verdicts: 3 shards joined: 6 new or replaced, 7 in all (verdicts.jsonl, pruned)" in (
        said.lines
    )
    assert "overridden: 1 claim" in said.lines
    assert line in list(open_verdicts(path).lines())


def test_a_shard_alone_removes_nothing(tests: Project) -> None:
    before = whole(tests, "verdicts.jsonl")
    run = shard(tests, 1, 3, f"{UPDATE}=prune", "test_dogs.py")
    assert (tests.path / "verdicts.jsonl").read_bytes() == before
    assert (
        "verdicts: nothing was removed, because this is shard 1 of 3; python -m pytest_ragassert "
        "join --prune-verdicts removes them" in section(run)
    )


@pytest.mark.parametrize(
    ("lacking", "why"),
    [
        ("a shard", "shard 2 of 3 is missing"),
        ("an update", "has no file of verdicts: run the shard with --ragassert-update-verdicts"),
        ("a test", "shard 3 of 3: not every test ran to its end: 1 skipped"),
    ],
)
def test_nothing_is_removed_if_a_shard_may_need_it(
    tests: Project, join: Join, lacking: str, why: str
) -> None:
    before = whole(tests, "verdicts.jsonl")
    if lacking == "a test":
        tests.test("import pytest\n\ndef test_again(): pytest.skip('not today')", "test_again")
    run_shards(tests, UPDATE, only=(1, 3))
    if lacking != "a shard":
        run_shards(tests, *([] if lacking == "an update" else [UPDATE]), only=(2,))
    said = join("out", "--prune-verdicts")
    assert any(
        line.startswith("verdicts: nothing was removed, because ") and why in line
        for line in said.lines
    )
    assert (tests.path / "verdicts.jsonl").read_bytes() == before


def test_verdicts_are_committed_even_if_a_shard_is_missing(tests: Project, join: Join) -> None:
    run_shards(tests, UPDATE, only=(1, 3))
    said = join("out")
    assert said.status == 1
    assert any(line.startswith("verdicts: 2 shards joined: 4 new") for line in said.lines)
    assert len(lines(tests.path / "verdicts.jsonl")) == 4


def altered(project: Project) -> list[dict[str, Any]]:
    """Give a shard other replies to what another one asked too."""
    (path,) = (
        path
        for path in project.path.glob("out/verdicts_*.jsonl")
        if any(line["about"] == TEXTS["price"] for line in lines(path))
    )
    other = next(one for one in project.path.glob("out/verdicts_*.jsonl") if one != path)
    changed = lines(path)
    for line in changed:
        if line["step"] == "verify_claims":
            line["reply"]["evidence"] = []
            line["reply"]["label"] = "NO_EVIDENCE"
    other.write_text(other.read_text() + "".join(f"{json.dumps(line)}\n" for line in changed))
    return changed


def test_two_replies_to_one_question_are_not_committed(tests: Project, join: Join) -> None:
    run_shards(tests, UPDATE)
    altered(tests)
    said = join("out", "--markdown=r.md")
    assert said.status == 1
    (line,) = (one for one in said.lines if one.startswith("verdicts: "))
    assert line.startswith("verdicts: not written, so the run fails: nothing was written: out/")
    assert "two different replies for the same key" in line
    assert "--prefer first or --prefer last" in line
    assert "failed-by=verdicts" in said.outcome
    assert "verdicts=failed" in said.outcome
    assert not (tests.path / "verdicts.jsonl").exists()
    assert "the verdicts could not be written" in (tests.path / "r.md").read_text()
    said = join("out", "--prefer=first")
    assert said.status == 0
    assert (
        "verdicts: 3 shards joined: 6 new or replaced, 1 of them by --prefer first, 6 in all "
        "(verdicts.jsonl, written)" in said.lines
    )


def test_verdicts_of_a_run_that_does_not_count_are_not_committed(
    tests: Project, join: Join
) -> None:
    write(tests, dogs="The dogs are on board.")
    run_shards(tests, UPDATE)
    write(tests, dogs=TEXTS["dogs"])
    run_shards(tests, UPDATE, only=(1,))
    said = join("out")
    assert any("shard 1 of 3 ran more than once" in line for line in said.lines)
    assert (tests.path / "verdicts.jsonl").read_bytes() == whole(tests)


def test_a_shard_without_questions_has_a_file_of_verdicts_too(tests: Project, join: Join) -> None:
    for name in ("ferry", "price", "again"):
        tests.test("def test_plain(): pass", f"test_{name}")
    run_shards(tests, UPDATE)
    assert len(list(tests.path.glob("out/verdicts_*.jsonl"))) == 3
    assert "(verdicts.jsonl, pruned)" in "\n".join(join("out", "--prune-verdicts").lines)


def test_a_verdict_asked_again_replaces_the_committed_one(
    tests: Project, judge: LoopbackJudge, join: Join
) -> None:
    whole(tests, "verdicts.jsonl")
    path = tests.path / "verdicts.jsonl"
    before = path.read_bytes()
    changed = [json.loads(line) for line in before.splitlines()]
    for line in changed:
        if line["step"] == "verify_claims":
            line["reply"]["evidence"], line["reply"]["label"] = [], "NO_EVIDENCE"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in changed))
    run_shards(tests, UPDATE, "--ragassert-record-mode=all")
    said = join("out")
    assert any("3 new or replaced" in line for line in said.lines)
    assert path.read_bytes() == before


def test_what_cannot_be_written_for_the_join_fails_the_shard(tests: Project) -> None:
    """What it has paid for is not lost to the whole run without a word."""
    test = TEST.replace("NAME", "dogs").replace("TEXT", TEXTS["dogs"])
    tests.test(f"{test}    open('out', 'w').close()\n", "test_dogs")
    run = shard(tests, 1, 3, UPDATE, "test_dogs.py")
    assert run.ret == 1
    (line,) = (line for line in section(run) if line.startswith("verdicts: "))
    assert line.startswith("verdicts: 0 used, 2 new, 0 unused; written to verdicts.jsonl, but not ")
    assert "for the join, so the run fails" in line
    assert "failed-by=verdicts" in section(run)[-1]
