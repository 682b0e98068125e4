"""Committed verdicts in runs: written, replayed, told of, and what a replay lacks."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import PASSING, Project, new_project, section

project = pytest.fixture(new_project)

CHANGED_ONE = PASSING.replace("Dogs are not allowed on board.", "The crossing costs 9 euros.")
UPDATE = "--ragassert-update-verdicts"
KIND = "ragassert replays, because {}: no questions are sent, no key is needed"
LIVE = "ragassert runs live, because {}"
PRUNE = "--ragassert-update-verdicts=prune"
FILE = "--ragassert-verdicts=verdicts.jsonl"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def recorded(project: Project, judge: LoopbackJudge, source: str = PASSING) -> Path:
    """A project whose verdicts are committed, and which can ask nobody any more."""
    project.test(source)
    project.judged_by(judge)
    project.pytester.makeini("[pytest]\nragassert_verdicts = verdicts.jsonl\n")
    assert project.run(UPDATE).ret == 0
    for store in ("cache.db", "cache.db-wal", "cache.db-shm"):
        (project.path / ".ragassert" / store).unlink(missing_ok=True)
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    judge.reset()
    return project.path / "verdicts.jsonl"


def verdicts_line(result: pytest.RunResult) -> str:
    (line,) = [line for line in section(result) if line.startswith("verdicts: ") and "used" in line]
    return line


def test_the_first_update_writes_a_file_to_commit(project: Project, judge: LoopbackJudge) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    result = project.run(FILE, UPDATE)
    assert result.ret == 0
    written = lines(project.path / "verdicts.jsonl")
    members = ["key", "step", "judge", "asked", "about", "passages", "reply"]
    assert [list(line) for line in written] == [members] * 5
    assert {line["step"] for line in written} == {"extract_claims", "verify_claims"}
    assert {line["judge"] for line in written} == {f"openai {judge.base_url} gpt-4o-mini"}
    about = {line["about"] for line in written if line["step"] == "verify_claims"}
    assert about == {"Dogs are not allowed on board.", "The ferry runs every 40 minutes."}
    assert verdicts_line(result) == "verdicts: 0 used, 5 new, 0 unused (verdicts.jsonl, written)"
    told = "\n".join(section(result))
    assert "the line verdicts.jsonl merge=union to .gitattributes to merge branches" in told


@pytest.mark.parametrize(
    ("attributes", "hinted"),
    [
        ("verdicts*.jsonl merge=union\n", False),
        ("*.md text\n/kept/*.jsonl text merge=union", False),
        ('"kept/verdicts.jsonl" merge=union', False),
        ("# verdicts.jsonl merge=union", True),
        ("verdicts.jsonl text", True),
        ("results*.jsonl merge=union", True),
        ("/verdicts.jsonl merge=union", True),
    ],
)
def test_the_hint_on_merging_is_omitted_where_git_knows_it(
    project: Project, judge: LoopbackJudge, attributes: str, hinted: bool
) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    project.pytester.mkdir("kept")
    Path(project.path, ".gitattributes").write_text(attributes, encoding="utf-8")
    result = project.run("--ragassert-verdicts=kept/verdicts.jsonl", UPDATE)
    assert verdicts_line(result).endswith("(kept/verdicts.jsonl, written)")
    assert ("merge=union" in "\n".join(section(result))) is hinted


def test_the_hint_on_merging_is_given_once(project: Project, judge: LoopbackJudge) -> None:
    path = recorded(project, judge)
    before = path.read_bytes()
    project.judged_by(judge)
    result = project.run(UPDATE)
    assert verdicts_line(result) == "verdicts: 5 used, 0 new, 0 unused (verdicts.jsonl, written)"
    assert "merge=union" not in "\n".join(section(result))
    assert path.read_bytes() == before
    assert judge.count() == 0


def test_any_number_of_workers_writes_the_same_bytes(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    project.run("--ragassert-verdicts=serial.jsonl", UPDATE)
    result = project.process(
        "--ragassert-verdicts=parallel.jsonl",
        UPDATE,
        "--ragassert-cache-dir=other",
        "-n",
        "2",
    )
    assert verdicts_line(result).startswith("verdicts: 0 used, 5 new")
    serial, parallel = (project.path / f"{name}.jsonl" for name in ("serial", "parallel"))
    assert serial.read_bytes() == parallel.read_bytes()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serially", "in parallel"])
def test_ci_replays_without_key_or_network(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    recorded(project, judge)
    project.set(CI="true")
    result = project.process(*workers) if workers else project.run()
    assert result.parseoutcomes()["passed"] == 2
    (head,) = [line for line in result.outlines if line.startswith("ragassert: judge")]
    assert head == (
        "ragassert: judge gpt-4o-mini; record-mode none (CI is set); store none; "
        f"verdicts {project.path / 'verdicts.jsonl'}"
    )
    assert KIND.format("CI is set") in result.outlines
    assert verdicts_line(result) == "verdicts: 5 used, 0 new, 0 unused (verdicts.jsonl)"
    assert "judgements: 0 asked, 5 stored, 0 carried" in "\n".join(section(result))
    assert judge.count() == 0


@pytest.mark.parametrize(
    ("args", "environ", "kind"),
    [
        ((), {}, LIVE.format("CI is not set: what changed is asked")),
        (
            (UPDATE,),
            {"CI": "true"},
            LIVE.format("--ragassert-update-verdicts is given: what changed is asked"),
        ),
        (
            ("--ragassert-record-mode=all",),
            {},
            LIVE.format("record-mode all is given (command line): everything is asked again"),
        ),
        (
            (),
            {"RAGASSERT_RECORD_MODE": "none"},
            KIND.format("record-mode none is given (RAGASSERT_RECORD_MODE)"),
        ),
    ],
    ids=["locally", "update", "all", "variable"],
)
def test_the_header_says_whether_it_is_a_replay(
    project: Project,
    judge: LoopbackJudge,
    args: tuple[str, ...],
    environ: dict[str, str],
    kind: str,
) -> None:
    recorded(project, judge)
    project.judged_by(judge)
    project.set(**environ)
    result = project.run(*args)
    assert [line for line in result.outlines if re.match("ragassert (replays|runs)", line)] == [
        kind
    ]


def test_the_header_says_that_a_live_run_has_no_key(project: Project, judge: LoopbackJudge) -> None:
    by_house = "--ragassert-judge-id=house"
    project.test(PASSING)
    project.judged_by(judge)
    assert project.run(FILE, UPDATE, by_house).ret == 0
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    result = project.run(FILE, by_house)
    assert result.ret == 0
    why = "CI is not set: new questions cannot be asked because OPENAI_API_KEY is not set"
    assert LIVE.format(why) in result.outlines


def test_a_replay_leaves_no_store_behind(project: Project, judge: LoopbackJudge) -> None:
    recorded(project, judge)
    for left in (project.path / ".ragassert").iterdir():
        left.unlink()
    (project.path / ".ragassert").rmdir()
    assert project.run("--ragassert-record-mode=none").ret == 0
    assert not (project.path / ".ragassert").exists()


@pytest.mark.parametrize(
    "environ", [{"OPENAI_API_KEY": "sk-any"}, {"OPENAI_BASE_URL": "http://elsewhere/v1"}], ids=str
)
def test_a_replay_has_the_judge_of_the_verdicts_whatever_the_environment_has(
    project: Project, judge: LoopbackJudge, environ: dict[str, str]
) -> None:
    project.judged_by(judge)
    project.test(PASSING)
    project.run(FILE, UPDATE, "--ragassert-model=m1")
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    project.set(CI="1", **environ)
    result = project.run(FILE)
    assert result.parseoutcomes()["passed"] == 2
    assert "judge m1; record-mode none (CI is set)" in result.stdout.str()


@pytest.mark.parametrize("ci", ["", "0", "false"])
def test_no_ci_is_no_replay(project: Project, judge: LoopbackJudge, ci: str) -> None:
    recorded(project, judge)
    project.judged_by(judge)
    project.set(CI=ci)
    (head,) = [line for line in project.run().outlines if line.startswith("ragassert: judge")]
    assert "record-mode new_episodes (default)" in head


def test_an_update_asks_also_where_ci_is_set(project: Project, judge: LoopbackJudge) -> None:
    recorded(project, judge)
    project.judged_by(judge)
    project.set(CI="1")
    project.test(CHANGED_ONE)
    result = project.run(UPDATE)
    assert "record-mode new_episodes (update-verdicts)" in result.stdout.str()
    assert verdicts_line(result) == "verdicts: 2 used, 3 new, 3 unused (verdicts.jsonl, written)"
    assert judge.count() == 2


def test_new_ones_are_told_where_nothing_is_written(project: Project, judge: LoopbackJudge) -> None:
    path = recorded(project, judge)
    before = path.read_bytes()
    project.judged_by(judge)
    project.test(CHANGED_ONE)
    result = project.run()
    assert verdicts_line(result) == (
        "verdicts: 2 used, 3 new, 3 unused (verdicts.jsonl; --ragassert-update-verdicts writes the "
        "new ones)"
    )
    assert path.read_bytes() == before


def test_pruning_removes_what_nothing_uses(project: Project, judge: LoopbackJudge) -> None:
    path = recorded(project, judge)
    project.judged_by(judge)
    project.test(CHANGED_ONE)
    result = project.run(PRUNE)
    assert verdicts_line(result) == "verdicts: 2 used, 3 new, 3 unused (verdicts.jsonl, pruned)"
    assert len(lines(path)) == 5
    assert not [line for line in lines(path) if "Dogs" in line["about"]]


TAKING = """
def pytest_collection_modifyitems(items):
    del items[0]
"""
MORE = """

def test_other():
    {0}
"""


@pytest.mark.parametrize(
    ("last", "args", "why"),
    [
        ("import pytest; pytest.skip('later')", (), "not every test ran to its end: 1 skipped"),
        ("raise OSError", (), "not every test ran to its end: 1 failed"),
        ("", ("-k", "times"), "not every test ran to its end: 2 deselected"),
        ("", ("-k", "times", "-n", "2"), "not every test ran to its end: 2 deselected"),
        ("", ("test_it.py", "-n", "2"), "only test_it.py was run"),
        ("", ("-o", "python_files=test_it.py"), "-o python_files=test_it.py may leave tests out"),
        ("pass  # taken away", (), "not every test ran to its end: 1 deselected"),
        ("pass  # taken away", ("-n", "2"), "not every test ran to its end: 1 deselected"),
        ("", ("test_it.py",), "only test_it.py was run; run pytest without paths, or"),
        ("", ("test_it.py::test_times",), "only test_it.py::test_times was run"),
        ("", ("--ignore=test_other.py",), "--ignore leaves tests out"),
        ("", ("--deselect=test_it.py::test_times",), "not every test ran to its end: 1 deselected"),
    ],
)
def test_pruning_refuses_where_a_test_did_not_run(
    project: Project, judge: LoopbackJudge, last: str, args: tuple[str, ...], why: str
) -> None:
    path = recorded(project, judge)
    project.judged_by(judge)
    project.test(CHANGED_ONE + MORE.format(last or "pass"))
    project.pytester.makeconftest(TAKING * ("taken" in last))
    run = project.process if "-n" in args else project.run
    result = run(PRUNE, *args)
    told = "\n".join(section(result))
    assert f"verdicts: nothing was removed, because {why}" in told
    assert [line for line in lines(path) if "Dogs" in line["about"]]


def test_pruning_refuses_where_the_run_was_stopped(project: Project, judge: LoopbackJudge) -> None:
    path = recorded(project, judge)
    project.judged_by(judge)
    failing = "def test_first():\n    raise OSError\n"
    project.test(failing, "test_first")
    result = project.run(PRUNE, "-x")
    # nothing was measured, so nothing is told, and nothing is lost
    assert result.ret == 1
    assert len(lines(path)) == 5


RELEVANCY = """
from ferry import case
from pytest_ragassert import assert_answer_relevancy

def test_near():
    assert_answer_relevancy(case("near"), min=0)
"""


@pytest.mark.parametrize("path", ["verdicts.jsonl", "verdicts"])
def test_vectors_are_committed_and_replayed_alike(
    project: Project, judge: LoopbackJudge, path: str
) -> None:
    project.test(RELEVANCY)
    project.judged_by(judge)
    options = (f"--ragassert-verdicts={path}", "--ragassert-embedder=openai")
    assert project.run(*options, UPDATE).ret == 0
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    project.set(CI="1")
    result = project.run(*options)
    assert result.parseoutcomes()["passed"] == 1
    assert "unused" in verdicts_line(result)
    assert " 0 new, 0 unused" in verdicts_line(result)


def test_a_folder_has_a_file_for_each_question(project: Project, judge: LoopbackJudge) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    result = project.run("--ragassert-verdicts=verdicts", UPDATE)
    files = sorted((project.path / "verdicts").rglob("*.json"))
    assert len(files) == 5
    assert {file.parent.name for file in files} == {"extract_claims", "verify_claims"}
    assert all(json.loads(file.read_bytes())["key"] == file.stem for file in files)
    assert "merge=union" not in "\n".join(section(result))
    project.unset("OPENAI_API_KEY")
    replay = project.run("--ragassert-verdicts=verdicts", "--ragassert-record-mode=none")
    assert replay.parseoutcomes()["passed"] == 2


def test_the_options_stand_in_ini_and_environment(project: Project, judge: LoopbackJudge) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    project.pytester.makeini(
        "[pytest]\nragassert_verdicts = here.jsonl\nragassert_update_verdicts = on\n"
    )
    assert project.run().ret == 0
    assert len(lines(project.path / "here.jsonl")) == 5
    project.set(RAGASSERT_VERDICTS="there.jsonl", RAGASSERT_UPDATE_VERDICTS="prune")
    assert verdicts_line(project.run()).endswith("(there.jsonl, pruned)")


def test_an_update_needs_a_place(project: Project, judge: LoopbackJudge) -> None:
    project.judged_by(judge)
    result = project.run(UPDATE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--ragassert-verdicts=PATH" in result.stderr.str()


def test_a_replay_needs_verdicts(project: Project) -> None:
    result = project.run(FILE, "--ragassert-record-mode=none", "--ragassert-model=m")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "pytest --ragassert-update-verdicts" in result.stderr.str()


def test_the_judge_of_the_verdicts_is_the_one_that_is_meant(
    project: Project, judge: LoopbackJudge
) -> None:
    recorded(project, judge)
    project.set(OPENAI_API_KEY="sk-any")
    result = project.run()
    # requests would go elsewhere, with this key
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = result.stderr.str()
    for part in (judge.base_url, "--ragassert-base-url", "--ragassert-record-mode=none"):
        assert part in told


def test_verdicts_by_two_judges_do_not_say_which(project: Project, judge: LoopbackJudge) -> None:
    recorded(project, judge)
    project.judged_by(judge)
    project.run(UPDATE, "--ragassert-model=other")
    project.unset("OPENAI_API_KEY", "OPENAI_BASE_URL")
    result = project.run("--ragassert-record-mode=none")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "has verdicts by 2 judges" in result.stderr.str()
    chosen = project.run(
        "--ragassert-record-mode=none",
        "--ragassert-model=other",
        f"--ragassert-base-url={judge.base_url}",
    )
    assert chosen.parseoutcomes()["passed"] == 2


HAND = """
import json

class Hand:
    id = "hand-checked"
    def run(self, step, input):
        if step.name == "extract_claims":
            return json.dumps({"claims": [
                {"sentence": s["id"], "text": s["text"]} for s in input["sentences"]]})
        return json.dumps({"verdicts": [
            {"id": c["id"], "reason": "read", "verdict": "FULLY_SUPPORTED", "confidence": None,
             "evidence": [{"passage": 2, "quote": "every 40 minutes"}]} for c in input["claims"]]})

def pytest_ragassert_make_judge(config, name):
    return Hand() if name == "hand-checked" else None
"""


@pytest.mark.parametrize("id", ["hand-checked", "checked by hand 1"])
def test_a_judge_that_nobody_knows_any_more_is_replayed(project: Project, id: str) -> None:
    project.test(PASSING)
    project.pytester.makeini("[pytest]\nragassert_verdicts = verdicts.jsonl\n")
    project.pytester.makeconftest(HAND.replace('"hand-checked"', repr(id)))
    assert project.run(f"--ragassert-judge={id}", UPDATE).ret == 0
    assert {line["judge"] for line in lines(project.path / "verdicts.jsonl")} == {id}
    project.pytester.makeconftest("")
    for args in ((), (f"--ragassert-judge={id}",), ("--ragassert-record-mode=none",)):
        result = project.run(*args, "--ragassert-cache-dir=elsewhere")
        assert result.parseoutcomes()["passed"] == 2
        assert f"judge {id}" in result.stdout.str()
        why = f"{id} is known only from committed verdicts"
        if "none" in str(args):
            why = "record-mode none is given (command line)"
        assert KIND.format(why) in result.outlines
    project.test(CHANGED_ONE)
    # so that no line is cut off
    project.set(COLUMNS="400")
    result = project.run("--ragassert-cache-dir=elsewhere")
    assert "VerdictMissing" in result.stdout.str()
    assert "known from committed verdicts alone" in result.stdout.str()
    # it can't be asked, so that another one has to be named
    told = section(result, "ragassert: no stored verdict")
    named = "--ragassert-judge=NAME --ragassert-record-mode=new_episodes"
    assert told[-1].endswith(f" {named} {UPDATE}")
    assert f"record it with: pytest {named} {UPDATE}" in result.stdout.str()


def test_a_name_that_is_nowhere_is_a_mistake(project: Project, judge: LoopbackJudge) -> None:
    recorded(project, judge)
    result = project.run("--ragassert-judge=hand-cheked", "--ragassert-record-mode=none")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (told,) = (line for line in result.errlines if line.startswith("ERROR: "))
    assert told.startswith("ERROR: unknown judge 'hand-cheked'; if it is a model's name, use ")


def test_all_asks_again_and_replaces(project: Project, judge: LoopbackJudge) -> None:
    path = recorded(project, judge)
    project.judged_by(judge)
    judge.script(
        [
            {
                "step": "verdicts",
                "content": json.dumps(
                    {
                        "verdicts": [
                            {"id": n, "verdict": "NO_EVIDENCE", "reason": "newly said"}
                            for n in (1, 2)
                        ]
                    }
                ),
            }
        ],
        repeat_last=True,
    )
    result = project.run("--ragassert-record-mode=all", UPDATE, "-k", "dogs")
    assert judge.count() == 2
    assert verdicts_line(result) == (
        "verdicts: 0 used, 4 replaced, 0 new, 1 unused (verdicts.jsonl, written)"
    )
    said = [line["reply"] for line in lines(path) if line["step"] == "verify_claims"]
    assert [one["reason"] for one in said] == ["newly said"] * 2
    assert len(lines(path)) == 5


CHANGED = """
from ferry import GOOD, case
from pytest_ragassert import assert_faithful

def test_same():
    assert_faithful(case("same"))

def test_passages():
    assert_faithful(case("passages", retrieved_contexts=["The ferry runs every 40 minutes!"]))

def test_answer():
    assert_faithful(case("answer", "Dogs are not allowed on board. " + GOOD.replace("40", "50")))

def test_new():
    assert_faithful(case("new", "Nothing like this was ever said about anything."))
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serially", "in parallel"])
def test_what_a_replay_lacks_is_told_by_cause(
    project: Project, judge: LoopbackJudge, workers: tuple[str, ...]
) -> None:
    recorded(project, judge)
    project.test(CHANGED)
    args = ("--ragassert-record-mode=none", *workers)
    result = project.process(*args) if workers else project.run(*args)
    assert result.parseoutcomes() == {"passed": 1, "failed": 3}
    told = section(result, "ragassert: no stored verdict")
    assert told[:-1] == [
        "the answer changed in 1 of 4 cases; 1 of 2 claims known, 1 not judged in 1 case",
        "2 of 4 sentences known, 2 not read in 2 cases",
        "  answer: 1 of 2 sentences not read (the answer changed)",
        "  new: 1 of 1 sentence not read",
        "  passages: 1 of 1 claim not judged",
        "never recorded: 1",
        "passages changed: 1",
        "text changed: 1",
    ]
    # the first sentence of the changed text is known, and its line is of use
    assert verdicts_line(result) == "verdicts: 3 used, 0 new, 2 unused (verdicts.jsonl)"
    assert told[-1].startswith("record them with: pytest ")
    assert told[-1].endswith(" --ragassert-record-mode=new_episodes --ragassert-update-verdicts")
    assert "--ragassert-judge" not in told[-1]
    # each by itself where that is wanted
    whole = project.process(*args, "-v")
    assert section(whole, "ragassert: no stored verdict")[5:-1] == [
        "never recorded: 1",
        '  new: extract_claims "Nothing like this was ever said about anything."',
        "passages changed: 1",
        '  passages: verify_claims "The ferry runs every 40 minutes.", recorded with other '
        "passages",
        "text changed: 1",
        '  answer: extract_claims "The ferry runs every 50 minutes.", recorded as "The ferry runs '
        'every 40 minutes."',
    ]
    # each test says it in one line
    said = [line for line in result.outlines if line.startswith("FAILED ")]
    assert len(said) == 3
    assert all(" - VerdictMissing: faithfulness of case " in line for line in said)


def test_another_model_and_other_settings_are_told(project: Project, judge: LoopbackJudge) -> None:
    recorded(project, judge)
    replay = ("--ragassert-record-mode=none", f"--ragassert-base-url={judge.base_url}")
    result = project.run(*replay, "--ragassert-model=gpt-5")
    by = f"openai {judge.base_url}"
    assert causes(result) == [f"other model: 3, recorded by {by} gpt-4o-mini, asked of {by} gpt-5"]
    result = project.run(*replay, "--ragassert-model=gpt-4o-mini", "--ragassert-temperature=1")
    assert causes(result) == ["other settings: 3"]


def causes(result: pytest.RunResult) -> list[str]:
    """What is told behind the cases that are named."""
    told = section(result, "ragassert: no stored verdict")[:-1]
    last = max(place for place, line in enumerate(told) if line.startswith("  "))
    return told[last + 1 :]


def test_a_changed_prompt_is_told(project: Project, judge: LoopbackJudge) -> None:
    recorded(project, judge)
    project.pytester.makeconftest(
        """
        import dataclasses
        from pytest_ragassert.steps.catalogue import STEPS

        old = STEPS["extract_claims"]
        STEPS["extract_claims"] = dataclasses.replace(
            old, instructions=old.instructions + " Hurry.", former=(old.fingerprint,)
        )
        """
    )
    result = project.process("--ragassert-record-mode=none")
    assert causes(result) == ["prompt version changed: 3"]


def test_a_replay_from_the_store_has_one_command_too(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    project.run()
    project.test(CHANGED_ONE)
    result = project.run("--ragassert-record-mode=none")
    assert causes(result) == ["never recorded: 2"]


def test_a_vote_that_was_not_asked_for_is_another_setting(
    project: Project, judge: LoopbackJudge
) -> None:
    recorded(project, judge)
    result = project.run("--ragassert-record-mode=none", "--ragassert-votes=3")
    assert causes(result) == ["other settings: 4"]


def test_an_update_replaces_a_line_that_does_not_fit(
    project: Project, judge: LoopbackJudge
) -> None:
    path = recorded(project, judge)
    before = path.read_bytes()
    path.write_bytes(before.replace(b"FULLY_SUPPORTED", b"SURE"))
    project.judged_by(judge)
    result = project.run(UPDATE)
    assert verdicts_line(result) == (
        "verdicts: 3 used, 2 replaced, 0 new, 0 unused (verdicts.jsonl, written)"
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize("args", [("--ragassert-record-mode=off",), ("--ragassert-judge=offline",)])
def test_an_update_that_would_write_nothing_is_a_mistake(
    project: Project, judge: LoopbackJudge, args: tuple[str, ...]
) -> None:
    recorded(project, judge)
    project.judged_by(judge)
    result = project.run(UPDATE, *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "writes nothing with" in result.stderr.str()


def test_a_name_with_a_space_is_quoted_for_git(project: Project, judge: LoopbackJudge) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    result = project.run("--ragassert-verdicts=ver dicts.jsonl", UPDATE)
    assert 'the line "ver dicts.jsonl" merge=union to' in "\n".join(section(result))


@pytest.mark.parametrize("mode", ["none", "new_episodes"])
def test_a_line_that_does_not_fit_its_question(
    project: Project, judge: LoopbackJudge, mode: str
) -> None:
    path = recorded(project, judge)
    path.write_text(
        path.read_text(encoding="utf-8").replace("FULLY_SUPPORTED", "SURE"), encoding="utf-8"
    )
    project.judged_by(judge)
    result = project.run(f"--ragassert-record-mode={mode}")
    told = result.stdout.str()
    assert "the reply of " in told
    assert "verdicts verify" in told
    assert result.parseoutcomes() == ({"failed": 2} if mode == "none" else {"passed": 2})


@pytest.mark.parametrize("judged", [(), ("--ragassert-model=m",)], ids=["auto", "named"])
@pytest.mark.parametrize("damage", ["<<<<<<< HEAD\n", "{\n"], ids=["conflict", "garbage"])
def test_damage_is_told_at_the_start(
    project: Project, judge: LoopbackJudge, damage: str, judged: tuple[str, ...]
) -> None:
    path = recorded(project, judge)
    path.write_text(damage + path.read_text(encoding="utf-8"), encoding="utf-8")
    result = project.run("--ragassert-record-mode=none", *judged)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "verdicts.jsonl, line 1" in result.stderr.str()
    if damage.startswith("<"):
        assert "keep the lines of both sides" in result.stderr.str()


def test_where_nothing_was_answered_no_file_is_said_to_be_written(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    judge.on(lambda _: {"status": 403, "body": {"error": {"message": "not allowed"}}})
    result = project.run(UPDATE, "--ragassert-verdicts=verdicts.jsonl")
    assert not (project.path / "verdicts.jsonl").exists()
    assert verdicts_line(result).endswith(
        "(verdicts.jsonl, not created, because there is nothing to write)"
    )


def test_what_is_no_file_is_a_usage_error_for_the_offline_judge_too(project: Project) -> None:
    project.test(PASSING)
    os.mkfifo(project.path / "pipe")
    result = project.run("--ragassert-judge=offline", "--ragassert-verdicts=pipe")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "named pipe" in result.stderr.str()
