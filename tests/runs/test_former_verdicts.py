"""Committed verdicts of an earlier version in runs: used, and written anew without asking."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.keys import Question
from tests.loopback.server import LoopbackJudge

from .projects import PASSING, Project, new_project
from .test_committed import UPDATE, recorded, verdicts_line

project = pytest.fixture(new_project)

CONTEXTS = ["Dogs are not allowed on board.", "The ferry runs every 40 minutes."]
SOURCE = f"import ferry\nferry.CONTEXTS[:] = {CONTEXTS!r}\n{PASSING}"
GOOD = "The ferry runs every 40 minutes."
CLAIMS = [[GOOD], ["Dogs are not allowed on board.", GOOD]]
OPENAI = {"temperature": 0.0, "top_p": None, "seed": None, "max_tokens": None}
OF_FORMER = "verdicts: 5 used (2 of an earlier version), 0 new, 0 unused (verdicts.jsonl"


def made_former(file: Path, judge: LoopbackJudge) -> None:
    """Write the verdicts as an earlier version did: all claims of a text on one line."""
    there = {line.key: line for line in open_verdicts(file).lines()}
    former = []
    for texts in CLAIMS:
        passages = [{"id": n, "text": text} for n, text in enumerate(CONTEXTS, start=1)]
        claims = [{"id": n, "text": text} for n, text in enumerate(texts, start=1)]
        whole = Question(
            STEPS["verify_claims"],
            {"passages": passages, "claims": claims},
            f"openai {judge.base_url}",
            "gpt-4o-mini",
            OPENAI,
        )
        reply = whole.assembled({key: there[key].reply for key in whole.keys})
        by = there[whole.keys[0]].judge
        former.append(VerdictLine(whole.key, "verify_claims", by, whole.about, reply))
    extracted = [
        VerdictLine(line.key, line.step, line.judge, line.about, line.reply)
        for line in there.values()
        if line.step == "extract_claims"
    ]
    write_verdicts(file, [*former, *extracted])


@pytest.mark.parametrize("mode", ["none", "new_episodes"])
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serially", "in parallel"])
def test_an_update_writes_them_by_judgement(
    project: Project, judge: LoopbackJudge, mode: str, workers: tuple[str, ...]
) -> None:
    file = recorded(project, judge, SOURCE)
    by_judgement = file.read_bytes()
    made_former(file, judge)
    former = file.read_bytes()
    project.set(OPENAI_BASE_URL=judge.base_url, OPENAI_API_KEY="sk-unused")

    def told(*args: str) -> str:
        result = project.run(f"--ragassert-record-mode={mode}", *args, *workers)
        assert result.parseoutcomes()["passed"] == 2
        return verdicts_line(result)

    hint = "; --ragassert-update-verdicts rewrites those of an earlier version)"
    assert told() == OF_FORMER + hint
    assert file.read_bytes() == former
    assert told(UPDATE) == f"{OF_FORMER}, written)"
    assert file.read_bytes() == by_judgement
    assert judge.count() == 0
    assert told() == "verdicts: 5 used, 0 new, 0 unused (verdicts.jsonl)"


def test_what_a_run_did_not_use_stays_as_it_was(project: Project, judge: LoopbackJudge) -> None:
    file = recorded(project, judge, SOURCE)
    made_former(file, judge)
    before = {line.key: line for line in open_verdicts(file).lines()}
    project.run("--ragassert-record-mode=none", UPDATE, "-k", "times")
    after = {line.key: line for line in open_verdicts(file).lines()}
    unused = [key for key, line in before.items() if line.about.startswith("Dogs")]
    assert len(unused) == 2
    assert all(after[key] == before[key] for key in unused)
    # one question became its one judgement
    assert len(after) == len(before) == 5
    assert sum(bool(line.asked) for line in after.values()) == 2
