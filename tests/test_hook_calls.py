"""Calls of what hooks gave: time limits, retries, limits of a run, and whatever they raise."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_ragassert import ConfigurationError, JudgeError, Settings
from pytest_ragassert.engine.session import Session
from pytest_ragassert.judging.calls.user_calls import Overrun
from pytest_ragassert.judging.scheduling.semaphore import SemaphoreExhausted, SharedSemaphore
from pytest_ragassert.storage.run_state.run_folder import RunFolder

from .conftest import Waits
from .replies import case

NO_CLAIMS = json.dumps({"claims": []})
Act = Callable[[int], Any]


class Judge:
    """Does in each call what it is told; `calls` counts them."""

    id = "mine-1"

    def __init__(self, act: Act) -> None:
        self.calls = 0
        self._act = act

    def _called(self) -> Any:
        self.calls += 1
        done = self._act(self.calls)
        return NO_CLAIMS if done is None else done


class Sync(Judge):
    def run(self, step: Any, input: Any) -> Any:
        return self._called()

    def embed(self, texts: list[str]) -> Any:
        return [[1.0] for _ in texts] if self._called() else None


class Async(Judge):
    async def run(self, step: Any, input: Any) -> Any:
        done = self._called()
        return await done if asyncio.isfuture(done) else done

    async def embed(self, texts: list[str]) -> Any:
        return [[1.0] for _ in texts] if self._called() else None


class Wrapped(Async):
    """As behind a decorator that knows no coroutines."""

    def run(self, step: Any, input: Any) -> Any:
        return super().run(step, input)


KINDS = [Sync, Async, Wrapped]
MakeSession = Callable[..., Session]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[MakeSession]:
    made = []

    def make(judge: Judge, **options: Any) -> Session:
        own = {"judge": "mine", "cache_dir": tmp_path / "store", **options}
        made.append(Session(Settings(**own), make_judge={"mine": judge}.get))
        return made[-1]

    yield make
    for one in made:
        one.close()
        one.run.remove()


def measured(session: Session, *answers: str) -> list[Any]:
    """The error of each answer's case, None where it was measured."""
    cases = [case(answer=answer) for answer in answers or ["It runs."]]
    done = session.measure([session.job(one, "faithfulness", {}) for one in cases])
    return [one.error for one in done]


# -- what they raise -------------------------------------------------------------------------------


class OfNoKind(BaseException):
    pass


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError


def raising(error: BaseException | type[BaseException]) -> Act:
    def act(_: int) -> Any:
        # other tests raise the same one
        raise error.with_traceback(None) if isinstance(error, BaseException) else error

    return act


RAISED: list[tuple[Any, str]] = [
    (KeyError("choices"), "KeyError: 'choices'"),
    (StopIteration(1), "StopIteration"),
    (StopAsyncIteration, "StopAsyncIteration"),
    (GeneratorExit, "GeneratorExit"),
    (SystemExit("no key"), "SystemExit: no key"),
    (asyncio.CancelledError, "CancelledError"),
    (OfNoKind("odd"), "OfNoKind: odd"),
    (pytest.skip.Exception("not today"), "Skipped: not today"),
    (pytest.fail.Exception("never"), "Failed: never"),
    (Unspeakable(), "Unspeakable: its message raises ValueError"),
    (ValueError("two\nlines " + "x" * 5_000), "ValueError: two lines xx"),
]


@pytest.mark.parametrize(("error", "words"), RAISED, ids=[words[:20] for _, words in RAISED])
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_a_judge_raises_is_told_with_its_line(
    session: MakeSession, kind: type[Judge], error: Any, words: str
) -> None:
    (told,) = measured(session(kind(raising(error))))
    assert isinstance(told, JudgeError)
    assert words in str(told)
    assert "judge mine-1: " in str(told)
    assert f"{Path(__file__).name}:" in str(told)
    assert " in act)" in str(told)
    assert told.kind == "judge"
    assert len(str(told)) < 600


@pytest.mark.parametrize("kind", [Sync, Async])
@pytest.mark.parametrize("error", [StopIteration, asyncio.CancelledError, SystemExit(1)])
def test_whatever_an_embedder_raises_is_told(
    tmp_path: Path, kind: type[Judge], error: BaseException
) -> None:
    own = Settings(judge="offline", embedder="mine", cache_dir=tmp_path / "store")
    session = Session(own, make_embedder={"mine": kind(raising(error))}.get)
    [done] = session.measure([session.job(case(), "semantic_similarity", {})])
    session.close()
    session.run.remove()
    assert isinstance(done.error, JudgeError)
    assert "embedder mine-1: " in str(done.error)
    assert " in act)" in str(done.error)


@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_is_the_callers(session: MakeSession, kind: type[Judge]) -> None:
    with pytest.raises(KeyboardInterrupt):
        measured(session(kind(raising(KeyboardInterrupt))))


def test_a_keys_value_is_not_told(session: MakeSession, monkeypatch: pytest.MonkeyPatch) -> None:
    error = ValueError("Illegal header value b'Bearer sk-verysecretkey-0123'")
    own = session(Sync(raising(error)), api_key="sk-verysecretkey-0123")
    (told,) = measured(own)
    assert "Illegal header value" in str(told)
    assert "verysecret" not in str(told)


# -- retries ---------------------------------------------------------------------------------------


class Refused(Exception):
    def __init__(self, **attributes: Any) -> None:
        super().__init__("refused")
        self.__dict__.update(attributes)


PASSING = [
    ConnectionResetError("gone"),
    TimeoutError("late"),
    Refused(status_code=429),
    Refused(status=503),
    Refused(code=500),
    Refused(response=SimpleNamespace(status_code=408)),
    JudgeError("later", kind="rate limit"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", PASSING, ids=repr)
def test_what_may_pass_is_tried_again(
    session: MakeSession, waits: Waits, kind: type[Judge], error: Exception
) -> None:
    judge = kind(lambda call: raising(error)(call) if call < 3 else None)
    assert measured(session(judge)) == [None]
    assert (judge.calls, len(waits)) == (3, 2)


@pytest.mark.parametrize("error", PASSING, ids=repr)
def test_tries_have_an_end(session: MakeSession, waits: Waits, error: Exception) -> None:
    judge = Sync(raising(error))
    (told,) = measured(session(judge))
    assert isinstance(told, JudgeError)
    assert str(told).endswith("(5 requests)")
    assert (judge.calls, len(waits)) == (5, 4)


@pytest.mark.parametrize(
    "error",
    [
        Refused(status_code=401),
        Refused(response=SimpleNamespace(status_code=404)),
        KeyError("choices"),
        JudgeError("enough", kind="rate limit", ends_judging=True),
        Refused(status_code=429, response=SimpleNamespace(headers={"Retry-After": "3600"})),
    ],
    ids=repr,
)
def test_what_can_not_pass_is_not_tried_again(
    session: MakeSession, waits: Waits, error: Exception
) -> None:
    judge = Sync(raising(error))
    assert measured(session(judge))[0] is not None
    assert (judge.calls, waits) == (1, [])


def test_the_wait_is_the_one_that_the_server_asks_for(session: MakeSession, waits: Waits) -> None:
    error = Refused(status_code=429, response=SimpleNamespace(headers={"Retry-After": "7"}))
    judge = Sync(lambda call: raising(error)(call) if call < 2 else None)
    assert measured(session(judge)) == [None]
    assert waits == [7.0]


def test_tries_count_in_the_budget(session: MakeSession, waits: Waits) -> None:
    judge = Sync(raising(ConnectionError("gone")))
    own = session(judge, max_calls=3, max_tokens_total=10)
    (told,) = measured(own)
    assert isinstance(told, JudgeError)
    assert told.kind == "budget"
    assert judge.calls == 3


def test_tokens_that_nobody_counts_are_told(session: MakeSession) -> None:
    own = session(Sync(lambda _: None), max_tokens_total=10)
    assert measured(own) == [None]
    assert any("--ragassert-max-tokens-total has no effect" in line for line in own.run.notices())


# -- time ------------------------------------------------------------------------------------------


def test_as_many_sync_calls_run_at_once_as_may(session: MakeSession) -> None:
    together = threading.Barrier(32)

    def act(call: int) -> None:
        if call > 1:
            together.wait(60)

    own = session(Sync(act), concurrency=32)
    assert measured(own, "First.") == [None]
    assert measured(own, *(f"Boat {number}." for number in range(32))) == [None] * 32


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What blocks a call until the test is over, or opens it."""
    opened = threading.Event()
    yield opened
    opened.set()


def test_a_sync_call_that_overruns_fails_its_test_and_keeps_its_slot(
    session: MakeSession, gate: threading.Event
) -> None:
    blocked = threading.Event()

    def act(call: int) -> None:
        if call == 1:
            blocked.set()
            gate.wait(60)

    judge = Sync(act)
    own = session(judge, concurrency=2, timeout=0.2)
    (told,) = measured(own, "First.")
    assert isinstance(told, JudgeError)
    assert (told.kind, judge.calls) == ("timeout", 1)
    assert f"within 0.2 s, it is at {Path(__file__).name}" in str(told).replace("tests/", "")
    assert " in act; --ragassert-timeout" in str(told)
    # the other slot serves
    assert measured(own, "Second.", "Third.") == [None, None]
    gate.set()
    assert measured(own, "Fourth.") == [None]


def test_when_no_call_returns_nothing_more_is_asked(
    session: MakeSession, gate: threading.Event
) -> None:
    judge = Sync(lambda _: gate.wait(60) and None)
    own = session(judge, concurrency=2, timeout=0.1)
    told = measured(own, *(f"Boat {number}." for number in range(5)))
    assert all(isinstance(one, JudgeError) and one.kind == "timeout" for one in told)
    assert judge.calls == 2
    last = measured(own, "Another boat.")[0]
    assert isinstance(last, JudgeError)
    assert last.ends_judging
    assert "--ragassert-concurrency=2" in str(last)


def test_a_slot_of_an_overrun_call_is_free_when_it_returns(tmp_path: Path) -> None:
    async def scene() -> None:
        run = RunFolder(tmp_path / "run")
        own, other = SharedSemaphore(run, 1, 0.05), SharedSemaphore(run, 1, 0.05)
        returned: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with pytest.raises(Overrun):
            async with own.slot():
                raise Overrun("late", returned)
        for slots in (own, other):
            with pytest.raises(SemaphoreExhausted):
                await asyncio.wait_for(slots.slot().__aenter__(), 30)
        returned.set_result(None)
        await asyncio.sleep(0)
        for slots in (own, other):
            async with slots.slot():
                pass
            slots.close()

    asyncio.run(scene())


@pytest.mark.parametrize("kind", [Async, Wrapped])
def test_a_coroutine_that_never_ends_is_cancelled_and_tried_once_more(
    session: MakeSession, kind: type[Judge], waits: Waits
) -> None:
    def act(call: int) -> Any:
        return asyncio.get_running_loop().create_future() if call in (1, 2, 3) else None

    judge = kind(act)
    own = session(judge, timeout=0.1)
    (told,) = measured(own, "First.")
    assert isinstance(told, JudgeError)
    assert (told.kind, judge.calls) == ("timeout", 2)
    assert "run() did not return within 0.1 s" in str(told)
    assert measured(own, "Second.") == [None]
    assert judge.calls == 4


def test_a_coroutine_that_blocks_its_loop_is_named(
    session: MakeSession, gate: threading.Event
) -> None:
    judge = Async(lambda call: gate.wait(60) and None if call == 1 else None)
    own = session(judge, timeout=0.2, concurrency=4)
    (told,) = measured(own, "First.")
    assert isinstance(told, JudgeError)
    assert told.kind == "timeout"
    assert "which blocks the event loop of all async hooks" in str(told)
    assert Path(__file__).name in str(told)
    gate.set()
    assert measured(own, "Second.") == [None]


def test_a_coroutine_that_will_not_be_cancelled_keeps_no_session_open(
    session: MakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_ragassert.judging.calls.user_calls._END_SECONDS", 0.2)
    ended = threading.Event()

    class Stubborn(Async):
        async def run(self, step: Any, input: Any) -> Any:
            loop = asyncio.get_running_loop()
            end = loop.create_future()
            # long before what the session's own loop would be waited for
            loop.call_later(5, end.set_result, None)
            while not end.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.shield(end)
            ended.set()

    own = session(Stubborn(lambda _: None), timeout=0.1)
    (told,) = measured(own)
    assert isinstance(told, JudgeError)
    assert told.kind == "timeout"
    own.close()
    assert not ended.is_set()
    with pytest.raises(ConfigurationError, match="closed"):
        measured(own)
