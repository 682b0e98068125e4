"""What must hold of a run whose judge failed at times, and one of whose workers was killed."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from pytest_ragassert.runtime.environment import RUN_FOLDER_PREFIX
from pytest_ragassert.storage.keys import PASSAGE_SUFFIX, QUESTION_SUFFIX
from pytest_ragassert.storage.open_store import open_store
from tests.loopback.failing import Logged

JUNIT = "outcomes.xml"
# A killed process may have got a reply that it had not stored yet.
_UNSTORED_SECONDS = 2.0
# A worker knows all tests of a run, and keeps its reports and what it prepared: about 50 kB a test.
_MOST_MEGABYTES = 400.0
_MOST_GROWTH = 100.0  # kB a test that it ran, once it is at work
# Rows that hold what answers are about.
_NO_ANSWER = (QUESTION_SUFFIX, PASSAGE_SUFFIX)
# What is in the store's folder when nobody is at it.
_DATABASE = {"cache.db", "cache.db-wal", "cache.db-shm"}
_BESIDE = {"claims.db", "flight.lock", "served.json", "last-run.jsonl"}
_STORE = _DATABASE | _BESIDE | {".gitignore", "CACHEDIR.TAG"}


class Checks:
    """
    Args:
        folder: the project's, with its store in `store`.
        log: what the judge was asked in the first run.
        killed: when a worker was killed, in seconds since 1970.
        limit: requests in flight.

    Attributes:
        lines: what to tell.
        problems: what did not hold.
    """

    def __init__(
        self, folder: Path, cases: int, log: Sequence[Logged], killed: float, limit: int
    ) -> None:
        self.lines: list[str] = []
        self.problems: list[str] = []
        self._folder, self._cases, self._killed, self._limit = folder, cases, killed, limit
        self._log = log
        self._of_question: defaultdict[str, list[Logged]] = defaultdict(list)
        for logged in sorted(log, key=lambda one: one.at):
            self._of_question[logged.question].append(logged)
        self._answered = {logged.question for logged in log if logged.answered}
        # a reply that could not be used is asked for again, once
        self._failed = {
            question
            for question, of in self._of_question.items()
            if sum(one.kind == "malformed" for one in of) > 1 and question not in self._answered
        }
        self._lost = {
            one.question
            for one in log
            if one.answered and self._killed - _UNSTORED_SECONDS <= one.ended <= self._killed + 0.5
        }

    def outcomes(self, output: str) -> None:
        """Every test has one; failed are those without an answer, and that of the killed worker."""
        ends: defaultdict[str, list[str]] = defaultdict(list)
        for case in ET.parse(self._folder / JUNIT).iter("testcase"):
            found = [part.get("message", "") for part in case if part.tag in ("failure", "error")]
            ends[case.get("name", "")].append(found[0] if found else "")
        crashed = [name for name, told in ends.items() if any("crashed" in one for one in told)]
        bad = [one for told in ends.values() for one in told if one and "crashed" not in one]
        self._expect(
            len(ends) == self._cases, f"{len(ends)} tests of {self._cases} have an outcome"
        )
        self._expect(len(crashed) <= 1, f"{len(crashed)} tests are failed by a killed worker")
        unexplained = [told for told in bad if "asked twice" not in told]
        self._expect(not unexplained, f"tests failed otherwise: {unexplained[:3]}")
        self._expect(
            len(bad) <= len(self._failed), f"{len(bad)} failed of {len(self._failed)} questions"
        )
        for word in ("INTERNALERROR", "Traceback", "never awaited"):
            self._expect(word not in output, f"the run printed {word}: {output[-2000:]}")
        self.lines.append(
            f"tests: {len(ends)}; failed with their question {len(bad)}, by the kill {len(crashed)}"
        )

    def asked(self) -> None:
        """A question is asked again after a failure, or where the killed worker was at it."""
        twice = {
            question
            for question, of in self._of_question.items()
            if sum(one.answered for one in of) > 1
        }
        self._expect(
            twice <= self._lost, f"{len(twice - self._lost)} answered questions asked again"
        )
        self._expect(
            len(twice) <= self._limit, f"{len(twice)} questions repeated for one killed worker"
        )
        cut_off = [one for one in self._log if self._is_cut_off(one)]
        self._expect(
            len(cut_off) <= self._limit, f"{len(cut_off)} requests were left by their sender"
        )
        failures = sum(one.kind is not None and one.kind != "slow" for one in self._log)
        expected = len(self._of_question) - len(self._failed) + failures + len(cut_off) + len(twice)
        self._expect(
            len(self._log) <= expected, f"{len(self._log)} requests, where {expected} explain all"
        )
        self.lines.append(
            f"questions: {len(self._of_question)}; requests: {len(self._log)}, of which failed "
            f"{failures}, cut off {len(cut_off)}; asked again for the kill: {len(twice)}"
        )

    def in_flight(self) -> None:
        """Never more than the limit; what a killed worker had in flight ends with it."""
        steps = []
        for one in self._log:
            ended = min(one.ended, self._killed) if self._is_cut_off(one) else one.ended
            # what ends in the same moment is over before another begins
            steps += [(one.at, 1), (max(ended, one.at), -1)]
        most = now = 0
        for _, change in sorted(steps):
            now += change
            most = max(most, now)
        self._expect(most <= self._limit, f"{most} in flight, limit {self._limit}")
        self.lines.append(f"most in flight: {most} of {self._limit}")

    def memory(self) -> None:
        """Of each worker that came to its end."""
        told = [path.read_text().split() for path in self._folder.glob("memory-*")]
        peak = max(int(peak) for peak, _, _ in told) / 1024
        growth = max(int(growth) / int(tests) for _, growth, tests in told)
        self._expect(peak <= _MOST_MEGABYTES, f"a worker took {peak:.0f} MB")
        if self._cases >= 1_000:
            # fewer show what is loaded late
            self._expect(growth <= _MOST_GROWTH, f"a worker grew by {growth:.0f} kB a test")
        self.lines.append(f"workers: at most {peak:.0f} MB, growing by {growth:.1f} kB a test")

    def left_behind(self, temporary: Path) -> None:
        """No process of the run, nothing in its folder for temporary files, no drafts."""
        pids = [int(path.read_text()) for path in self._folder.glob("worker-*")]
        alive = [pid for pid in pids if _is_alive(pid)]
        self._expect(not alive, f"processes of the run are left: {alive}")
        # pytest's own folder stays there
        left = [path.name for path in temporary.glob(f"{RUN_FOLDER_PREFIX}*")]
        self._expect(not left, f"left in TMPDIR: {left}")
        more = {path.name for path in (self._folder / "store").iterdir() if path.is_file()} - _STORE
        self._expect(not more, f"left in the store: {sorted(more)}")

    def stored(self) -> None:
        """Each judgement is in the store, but for what a killed worker had just got."""
        given = {judgement for one in self._log if one.answered for judgement in one.judgements}
        with open_store(self._folder / "store") as store:
            kept = sum(not row.key.endswith(_NO_ANSWER) for row in store.rows())
        self._expect(kept == len(given), f"{kept} judgements stored, {len(given)} given")
        self.lines.append(f"stored: {kept} judgements of {len(given)}")

    def again(self, log: Sequence[Logged]) -> None:
        """A second run asks only what has no answer yet."""
        known = {one.question for one in log} & self._answered
        self._expect(not known, f"{len(known)} answered questions were asked by the second run")
        self.lines.append(f"again: {len({one.question for one in log})} questions asked")

    def _is_cut_off(self, one: Logged) -> bool:
        return not one.answered and one.kind in (None, "slow") and one.ended >= self._killed

    def _expect(self, holds: bool, problem: str) -> None:
        if not holds:
            self.problems.append(problem)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
