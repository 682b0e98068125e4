"""A small soak: a judge that fails at times, and a worker that is killed among prepared cases."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.benchmarks.soak import soak
from tests.loopback.failing import KINDS, FailingJudge
from tests.loopback.scripts import Recorded

pytest.importorskip("xdist")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_nothing_is_lost_but_the_killed_workers_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forked_python: str
) -> None:
    # the judge, the runs and their workers need not import all again
    monkeypatch.setattr(sys, "executable", forked_python)
    found = soak(tmp_path, cases=120, workers=2)
    assert found.problems == []


def test_the_judge_fails_the_same_way_each_time() -> None:
    def failures(seed: int) -> list[str | None]:
        judge = FailingJudge(0.2, seed=seed)
        asked = [
            Recorded(
                "extract_claims",
                {},
                {},
                {"question": None, "sentences": [{"id": 1, "text": f"{n}"}]},
                0.0,
            )
            for n in range(400)
            for _ in range(2)
        ]
        for recorded in asked:
            judge._rule(recorded)
        return [kind for _, _, kind, _ in judge._log]

    drawn = failures(1)
    assert drawn == failures(1)
    assert drawn != failures(2)
    assert set(drawn) == {None, *KINDS}
    assert 0.15 < sum(kind is not None for kind in drawn) / len(drawn) < 0.25
    # asking again is another draw
    assert drawn[::2] != drawn[1::2]
