"""A run waits once for an endpoint that is away, whichever of its processes asks."""

from __future__ import annotations

import asyncio
import os
import re
import selectors
import signal
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.errors import JudgeError
from pytest_ragassert.judging.calls import retries
from pytest_ragassert.judging.calls.retries import RETRIES, retried
from pytest_ragassert.judging.calls.send_permit import Failure, sending_under
from pytest_ragassert.judging.scheduling import circuit_breaker
from pytest_ragassert.judging.scheduling.circuit_breaker import FAILURES, CircuitBreaker
from pytest_ragassert.runtime.clock import Clock
from pytest_ragassert.storage.run_state.outage import end_outage
from pytest_ragassert.storage.run_state.run_folder import EMBEDDING, JUDGING, RunFolder
from pytest_ragassert.usage import Usage

AGES = 30.0  # seconds that nothing here takes
LONG_AGO = 1000.0
AWAY = r"a server error; the endpoint did not answer for [\d.]+ s: nothing more is asked"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "_FIRST_WAIT", 0.004)
    monkeypatch.setattr(circuit_breaker, "_LONGEST_WAIT", 0.01)
    monkeypatch.setattr(circuit_breaker, "_POLL_SECONDS", 0.005)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RunFolder]:
    made = RunFolder(tmp_path / "run")
    yield made
    made.remove()


class Endpoint:
    """Answers each question with itself.

    Attributes:
        asked: every question that came, in order.
        at_once: the most requests in flight, by whether it was up when they came.
        fails: how the next request fails, by its number and question; None: it is answered.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.at_once = 0
        self.fails: Callable[[int, str], Failure | None] = lambda number, question: None
        self._in_flight = 0

    async def send(self, question: str) -> str:
        self.asked.append(question)
        failure = self.fails(len(self.asked), question)
        self._in_flight += 1
        try:
            await asyncio.sleep(0.001)
        finally:
            self._in_flight -= 1
        if failure is not None:
            self.at_once = max(self.at_once, self._in_flight + 1)
            raise _Failed(failure)
        return question


class _Failed(Exception):
    def __init__(self, failure: Failure) -> None:
        self.failure = failure


def failed(kind: str = "server", wait: float | None = 0.03, **more: Any) -> Failure:
    return Failure(JudgeError(f"a {kind} error", kind=kind), wait, **more)


def _failure(error: Exception, requests: int) -> Failure:
    assert isinstance(error, _Failed)
    failure = error.failure
    # a call that did not return is made once more, and then only after a pause
    return failure._replace(wait=0.03) if failure.after_pause and not requests else failure


def _cost(answered: str) -> Usage:
    return Usage(requests=1, prompt_tokens=len(answered))


async def ask(breaker: CircuitBreaker, endpoint: Endpoint, question: str) -> str | JudgeError:
    try:
        with sending_under(breaker):
            return (await retried(partial(endpoint.send, question), _failure, _cost))[0]
    except JudgeError as error:
        return error


Ask = Callable[[str], Awaitable[str | JudgeError]]


class _Skipping(selectors.DefaultSelector):
    """Waits for nothing: where it would, its time goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.now = Clock.now()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += max(0.0, timeout or 0.0)
        return super().select(0)


def _skipping_loop() -> asyncio.AbstractEventLoop:
    selector = _Skipping()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now  # type: ignore[method-assign]
    return loop


def scene(
    run: RunFolder,
    endpoint: Endpoint,
    play: Callable[[Ask, Ask], Awaitable[None]],
    what: str = JUDGING,
) -> None:
    """Play with two processes, which ask the endpoint; what they wait takes no time."""
    with pytest.MonkeyPatch.context() as patched:
        loop = _skipping_loop()
        patched.setattr("asyncio.events.new_event_loop", lambda: loop)
        patched.setattr(Clock, "now", loop.time)
        scene_in_time(run, endpoint, play, what, AGES + LONG_AGO)


def scene_in_time(
    run: RunFolder,
    endpoint: Endpoint,
    play: Callable[[Ask, Ask], Awaitable[None]],
    what: str = JUDGING,
    most: float = AGES,
) -> None:
    """Play with two processes, as `scene` does, while others go on."""

    async def played() -> None:
        breakers = [CircuitBreaker(run, what, AGES) for _ in range(2)]
        one, other = (partial(ask, breaker, endpoint) for breaker in breakers)
        try:
            await asyncio.wait_for(play(one, other), most)
        finally:
            for breaker in breakers:
                await breaker.close()

    asyncio.run(played())


async def several(of: int, *askers: Ask) -> list[str | JudgeError]:
    return await asyncio.gather(*(askers[n % len(askers)](f"q{n}") for n in range(of)))


KINDS = [failed("server"), failed("connection"), failed("timeout"), failed("rate limit")]
KINDS += [failed("timeout", None, after_pause=True)]


@pytest.mark.parametrize("failure", KINDS, ids=lambda failure: failure.error.kind)
def test_an_outage_fails_nothing_and_costs_one_request_at_a_time(
    run: RunFolder, failure: Failure
) -> None:
    endpoint, questions, gone = Endpoint(), 40, 110

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        endpoint.fails = lambda number, _: failure if number < gone + 2 else None
        assert await several(questions, one, other) == [f"q{n}" for n in range(questions)]

    scene(run, endpoint, play)
    assert len(endpoint.asked) <= 1 + gone + questions
    (line,) = run.notices()
    assert re.fullmatch(r"the endpoint did not answer for [\d.]+ s; the run waited", line)
    assert run.ended(JUDGING) is None


def test_while_the_run_waits_one_request_is_in_flight(run: RunFolder) -> None:
    endpoint = Endpoint()

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        endpoint.fails = lambda number, _: failed()
        tasks = [asyncio.ensure_future(several(20, one, other))]
        while len(endpoint.asked) < 50:
            await asyncio.sleep(0.001)
        endpoint.at_once = 0
        tasks.append(asyncio.ensure_future(several(40, other, one)))
        seen = len(endpoint.asked)
        while len(endpoint.asked) < seen + 10:
            await asyncio.sleep(0.001)
        assert endpoint.at_once == 1
        # who probes takes turns, so that a question which always fails keeps nobody waiting
        assert len(set(endpoint.asked[seen:])) > 1
        endpoint.fails = lambda number, _: None
        assert await asyncio.gather(*tasks)

    scene(run, endpoint, play)


@pytest.mark.parametrize("questions", [1, 10, 100])
def test_an_endpoint_that_stays_away_ends_judging_within_one_questions_time(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch, questions: int
) -> None:
    monkeypatch.setattr(retries, "RETRY_SECONDS", 1.0)
    endpoint = Endpoint()

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        endpoint.fails = lambda number, _: failed()
        start = Clock.now()
        for _ in range(3):
            for error in await several(questions, one, other):
                assert isinstance(error, JudgeError)
                assert (error.kind, error.ends_judging) == ("server", True)
                assert re.fullmatch(AWAY, str(error))
        # whatever the number of cases
        assert Clock.now() - start < 1 + 0.2

    scene(run, endpoint, play)
    # each once or twice, and then one at a time
    assert len(endpoint.asked) < 1 + 2 * questions + 1.0 / 0.005 + RETRIES
    assert run.ended(JUDGING) is not None
    assert run.notices() == []


def test_a_half_dead_endpoint_goes_on(run: RunFolder) -> None:
    endpoint = Endpoint()
    endpoint.fails = lambda number, _: failed() if number % 2 else None

    async def play(one: Ask, other: Ask) -> None:
        for n in range(30):
            assert await (one if n % 2 else other)(f"q{n}") == f"q{n}"

    scene(run, endpoint, play)
    assert len(endpoint.asked) == 60
    assert run.notices() == []


def test_questions_that_fail_side_by_side_with_others_are_asked_again_by_themselves(
    run: RunFolder,
) -> None:
    endpoint = Endpoint()
    endpoint.fails = lambda _, question: (
        failed() if int(question[1:]) % 2 and endpoint.asked.count(question) < 4 else None
    )

    async def play(one: Ask, other: Ask) -> None:
        assert await several(40, one, other) == [f"q{n}" for n in range(40)]

    scene(run, endpoint, play)
    assert run.ended(JUDGING) is None


def test_one_question_that_always_fails_stops_nobody(run: RunFolder) -> None:
    endpoint = Endpoint()
    endpoint.fails = lambda _, question: failed() if question.startswith("odd") else None

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        for n in range(3):
            error = await one(f"odd {n}")
            assert isinstance(error, JudgeError)
            assert not error.ends_judging
        assert await other("last") == "last"

    scene(run, endpoint, play)
    # the retries that every question has, and the last good one again, to see who is to blame
    for n in range(3):
        assert endpoint.asked.count(f"odd {n}") <= RETRIES + 2
    assert endpoint.asked.count("first") <= 1 + 2 * 3
    assert run.notices() == []


@pytest.mark.parametrize(("alone", "again"), [(AGES, False), (0.2, True)])
def test_the_last_good_question_is_sent_again_only_where_the_other_may_be_to_blame(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch, alone: float, again: bool
) -> None:
    monkeypatch.setattr(circuit_breaker, "_ALONE_SECONDS", alone)
    endpoint = Endpoint()
    endpoint.fails = lambda number, _: failed() if 1 < number < 60 else None

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        assert await one("question") == "question"

    scene(run, endpoint, play)
    assert (endpoint.asked.count("first") > 2) is again
    assert endpoint.asked.count("first") >= 2
    assert len(run.notices()) == 1


def test_a_question_is_charged_with_all_that_was_sent_for_its_sake(run: RunFolder) -> None:
    endpoint = Endpoint()
    endpoint.fails = lambda _, question: failed() if question == "odd" else None
    errors = []

    async def play(one: Ask, other: Ask) -> None:
        await one("first")
        errors.append(await one("odd"))

    scene(run, endpoint, play)
    (error,) = errors
    assert isinstance(error, JudgeError)
    assert error.usage == Usage(
        requests=len(endpoint.asked) - 1,
        prompt_tokens=len("first") * (endpoint.asked.count("first") - 1),
    )
    assert endpoint.asked.count("first") > 1


def test_a_pause_takes_nothing_from_a_questions_own_retries(run: RunFolder) -> None:
    endpoint = Endpoint()
    left = RETRIES - FAILURES + 1

    def fails(number: int, question: str) -> Failure | None:
        if question == "first":
            return failed() if 1 < number < 40 else None
        own = endpoint.asked.count("question")
        return failed() if number < 40 or own < left else None

    endpoint.fails = fails

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        assert await one("question") == "question"

    scene(run, endpoint, play)
    assert endpoint.asked.count("question") > RETRIES + 1


def test_a_wait_that_the_endpoint_asks_for_is_kept(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint, when = Endpoint(), []

    def fails(number: int, question: str) -> Failure | None:
        when.append(Clock.now())
        return failed("server", 0.1, asked=True) if 1 < number <= 16 else None

    endpoint.fails = fails

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        assert None not in await several(6, one, other)

    scene(run, endpoint, play)
    # the last probes
    assert min(b - a for a, b in pairwise(when[13:17])) >= 0.1


def test_a_rate_limit_with_a_wait_of_its_own_is_no_outage(run: RunFolder) -> None:
    endpoint = Endpoint()

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        endpoint.fails = lambda number, _: failed("rate limit", asked=True)
        for error in await several(10, one, other):
            assert isinstance(error, JudgeError)
            assert not error.ends_judging

    scene(run, endpoint, play)
    assert len(endpoint.asked) == 1 + 10 * (RETRIES + 1)
    assert run.notices() == []


# -- nobody was ever there -------------------------------------------------------------------------


def test_nobody_waits_for_an_endpoint_that_never_answered(run: RunFolder) -> None:
    endpoint = Endpoint()
    endpoint.fails = lambda number, _: failed()

    async def play(one: Ask, other: Ask) -> None:
        errors = [await (one if n % 2 else other)(f"q{n}") for n in range(FAILURES)]
        ends = [isinstance(error, JudgeError) and error.ends_judging for error in errors]
        assert ends == [False] * (FAILURES - 1) + [True]

    scene(run, endpoint, play)
    assert len(endpoint.asked) == FAILURES * (RETRIES + 1)
    assert run.ended(JUDGING) is not None


def test_one_that_says_from_the_start_that_it_is_not_ready_is_waited_for(run: RunFolder) -> None:
    endpoint = Endpoint()
    endpoint.fails = lambda number, _: failed(not_ready=True) if number < 30 else None

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        assert await other("second") == "second"

    scene(run, endpoint, play)
    assert len(run.notices()) == 1


def test_one_question_that_fails_alone_ends_nothing_where_no_other_is_known(
    run: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(circuit_breaker, "_ALONE_SECONDS", 0.3)
    endpoint = Endpoint()
    endpoint.fails = lambda _, question: failed(not_ready=True) if question == "odd" else None

    async def play(one: Ask, other: Ask) -> None:
        error = await one("odd")
        assert isinstance(error, JudgeError)
        assert not error.ends_judging
        assert await one("second") == "second"
        assert await other("third") == "third"

    scene(run, endpoint, play)
    assert run.ended(JUDGING) is None
    assert run.notices() == []


def test_who_comes_in_an_outage_knows_that_another_process_had_an_answer(run: RunFolder) -> None:
    endpoint = Endpoint()
    refused = Failure(JudgeError("no connection", kind="connection", ends_judging=True), 0.002)

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        endpoint.fails = lambda number, _: refused if number < 20 else None
        assert await other("second") == "second"

    scene(run, endpoint, play)
    assert run.ended(JUDGING) is None


def test_failures_long_ago_are_not_in_a_row_with_todays(run: RunFolder) -> None:
    endpoint = Endpoint()

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        endpoint.fails = lambda number, _: failed("timeout", None)
        await one("one")
        await one("two")
        await asyncio.sleep(LONG_AGO)
        await one("three")
        endpoint.fails = lambda number, _: None
        assert await one("four") == "four"

    scene(run, endpoint, play)
    assert run.notices() == []
    assert run.ended(JUDGING) is None


# -- who stops in the midst ------------------------------------------------------------------------


def test_who_gives_up_while_the_run_waits_keeps_nobody(run: RunFolder) -> None:
    endpoint = Endpoint()

    async def play(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        endpoint.fails = lambda number, _: failed()
        tasks = [asyncio.ensure_future(several(4, one, other)) for _ in range(6)]
        while len(endpoint.asked) < 60:
            await asyncio.sleep(0.001)
        for task in tasks[:-1]:
            # one of them is the probe
            task.cancel()
            await asyncio.sleep(0.004)
        endpoint.fails = lambda number, _: None
        assert await tasks[-1] == ["q0", "q1", "q2", "q3"]
        await asyncio.gather(*tasks, return_exceptions=True)

    scene(run, endpoint, play)


def _probe_for_ever(folder: Path, asked: Path) -> None:
    """A process whose endpoint is silent, once the run waits."""
    retries._FIRST_WAIT = 0.004
    endpoint = Endpoint()
    endpoint.fails = lambda number, _: failed() if number > 1 else None

    async def send(question: str) -> str:
        if len(endpoint.asked) >= 8:
            asked.touch()
            await asyncio.sleep(AGES)
        return await Endpoint.send(endpoint, question)

    endpoint.send = send  # type: ignore[method-assign]  # of this one alone

    async def play(one: Ask, _: Ask) -> None:
        await one("first")
        await several(3, one)

    scene_in_time(RunFolder(folder), endpoint, play)


def test_a_process_that_is_killed_while_it_probes_is_followed_at_once(
    run: RunFolder, tmp_path: Path
) -> None:
    asked = tmp_path / "asked"
    child = get_context("spawn").Process(target=_probe_for_ever, args=(run.path, asked))
    child.start()
    endpoint = Endpoint()

    async def play(one: Ask, _: Ask) -> None:
        while not asked.exists():
            await asyncio.sleep(0.005)
        task = asyncio.ensure_future(one("question"))
        await asyncio.sleep(0.05)
        assert not endpoint.asked
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        start = Clock.now()
        assert await task == "question"
        assert Clock.now() - start < 5

    scene_in_time(run, endpoint, play)
    child.join(AGES)


def test_a_run_folder_that_cant_be_written_changes_nothing_within_a_process(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    run = RunFolder(tmp_path / "file" / "run")
    endpoint = Endpoint()

    async def play(one: Ask, _: Ask) -> None:
        assert await one("first") == "first"
        endpoint.fails = lambda number, _: failed() if number < 50 else None
        assert await several(10, one) == [f"q{n}" for n in range(10)]

    scene(run, endpoint, play)
    run.remove()


# -- what is told ----------------------------------------------------------------------------------


def test_several_pauses_are_told_in_one_line(run: RunFolder) -> None:
    for seconds in (21.2, 3.0, 4.0):
        end_outage(run, JUDGING, seconds)
    end_outage(run, EMBEDDING, 21.2)
    end_outage(run, EMBEDDING, None)
    assert run.notices() == [
        "the endpoint did not answer 3 times, for 28 s in all; the run waited",
        "the endpoint of the embedder did not answer for 21 s; the run waited",
    ]


def test_judge_and_embedder_wait_each_for_itself(run: RunFolder) -> None:
    judge, embedder = Endpoint(), Endpoint()

    async def of_embedder(one: Ask, other: Ask) -> None:
        assert await one("first") == "first"
        embedder.fails = lambda number, _: failed()
        waiting = asyncio.ensure_future(several(4, one, other))
        while len(embedder.asked) < 20:
            await asyncio.sleep(0.001)
        breaker = CircuitBreaker(run, JUDGING, AGES)
        assert await ask(breaker, judge, "question") == "question"
        await breaker.close()
        embedder.fails = lambda number, _: None
        await waiting

    scene(run, embedder, of_embedder, EMBEDDING)
