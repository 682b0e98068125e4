"""The example with an index that was not rebuilt, replayed without a key from this season's
verdicts: what a reader of a CI log gets to know."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest

from .test_example import CITED, EXAMPLE, Run, checked_out, outcomes, run

MOST_LINES = 60
SHORT_SUMMARY = "= short test summary info ="
CHANGES = {
    "the answer changed": (True, False),
    "the passages changed": (False, True),
    "the answer and the passages changed": (True, True),
}


@pytest.fixture(scope="module", params=[(), ("-p", "xdist", "-n", "2")], ids=["serial", "workers"])
def stale(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, forked_python: str
) -> Run:
    folder = checked_out(tmp_path_factory.mktemp("checkout"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", forked_python)
        # what needs no verdict fails as ever
        judged = ("-k", "not right_passage", "-o", "ferry_index=last_season")
        return run(folder, EXAMPLE.name, *judged, *request.param, CI="true")


@pytest.fixture(scope="module")
def changed() -> Iterator[dict[str, tuple[bool, bool]]]:
    """Of each case, whether the stale index changes its answer, and its passages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLE)
        read_notices = import_module("rag.corpus").read_notices
        ferry_of = import_module("rag.application").Ferry
        new = ferry_of(read_notices(EXAMPLE / "corpus"))
        old = ferry_of(read_notices(EXAMPLE / "corpus", EXAMPLE / "archive"))
        found = {}
        cases = list(map(json.loads, (EXAMPLE / "cases.jsonl").read_text("utf-8").splitlines()))
        for case in [*cases, *({"id": question, "question": question} for question in CITED)]:
            now, then = (ferry.ask(case["question"]) for ferry in (new, old))
            moved = sorted(now.contexts) != sorted(then.contexts)
            found[case["id"]] = (now.answer != then.answer, moved)
        yield found
        new.close()
        old.close()


def section(run: Run) -> str:
    return run.stdout.partition("= ragassert: no stored verdict =")[2].partition("\n===")[0]


def test_it_fails_in_few_lines_and_without_a_traceback(stale: Run) -> None:
    assert stale.returncode == 1, stale.stdout + stale.stderr
    assert set(outcomes(stale)) == {"failed", "passed"}
    assert "Traceback" not in stale.stdout + stale.stderr
    assert "= FAILURES =" not in stale.stdout
    above, mark, below = stale.stdout.partition(SHORT_SUMMARY)
    assert mark
    assert len(above.splitlines()) <= MOST_LINES
    # the summary has a line for each failed test, and the last line
    assert len(below.splitlines()) == outcomes(stale)["failed"] + 2


def test_it_says_how_many_cases_changed_and_what_is_known_of_them(
    stale: Run, changed: dict[str, tuple[bool, bool]]
) -> None:
    counted = re.search(
        r"the answer changed in (\d+) of (\d+) cases, the passages in (\d+); "
        r"(\d+) of (\d+) claims known, (\d+) not judged in (\d+) cases",
        " ".join(section(stale).split()),
    )
    assert counted is not None, stale.stdout
    answers, _, passages, known, claims, unjudged, cases = map(int, counted.groups())
    assert answers == sum(answer for answer, _ in changed.values())
    # those of which verdicts tell it: a case without a claim tells nothing of its passages
    assert 0 < passages <= sum(others for _, others in changed.values())
    assert known + unjudged == claims
    assert 0 < known < claims
    assert cases <= outcomes(stale)["failed"]


def test_it_names_ten_of_them_and_says_what_changed(
    stale: Run, changed: dict[str, tuple[bool, bool]]
) -> None:
    named = re.findall(r"^  ([\w-]+): .+ \((.+)\)$", section(stale), re.M)
    assert len(named) == 10
    for case, what in named:
        answer, passages = CHANGES[what]
        assert not answer or changed[case][0], case
        assert not passages or changed[case][1], case
    assert re.search(r"^  … \d+ more \(-v shows all\)$", section(stale), re.M)


def test_it_says_what_to_run(stale: Run) -> None:
    (command,) = re.findall(r"^record them with: (pytest .+)$", section(stale), re.M)
    assert "-o ferry_index=last_season" in command
    assert "--ragassert-update-verdicts" in command
