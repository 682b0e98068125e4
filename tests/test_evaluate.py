"""`evaluate`, the assertions and their coroutine twins, called from everywhere."""

from __future__ import annotations

import asyncio
import inspect
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import pytest_ragassert
from pytest_ragassert import (
    EvalCase,
    JudgeError,
    MissingFieldError,
    RagAssertionError,
    RagAssertWarning,
    Settings,
    aio,
    assert_factual_f1,
    assert_factual_precision,
    assert_factual_recall,
    assert_faithful,
    assert_rag,
    evaluate,
)
from pytest_ragassert.engine import sessions
from pytest_ragassert.engine.session import Session
from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.runtime.redaction import redact

from .conftest import MakeSettings, close_sessions
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import case, says_claims

FAITHFUL = ["faithfulness"]
ASSERTIONS: list[Any] = [
    assert_faithful,
    assert_factual_f1,
    assert_factual_precision,
    assert_factual_recall,
]
Use = Callable[..., None]

HALF = case(id="half", retrieved_contexts=["It stops at the harbour."])
SILENT = case(id="silent", answer="Hello!")


# -- what is measured ------------------------------------------------------------------------------


def test_names_and_options_choose_the_metrics(judge: LoopbackJudge, settings: MakeSettings) -> None:
    by_name = evaluate(case(), ["factual_f1", "faithfulness"], settings=settings())
    assert list(by_name) == ["factual_f1", "faithfulness"]
    assert all(result.metric == name for name, result in by_name.items())
    chosen = {"faithfulness": {"scoring": "ratio"}, "factual_f1": {}}
    with_options = evaluate(case(), chosen, settings=settings())
    assert with_options["faithfulness"].details["scoring"] == "ratio"


def test_options_go_to_the_metrics_that_take_them(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    results = evaluate(
        case(),
        {"faithfulness": {"aggregate": "min"}, "factual_f1": {}},
        settings=settings(),
        strict_mode=True,
        aggregate="median",
        models=["judge-b"],
    )
    assert results["faithfulness"].details["strict_mode"] is True
    assert {result.judge for result in results.values()} == {"judge-b"}


@pytest.mark.parametrize(
    ("metrics", "options", "words"),
    [
        (
            ["faithfullness"],
            {},
            "unknown metric 'faithfullness'; did you mean faithfulness\\? known are fa",
        ),
        ({"f1": {}}, {}, "unknown metric 'f1'"),
        ("faithfulness", {}, "a list of names or a dict of options"),
        (["factual_f1"], {"strict_mode": True}, "option 'strict_mode'"),
        (["faithfulness"], {"mni": 0.5}, "option 'mni'"),
        ({"faithfulness": {"mode": "f1"}}, {}, "faithfulness takes no option 'mode'"),
    ],
)
def test_a_wrong_name_is_told_before_anything_is_asked(
    judge: LoopbackJudge, settings: MakeSettings, metrics: Any, options: Any, words: str
) -> None:
    with pytest.raises(TypeError, match=words):
        evaluate(case(), metrics, settings=settings(), **options)
    assert judge.count() == 0


@pytest.mark.parametrize("thing", ["text", None, {"answer": "a"}])
def test_only_cases_are_measured(settings: MakeSettings, thing: Any) -> None:
    with pytest.raises(TypeError):
        evaluate(thing, FAITHFUL, settings=settings())
    with pytest.raises(TypeError, match="a case must be an EvalCase"):
        evaluate([thing], FAITHFUL, settings=settings())


def test_several_cases_give_results_in_their_order(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.on(lambda recorded: {"latency": 0.05} if "harbour" in str(recorded.data) else None)
    results = evaluate(iter([HALF, case(), case(answer="No.")]), FAITHFUL, settings=settings())
    assert [result["faithfulness"].score for result in results[:2]] == [0.5, 1.0]
    assert results[2]["faithfulness"].vacuous
    assert evaluate([], FAITHFUL, settings=settings()) == []
    assert evaluate([case()], [], settings=settings()) == [{}]


def test_cases_are_measured_side_by_side(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.latency = 0.1
    cases = [case(id=str(n), answer=f"Tram {n} runs.") for n in range(6)]
    evaluate(cases, FAITHFUL, settings=settings())
    assert judge.max_in_flight >= 3


# -- errors ----------------------------------------------------------------------------------------


def one_broken(judge: LoopbackJudge) -> list[EvalCase]:
    """Three cases; the second can't be judged, the third lacks a field."""

    def refuse(recorded: Recorded) -> dict[str, Any] | None:
        return {"status": 400} if "broken" in str(recorded.data) else None

    judge.on(refuse)
    return [case(id="a"), case(id="b", answer="It is broken."), case(id="c", answer=None)]


def test_collected_errors_stand_beside_results(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    told = one_broken(judge)
    results = evaluate(told, FAITHFUL, settings=settings(), on_error="collect")
    assert [list(result) for result in results] == [FAITHFUL, [], []]
    errors = [result.errors.get("faithfulness") for result in results]
    assert [type(error) for error in errors] == [type(None), JudgeError, MissingFieldError]
    assert "case b" in str(errors[1])
    assert told[1].results == {}


def test_the_first_error_is_raised_when_all_is_measured(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    told = one_broken(judge)[::-1]
    with pytest.raises(MissingFieldError, match=r'case c.*others, .*on_error="collect"'):
        evaluate(told, FAITHFUL, settings=settings())
    with pytest.raises(MissingFieldError, match=r"leave the case out$"):
        evaluate(told[0], FAITHFUL, settings=settings())
    assert told[2].results["faithfulness"].score == 1.0
    with pytest.raises(JudgeError, match="case b"):
        evaluate(told[1:], FAITHFUL, settings=settings())


@pytest.mark.parametrize("on_error", ["ignore", "", None, True])
def test_an_unknown_way_with_errors_is_told(settings: MakeSettings, on_error: Any) -> None:
    with pytest.raises(ValueError, match="valid are raise, collect"):
        evaluate(case(), FAITHFUL, settings=settings(), on_error=on_error)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"modle": "a"}, "modle"),
        ({"temperature": 3}, "temperature"),
        ({"temperature": math.nan}, "temperature"),
        ({"concurrency": 0}, "concurrency"),
        ({"timeout": 0}, "timeout"),
        ({"record_mode": "once"}, "record_mode"),
        ({"model": ["a", "a"]}, "twice"),
        ({"model": []}, "model"),
        ({"model": " "}, "empty"),
        ({"minimums": {"faithfulness": 2}}, "minimums"),
        ({"seed": -1}, "seed"),
        ({"max_tokens": 0}, "max_tokens"),
    ],
)
def test_settings_that_can_not_be_are_told(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        Settings(**options)


def test_an_unknown_judge_is_told(settings: MakeSettings) -> None:
    with pytest.raises(ConfigurationError, match="unknown judge 'nobody'"):
        evaluate(case(), FAITHFUL, settings=settings(judge="nobody"))


def test_a_variable_of_no_option_is_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGASSERT_JUGDE", "openai")
    monkeypatch.setenv("RAGASSERT_JUDGE", "offline")
    case = EvalCase(answer="It runs.", retrieved_contexts=["It runs."])
    with pytest.warns(RagAssertWarning, match=r"RAGASSERT_JUGDE .*did you mean RAGASSERT_JUDGE\?"):
        evaluate(case, ["faithfulness"])


IMPORTS = "from pytest_ragassert import EvalCase, Settings, assert_faithful, evaluate"


@pytest.mark.parametrize("function", [assert_faithful, aio.assert_faithful])
def test_a_threshold_is_called_min(function: Any) -> None:
    with pytest.raises(TypeError, match=r"argument 'threshold'; did you mean min=0\.7\?"):
        called(function, case(), threshold=0.7)
    with pytest.raises(TypeError, match=r"argument 'treshold'$"):
        called(function, case(), treshold=0.7)


@pytest.mark.parametrize("function", [assert_rag, aio.assert_rag])
def test_options_of_a_metric_are_no_minimum(function: Any) -> None:
    with pytest.raises(TypeError, match=r"a minimum for each metric.* for faithfulness; pass"):
        called(function, case(), faithfulness={"scoring": "ratio"})


def called(function: Any, *args: Any, **kwargs: Any) -> Any:
    found = function(*args, **kwargs)
    return asyncio.run(found) if inspect.iscoroutine(found) else found


def test_a_case_without_an_answer_names_the_hook() -> None:
    lacking = EvalCase(question="When?", retrieved_contexts=["It runs."])
    with pytest.raises(MissingFieldError, match="implement the hook pytest_ragassert_answer"):
        assert_faithful(lacking)
    with pytest.raises(MissingFieldError) as raised:
        assert_faithful(EvalCase(answer="It runs."))
    assert "pytest_ragassert_answer" not in str(raised.value)


ASSERTED = 'assert_faithful(EvalCase(answer="It runs.", retrieved_contexts=["It runs."]))'
JUDGED = 'evaluate(EvalCase(answer="A.", retrieved_contexts=["A."]), ["faithfulness"])'
RANKED = 'evaluate(EvalCase(retrieved_context_ids=["a"], ground_truth_context_ids=["a"]), ["mrr"])'
SETTLED = JUDGED[:-1] + ', settings=Settings(judge="offline"))'


@pytest.mark.parametrize(
    ("calls", "variable", "warnings"),
    [
        ([JUDGED, JUDGED], "", 1),
        ([RANKED, SETTLED], "", 0),
        ([RANKED, SETTLED, JUDGED], "", 1),
        (
            [
                'assert_faithful(EvalCase(answer="It runs.", retrieved_contexts=["It runs."]))',
                JUDGED,
            ],
            "",
            1,
        ),
        ([JUDGED], "offline", 0),
    ],
)
def test_a_judge_that_nothing_chose_is_warned_about_once(
    tmp_path: Path, calls: list[str], variable: str, warnings: int
) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "always", "-c", "\n".join([IMPORTS, *calls])],
        cwd=tmp_path,
        env={**os.environ, "RAGASSERT_JUDGE": variable} if variable else None,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("no judge is configured, so the offline judge is used") == warnings
    assert run.stderr.count("RAGASSERT_MODEL") == warnings


def test_settings_do_not_show_the_key(settings: MakeSettings) -> None:
    assert "sk-test" not in f"{settings()!r} {settings()} {settings().model_dump_json()}"


# -- the assertions --------------------------------------------------------------------------------


@pytest.mark.parametrize("assertion", ASSERTIONS)
@pytest.mark.parametrize(
    "minimum", [True, False, "0.5", math.nan, math.inf, -0.1, 1.0001, [0.5], 80, 1j]
)
def test_a_minimum_that_is_none_is_told_at_the_call(assertion: Any, minimum: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="min must be a number from 0 to 1"):
        assertion(case(), min=minimum)


@pytest.mark.parametrize("assertion", ASSERTIONS)
def test_only_cases_are_asserted(assertion: Any) -> None:
    with pytest.raises(TypeError, match="EvalCase"):
        assertion("an answer")


def test_a_score_at_the_minimum_passes(asserting: Use) -> None:
    asserting()
    for minimum in (0, 0.5, 0.5 + 1e-10):
        result = assert_faithful(HALF, min=minimum)
        assert (result.score, result.passed) == (0.5, True)


def test_a_score_below_the_minimum_fails_with_one_line(asserting: Use) -> None:
    asserting()
    with pytest.raises(RagAssertionError) as caught:
        assert_faithful(HALF, min=0.50001)
    message = str(caught.value)
    assert isinstance(caught.value, AssertionError)
    assert "\n" not in message
    for part in ("half", "faithfulness", "0.5", "<", "2 claims: 1 no evidence, 1 supported"):
        assert part in message
    assert caught.value.result is caught.value.results[0]
    assert caught.value.result.minimum == 0.50001
    assert HALF.results["faithfulness"] is caught.value.result


def test_the_call_goes_before_the_case_and_the_settings(asserting: Use) -> None:
    asserting(minimums={"faithfulness": 0.9})
    with pytest.raises(RagAssertionError):
        assert_faithful(HALF)
    own = HALF.model_copy(update={"minimums": {"faithfulness": 0.4}})
    assert assert_faithful(own).minimum == 0.4
    with pytest.raises(RagAssertionError):
        assert_faithful(own, min=0.6)


@pytest.mark.parametrize("ini", ["fail", "warn", "pass"])
@pytest.mark.parametrize("call", [None, "fail", "warn", "pass"])
def test_an_answer_without_claims_does_as_call_or_settings_say(
    asserting: Use, ini: str, call: Any
) -> None:
    asserting(no_claims=ini)
    outcome = call or ini
    if outcome == "fail":
        words = "faithfulness: nothing to check: the answer makes no factual claim: case silent"
        with pytest.raises(RagAssertionError, match=words):
            assert_faithful(SILENT, no_claims=call)
    elif outcome == "warn":
        with pytest.warns(RagAssertWarning, match="nothing to check"):
            assert assert_faithful(SILENT, no_claims=call).vacuous
    else:
        assert assert_faithful(SILENT, no_claims=call).passed


def test_each_assertion_reports_under_its_metric(asserting: Use) -> None:
    asserting()
    names = [assertion(case()).metric for assertion in ASSERTIONS]
    assert names == ["faithfulness", "factual_f1", "factual_precision", "factual_recall"]
    assert assert_factual_f1(case(), mode="recall").metric == "factual_recall"
    with pytest.raises(ValueError, match="mode"):
        assert_factual_f1(case(), mode="f2")  # type: ignore[arg-type]  # the error's subject


def test_an_error_of_the_judge_is_no_failed_assertion(judge: LoopbackJudge, asserting: Use) -> None:
    asserting()
    judge.on(lambda _: True, {"status": 400})
    with pytest.raises(JudgeError) as caught:
        assert_faithful(case(), min=0)
    assert not isinstance(caught.value, AssertionError)


def test_an_identical_claim_table_from_assertion_and_evaluate(
    judge: LoopbackJudge, settings: MakeSettings, asserting: Use
) -> None:
    says_claims(judge, {"It stops at the harbour.": ["It stops at the harbour", "It is old"]})
    asserting()
    told = case(answer="It stops at the harbour.")
    asserted = assert_faithful(told, min=0.5)
    measured = evaluate(told, FAITHFUL, settings=settings())["faithfulness"]
    assert (asserted.score, asserted.claims) == (measured.score, measured.claims)


# -- loops and threads -----------------------------------------------------------------------------


def test_inside_a_running_loop(judge: LoopbackJudge, settings: MakeSettings) -> None:
    async def inside() -> float:
        return evaluate(case(), FAITHFUL, settings=settings())["faithfulness"].score

    assert asyncio.run(inside()) == 1.0
    assert asyncio.run(inside()) == 1.0


def test_the_coroutine_leaves_the_loop_free(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.latency = 0.1

    async def both() -> tuple[float, int]:
        ticks = 0
        work = asyncio.ensure_future(aio.evaluate(case(), FAITHFUL, settings=settings()))
        while not work.done():
            await asyncio.sleep(0.005)
            ticks += 1
        return (await work)["faithfulness"].score, ticks

    score, ticks = asyncio.run(both())
    assert score == 1.0
    assert ticks > 5


def test_several_loops_one_after_the_other(judge: LoopbackJudge, settings: MakeSettings) -> None:
    for number in range(3):
        told = case(answer=f"Tram {number} runs.", retrieved_contexts=[f"Tram {number} runs."])
        work = aio.evaluate(told, FAITHFUL, settings=settings())
        assert asyncio.run(work)["faithfulness"].score == 1.0


def test_coroutines_side_by_side(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.latency = 0.05
    cases = [case(id=str(n), answer=f"Tram {n} runs.") for n in range(4)]

    async def all_of_them() -> list[Any]:
        works = (aio.evaluate(told, FAITHFUL, settings=settings()) for told in cases)
        return await asyncio.gather(*works)

    assert len(asyncio.run(all_of_them())) == 4
    assert judge.max_in_flight >= 2


def test_the_twins_assert_and_raise(judge: LoopbackJudge, asserting: Use) -> None:
    asserting()

    async def assertions() -> None:
        assert (await aio.assert_faithful(HALF, min=0.5)).passed
        assert (await aio.assert_factual_f1(case())).score == 1.0
        with pytest.raises(RagAssertionError, match="half"):
            await aio.assert_faithful(HALF, min=0.6)
        with pytest.raises(TypeError, match="min must be a number"):
            await aio.assert_faithful(HALF, min=True)

    asyncio.run(assertions())


def twins() -> Iterator[tuple[str, Any, Any]]:
    for name in pytest_ragassert.__all__:
        if name == "evaluate" or name.startswith("assert_"):
            yield name, getattr(pytest_ragassert, name), getattr(aio, name)


@pytest.mark.parametrize(("name", "function", "twin"), list(twins()))
def test_twins_have_the_same_name_and_parameters(name: str, function: Any, twin: Any) -> None:
    assert function.__name__ == twin.__name__ == name
    assert inspect.iscoroutinefunction(twin)
    assert inspect.signature(function).parameters == inspect.signature(twin).parameters


def test_from_threads(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, made, begin = [], [], threading.Barrier(8)

    def counted(own: Settings) -> Session:
        made.append(own)
        return Session(own)

    def work(number: int) -> None:
        told = case(id=str(number), answer=f"Tram {number} runs.")
        begin.wait(30)
        scores.append(evaluate(told, FAITHFUL, settings=settings())["faithfulness"].score)

    monkeypatch.setattr(sessions, "Session", counted)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scores == [0.0] * 8
    # they measure with the same one: nobody would close another
    assert len(made) == 1


def test_equal_settings_share_a_run(judge: LoopbackJudge, settings: MakeSettings) -> None:
    off = {"record_mode": "off"}
    evaluate(case(), FAITHFUL, settings=settings(**off))
    evaluate(case(), FAITHFUL, settings=settings(**off))
    assert judge.count() == 2
    evaluate(case(), FAITHFUL, settings=settings(**off, temperature=1))
    assert judge.count() == 4


def test_the_environment_is_read_anew_where_it_is_another(
    judge: LoopbackJudge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one-of-these")
    monkeypatch.setenv("OPENAI_BASE_URL", judge.base_url)
    monkeypatch.setenv("RAGASSERT_CACHE_DIR", str(tmp_path))
    reads: list[Mapping[str, str] | None] = []
    read = Settings.from_environment

    def counted(environ: Mapping[str, str] | None = None) -> Settings:
        reads.append(environ)
        return read(environ)

    monkeypatch.setattr(Settings, "from_environment", counted)
    minimums = []
    for lowest in (None, None, "0.5", None):
        if lowest is None:
            monkeypatch.delenv("RAGASSERT_MIN_FAITHFULNESS", raising=False)
        else:
            monkeypatch.setenv("RAGASSERT_MIN_FAITHFULNESS", lowest)
        minimums.append(evaluate(case(), FAITHFUL)["faithfulness"].minimum)
    assert minimums == [0.8, 0.8, 0.5, 0.8]
    assert len(reads) == 3
    assert redact("sk-one-of-these") != "sk-one-of-these"
    # a session that was closed is made again
    close_sessions()
    assert evaluate(case(), FAITHFUL)["faithfulness"].stored
