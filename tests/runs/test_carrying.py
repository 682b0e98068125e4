"""Verdicts carried over in whole runs: committed, replayed, and the same whatever asks first."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.storage.open_store import open_store
from tests import passage_judge

from .projects import Project, new_project, section

pytest.importorskip("xdist")

project = pytest.fixture(new_project)

CONFTEST = f"""
{Path(passage_judge.__file__).read_text(encoding="utf-8")}
import os

class Noting(PassageJudge):
    def note(self, claim, passages):
        with open("judged.jsonl", "a") as log:
            log.write(json.dumps([claim, sorted(passages)]) + "\\n")

def pytest_ragassert_make_judge(config, name):
    return Noting() if name == "noting" else None

def pytest_collection_modifyitems(items):
    if os.environ.get("BACKWARDS"):
        items.reverse()
"""
TESTS = """
import pytest
from pytest_ragassert import assert_evidence, assert_faithful

@pytest.mark.rag_cases("cases.jsonl")
def test_faithful(rag_case):
    assert_faithful(rag_case, min=0)

@pytest.mark.rag_cases("cases.jsonl")
def test_evidence(rag_case):
    assert_evidence(rag_case, min=0)
"""
LAMP, BOAT = "The lamp costs 5 coins.", "The boat costs 9 coins."
DEAR_LAMP, RED_BOAT = "The lamp costs 7 coins.", "The boat costs 9 coins and is red."
FILLERS = [f"Shop number {n} sells hats and nothing else, all year round." for n in range(6)]
ANSWERS = [
    f"{LAMP} {BOAT}",
    f"{LAMP} {RED_BOAT}",
    f"{BOAT} {DEAR_LAMP}",
    RED_BOAT,
    f"{LAMP} {BOAT} {RED_BOAT} {DEAR_LAMP}",
]
BEFORE = [
    [LAMP, BOAT, *FILLERS[:3]],
    [LAMP, *FILLERS[1:4]],
    [BOAT, FILLERS[0]],
    [RED_BOAT, BOAT, FILLERS[2]],
    [*FILLERS[:4]],
]
# Fewer, more, others, in another order, and one that is new to several.
AFTER = [
    [FILLERS[1], BOAT, LAMP],
    [*FILLERS[1:4], LAMP, FILLERS[5], DEAR_LAMP],
    [BOAT, FILLERS[0], LAMP],
    [RED_BOAT, FILLERS[4], FILLERS[5]],
    [*FILLERS[:4], FILLERS[5], LAMP],
]
WAYS: dict[str, tuple[str, ...]] = {
    "serial": ("--ragassert-prefetch=off",),
    "ahead": (),
    "backwards": ("--ragassert-prefetch=off",),
    "workers": ("-n", "4"),
}


@pytest.fixture
def shop(project: Project) -> Project:
    project.test(TESTS)
    project.pytester.makeconftest(CONFTEST)
    return project


def retrieves(project: Project, passages: list[list[str]]) -> None:
    cases = [
        {"id": f"c{n}", "question": "How much?", "answer": answer, "retrieved_contexts": own}
        for n, (answer, own) in enumerate(zip(ANSWERS, passages, strict=True))
    ]
    text = "".join(json.dumps(one) + "\n" for one in cases)
    Path(project.path, "cases.jsonl").write_text(text, encoding="utf-8")


def run(project: Project, *args: str, verdicts: str = "verdicts.jsonl") -> Any:
    return project.run("--ragassert-judge=noting", f"--ragassert-verdicts={verdicts}", *args)


def judged(project: Project) -> list[str]:
    """What the judge was asked for since the last call."""
    log = Path(project.path, "judged.jsonl")
    found = sorted(log.read_text().splitlines()) if log.exists() else []
    log.write_text("")
    return found


def counts(result: Any) -> str:
    """What the summary says of judgements; how many requests depends on what is in flight."""
    (line,) = [line for line in section(result) if line.startswith("judgements: ")]
    return str(line.partition(" (")[0])


def lines(project: Project, name: str = "verdicts.jsonl") -> dict[str, Any]:
    """The committed lines on claims, by key."""
    text = Path(project.path, name).read_text(encoding="utf-8")
    found = map(json.loads, text.splitlines())
    return {one["key"]: one for one in found if one["step"] == "verify_claims"}


def test_the_same_is_asked_for_and_committed_whatever_asks_first(shop: Project) -> None:
    retrieves(shop, BEFORE)
    run(shop, "--ragassert-cache-dir=store", "--ragassert-update-verdicts").assert_outcomes(
        passed=2 * len(ANSWERS)
    )
    assert len(judged(shop)) > 0
    before = lines(shop)
    retrieves(shop, AFTER)
    found = []
    for name, args in WAYS.items():
        shutil.copytree(shop.path / "store", shop.path / name)
        shutil.copy(shop.path / "verdicts.jsonl", shop.path / f"{name}.jsonl")
        shop.set(BACKWARDS="1" if name == "backwards" else "")
        result = run(
            shop,
            f"--ragassert-cache-dir={name}",
            "--ragassert-update-verdicts",
            *args,
            verdicts=f"{name}.jsonl",
        )
        result.assert_outcomes(passed=2 * len(ANSWERS))
        found.append((judged(shop), Path(shop.path, f"{name}.jsonl").read_bytes(), counts(result)))
    asked, _, counted = found[0]
    assert len(set(asked)) == len(asked) > 0, "one was asked for twice"
    assert found == [found[0]] * len(WAYS)
    after = lines(shop, "serial.jsonl")
    carried = [one for key, one in after.items() if key not in before and "from" in one]
    assert len(carried) > 4
    assert counted.startswith(f"judgements: {len(asked)} asked, ")
    assert counted.endswith(f", {len(carried)} carried")
    # each rests on what was asked for before
    assert all(one["from"] in before and "from" not in before[one["from"]] for one in carried)


def test_another_machine_needs_the_committed_lines_alone(shop: Project) -> None:
    retrieves(shop, BEFORE)
    run(shop, "--ragassert-update-verdicts")
    retrieves(shop, AFTER)
    live = run(shop, "--ragassert-update-verdicts")
    judged(shop)
    written = Path(shop.path, "verdicts.jsonl").read_bytes()
    shutil.rmtree(shop.path / ".ragassert")
    (*_, carried, _) = counts(live).split()
    assert int(carried) > 4
    shop.set(CI="1")
    replay = run(shop)
    replay.assert_outcomes(passed=2 * len(ANSWERS))
    assert counts(replay).startswith("judgements: 0 asked, ")
    assert counts(replay).split()[-2:] == [carried, "carried"]
    assert judged(shop) == []
    assert Path(shop.path, "verdicts.jsonl").read_bytes() == written
    exact = run(shop, "--ragassert-reuse=exact")
    assert counts(exact).endswith(" 0 carried")
    assert any("not judged in" in line for line in exact.outlines)


def test_a_replay_carries_what_it_can_and_misses_the_rest(shop: Project) -> None:
    retrieves(shop, BEFORE)
    run(shop, "--ragassert-update-verdicts")
    judged(shop)
    written = Path(shop.path, "verdicts.jsonl").read_bytes()
    shop.set(CI="1")
    retrieves(shop, [one[::-1] for one in BEFORE[:3]] + [[RED_BOAT, BOAT], FILLERS[1:4]])
    told = []
    for workers in ((), ("-n", "2")):
        result = run(shop, *workers)
        result.assert_outcomes(passed=2 * len(ANSWERS))
        told.append(counts(result))
    assert told[0].startswith("judgements: 0 asked, ")
    assert not told[0].endswith(" 0 carried")
    assert told == [told[0]] * 2
    # of the last case nothing is known
    retrieves(shop, [*BEFORE[:4], [DEAR_LAMP]])
    result = run(shop)
    missing = "the passages changed in 1 of 5 cases; 7 of 11 claims known, 4 not judged in 1 case"
    assert missing in result.outlines
    assert judged(shop) == []
    assert Path(shop.path, "verdicts.jsonl").read_bytes() == written


def test_a_replay_that_updates_the_committed_lines_writes_what_it_carried(shop: Project) -> None:
    retrieves(shop, BEFORE)
    run(shop, "--ragassert-update-verdicts")
    before = lines(shop)
    retrieves(shop, [own[:2] for own in BEFORE])
    args = ("--ragassert-record-mode=none", "--ragassert-update-verdicts")
    run(shop, *args).assert_outcomes(passed=2 * len(ANSWERS))
    written = lines(shop)
    new = [written[key] for key in written.keys() - before.keys()]
    assert new
    assert all("from" in one for one in new)
    # as a run that may ask writes them
    live = shop.path / "live.jsonl"
    live.write_text("".join(json.dumps(one) + "\n" for one in before.values()))
    shutil.rmtree(shop.path / ".ragassert")
    run(shop, "--ragassert-update-verdicts", verdicts="live.jsonl")
    assert {key: one for key, one in lines(shop, "live.jsonl").items() if "from" in one} == {
        one["key"]: one for one in new
    }


def test_a_source_stays_committed_as_long_as_what_was_carried_over_from_it(shop: Project) -> None:
    retrieves(shop, BEFORE)
    run(shop, "--ragassert-update-verdicts")
    before = lines(shop)
    retrieves(shop, [own[:2] for own in BEFORE])
    for _ in range(2):
        run(shop, "--ragassert-update-verdicts=prune")
        after = lines(shop)
        sources = {one["from"] for one in after.values() if "from" in one}
        assert sources
        assert sources <= after.keys() & before.keys()
    retrieves(shop, [[LAMP, BOAT]] * len(ANSWERS))
    run(shop, "--ragassert-update-verdicts=prune")
    assert not before.keys() <= lines(shop).keys()


def override(project: Project, claim: str, passages: list[str]) -> None:
    line = {
        "key": claim_id(claim, passages),
        "step": "override",
        "judge": "by hand",
        "about": claim,
        "reply": {"verdict": "NO_EVIDENCE", "reason": "a lamp of another shop"},
    }
    with open(project.path / "verdicts.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def test_a_persons_verdict_on_a_claim_voids_what_was_carried(shop: Project) -> None:
    retrieves(shop, BEFORE)
    run(shop, "--ragassert-update-verdicts")
    retrieves(shop, [own[:2] for own in BEFORE])
    run(shop, "--ragassert-update-verdicts")
    judged(shop)
    lamp = LAMP.rstrip(".")
    # on other passages than any that it is held against
    override(shop, lamp, [DEAR_LAMP])
    run(shop, "--ragassert-update-verdicts")
    asked = {tuple(json.loads(one)[1]) for one in judged(shop)}
    assert asked == {tuple(sorted(own[:2])) for own in (BEFORE[0], BEFORE[1], BEFORE[4])}
    of_lamp = [one for one in lines(shop).values() if one["about"] == lamp]
    assert len(of_lamp) > 3
    assert not any("from" in one for one in of_lamp)
    assert run(shop).ret == 0
    assert judged(shop) == []


def test_reports_mark_what_was_carried(shop: Project) -> None:
    shop.test(TESTS.replace("min=0", "min=1"))
    retrieves(shop, BEFORE)
    run(shop)
    retrieves(shop, [own[:2] for own in BEFORE])
    result = run(shop, "-v", "--ragassert-artifacts=out")
    marked = [line for line in result.outlines if "carried over" in line]
    assert any(line.rstrip().endswith("no evidence, carried over") for line in marked)
    assert any(line.rstrip().endswith("supported, carried over") for line in marked)
    (file,) = (shop.path / "out").glob("results_*.json")
    claims = [c for row in json.loads(file.read_text())["results"] for c in row["claims"]]
    keys = {claim["carried"] for claim in claims}
    assert None in keys
    assert len(keys) > 3
    debug = (shop.path / "out" / "debug_claims.jsonl").read_text().splitlines()
    assert {json.loads(line)["carried"] for line in debug} == keys


def test_what_was_carried_cannot_be_asked_for_in_a_run_that_asks_nothing(shop: Project) -> None:
    retrieves(shop, BEFORE)
    result = run(shop, "--ragassert-refresh=carried", "--ragassert-record-mode=none")
    result.stderr.fnmatch_lines(
        [
            "ERROR: --ragassert-refresh=carried asks the judge, which record-mode none forbids: "
            "remove the option, or*"
        ]
    )
    result = run(shop, "--ragassert-refresh=carried", "--ragassert-reuse=exact")
    result.stdout.fnmatch_lines(["ragassert: judge noting*; reuse exact; refresh carried*"])


# No passage that is new has anything to say.
FILLED_UP = [
    [FILLERS[4], *BEFORE[0]],
    BEFORE[1][::-1],
    [BOAT],
    [*BEFORE[3], FILLERS[5]],
    [*BEFORE[4], FILLERS[5]],
]


def test_a_plan_counts_what_is_carried(shop: Project) -> None:
    retrieves(shop, BEFORE)
    run(shop)
    shutil.copytree(shop.path / ".ragassert", shop.path / "before")
    retrieves(shop, FILLED_UP)

    def planned(*args: str) -> str:
        plan = section(run(shop, "--ragassert-plan", *args), "ragassert plan")
        (line,) = [line for line in plan if line.startswith("judgements: ")]
        return line.replace(" to ask", " asked").partition(" (")[0].partition(";")[0]

    plan = planned()
    assert planned() == plan
    assert " 0 carried" not in plan
    judged(shop)
    # it left no trace
    first = counts(run(shop))
    assert plan == first
    assert judged(shop) != []
    again = counts(
        run(shop, "--ragassert-cache-dir=before", "--ragassert-record-mode=new_episodes")
    )
    assert again == first
    # where what is new says something all is asked
    retrieves(shop, AFTER)
    plan, ran = planned(), counts(run(shop))
    assert int(plan.split()[1]) < int(ran.split()[1])
    exact = planned("--ragassert-reuse=exact", "--ragassert-cache-dir=before")
    assert exact.endswith(" 0 carried")


def test_a_plan_counts_what_would_be_carried_and_changes_nothing(shop: Project) -> None:
    retrieves(shop, BEFORE)
    run(shop)
    judged(shop)
    # a passage that says nothing of any claim, and one less
    retrieves(shop, [[*own[:-1], FILLERS[5]] for own in BEFORE])
    with open_store(shop.path / ".ragassert") as store:
        before = store.keys()
    planned = run(shop, "--ragassert-plan")
    with open_store(shop.path / ".ragassert") as store:
        assert store.keys() == before
    (line,) = [one for one in planned.outlines if one.startswith("judgements: ")]
    to_ask, stored, carried = (part.split()[0] for part in line.split(": ")[1].split(", ")[:3])
    assert counts(run(shop)) == f"judgements: {to_ask} asked, {stored} stored, {carried} carried"
    assert len(judged(shop)) == int(to_ask) > 0
    assert int(carried) > 2
