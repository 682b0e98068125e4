"""Judgements in whole runs: the same are asked for, each once, whatever asks and in which order."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

from .forked_runs import wait_until
from .projects import Project, new_project, section

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

# Notes each judgement that it is asked for, and says one thing of each item.
NOTING = """
import json, os

class Noting:
    id = "noting"

    def run(self, step, input):
        if step.name == "extract_claims":
            texts = {one["id"]: one["text"] for one in input["sentences"]}
            wanted = input.get("only", list(texts))
            judged = [[input["question"], texts.get(n - 2), texts.get(n - 1), texts[n]]
                for n in wanted]
            reply = {"claims": [{"sentence": n, "text": texts[n]} for n in wanted]}
        elif step.name == "judge_passages":
            judged = [[input["question"], input["reference"], p["text"]] for p in input["passages"]]
            reply = {"passages": [
                {"id": p["id"], "relevant": "Boat" in p["text"]} for p in input["passages"]
            ]}
        else:
            # its verdict rests on the set of passages, whatever their order
            texts = sorted({p["text"] for p in input["passages"]})
            judged = [[one["text"], texts] for one in input["claims"]]
            places = {p["text"]: p["id"] for p in input["passages"]}
            reply = {"verdicts": [
                {
                    "id": one["id"],
                    "verdict": "FULLY_SUPPORTED",
                    "evidence": [{"passage": places[texts[0]], "quote": texts[0]}],
                }
                for one in input["claims"]
            ]}
        with open("calls.txt", "a") as log:
            log.write(".")
        with open("judged.jsonl", "a") as log:
            log.write("".join(json.dumps(one) + "\\n" for one in judged))
        return json.dumps(reply)

def pytest_ragassert_make_judge(config, name):
    return Noting() if name == "noting" else None

def pytest_collection_modifyitems(items):
    if os.environ.get("BACKWARDS"):
        items.reverse()
"""
SENTENCES = [f"Boat {n} runs." for n in range(5)]
# Texts that have sentences in common: a beginning, a middle, all, repeated ones.
TEXTS = [
    [0, 1, 2, 3],
    [0, 1, 2],
    [0, 1, 4, 3],
    [4, 0, 1, 2, 3],
    [0, 1, 2, 3],
    [0, 0, 0, 0],
    [1, 2, 3],
]
# Passages that come in any order, and some of them twice or blank.
PASSAGES = ["Boats run.", "A Boat may wait.", "Nobody knows."]
CONTEXTS = [[0, 1, 2], [2, 1, 0], [0, 1], [1, 0, 1], [2, 0, 1, 0], [0], [1, 2, 0]]
SHARING = """
import pytest
from pytest_ragassert import assert_context_precision, assert_factual_f1, assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_faithful(rag_case):
    assert_faithful(rag_case)

@pytest.mark.rag_cases("cases.jsonl")
def test_f1(rag_case):
    assert_factual_f1(rag_case)

@pytest.mark.rag_cases("cases.jsonl")
def test_precision(rag_case):
    assert_context_precision(rag_case, min=0)
"""


def test_the_same_are_asked_for_in_any_order_and_from_any_number_of_workers(
    project: Project,
) -> None:
    project.test(SHARING)
    project.pytester.makeconftest(NOTING)
    texts = [" ".join(SENTENCES[n] for n in numbers) for numbers in TEXTS]
    cases = [
        {
            "id": f"c{n}",
            "question": "What runs?",
            "answer": text,
            "ground_truth_answer": texts[n - 1],
            "retrieved_contexts": [PASSAGES[place] for place in CONTEXTS[n]] + [" "] * (n % 2),
        }
        for n, text in enumerate(texts)
    ]
    Path(project.path, "cases.jsonl").write_text("".join(json.dumps(c) + "\n" for c in cases))
    log, calls = Path(project.path, "judged.jsonl"), Path(project.path, "calls.txt")
    ways: dict[str, tuple[str, ...]] = {
        "serial": ("--ragassert-prefetch=off",),
        "ahead": (),
        "backwards": ("--ragassert-prefetch=off",),
        "workers": ("-n", "4"),
    }
    found = []
    for name, args in ways.items():
        log.write_text("")
        calls.write_text("")
        project.set(BACKWARDS="1" if name == "backwards" else "")
        result = project.run(
            "--ragassert-judge=noting",
            f"--ragassert-cache-dir={name}",
            f"--ragassert-verdicts={name}.jsonl",
            "--ragassert-update-verdicts",
            *args,
        )
        result.assert_outcomes(passed=3 * len(TEXTS), warnings=None)
        asked = sorted(log.read_text().splitlines())
        (line,) = [line for line in section(result) if line.startswith("judgements: ")]
        counts, _, requests = line.partition(" (")
        assert counts == f"judgements: {len(asked)} asked, 0 stored, 0 carried"
        # each is told once, though questions share them
        assert requests == f"{len(calls.read_text())} requests)"
        found.append((asked, Path(project.path, f"{name}.jsonl").read_bytes(), counts))
    assert len(set(found[0][0])) == len(found[0][0]), "one was asked for twice"
    assert found == [found[0]] * len(ways)


# Each has two sentences with the other in common, and one of its own.
TWO = """
import os, pathlib
import pytest
from ferry import case
from pytest_ragassert import assert_faithful

def asks(name, answer):
    pathlib.Path(f"pid-{name}").write_text(str(os.getpid()))
    assert_faithful(case(name, "The ferry runs. It is new. " + answer), min=0)

@pytest.mark.xdist_group("one")
def test_one(): asks("one", "It is red.")

@pytest.mark.xdist_group("two")
def test_two(): asks("two", "It is blue.")
"""


def wanted(judge: LoopbackJudge) -> list[list[str]]:
    """The sentences that each request asked for."""
    return [
        [one["text"] for one in data["sentences"] if one["id"] in data.get("only", [one["id"]])]
        for data in (one.data for one in judge.requests if one.step == "extract_claims")
    ]


@pytest.mark.parametrize("dies", [False, True], ids=["that answers", "that is killed"])
def test_what_another_process_is_at_is_waited_for(
    project: Project, judge: LoopbackJudge, dies: bool
) -> None:
    if dies and sys.platform == "win32":
        pytest.skip("signals of POSIX")
    project.test(TWO)
    project.judged_by(judge)
    pids = {name: project.path / f"pid-{name}" for name in ("one", "two")}
    killed: list[str] = []

    def hold(recorded: Recorded) -> dict[str, Any] | None:
        if recorded.step != "extract_claims" or len(judge.requests) > 1:
            return None
        # by now both want the first sentences: one is at them, which a lock keeps the other from
        wait_until(lambda: all(path.exists() and path.read_text() for path in pids.values()))
        if not dies:
            return {"latency": 0.3}
        killed.append("one" if "red" in str(recorded.data) else "two")
        os.kill(int(pids[killed[0]].read_text()), signal.SIGKILL)
        return {"hang": 5}

    judge.on(hold)
    result = project.run("-n", "2", "--dist=loadgroup", "--max-worker-restart=1")
    first, *others = wanted(judge)
    assert len(first) == 3
    own = ({"It is red.", "It is blue."} - set(first)).pop()
    if dies:
        # what was in flight is asked for by the one that waited, with its own
        assert others[0] == [*first[:2], own]
        assert result.parseoutcomes()["failed"] == 1
    else:
        assert others == [[own]]
        result.assert_outcomes(passed=2)
