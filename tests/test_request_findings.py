"""What helps where an endpoint does not say what it refuses: found once, remembered, forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, JudgeError, evaluate
from pytest_ragassert.judging.judges.openai.error_body import ServerError
from pytest_ragassert.judging.judges.openai.request_parameters import RequestShape
from pytest_ragassert.runtime.clock import Clock
from pytest_ragassert.storage.run_state.request_forms import KeptFindings
from pytest_ragassert.storage.run_state.run_folder import RunFolder

from .conftest import MakeSettings, close_sessions
from .loopback.judge import Json
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import case, many

UNEXPLAINED = {"status": 400, "body": {"error": {"message": "This can't be had today"}}}
OF_THE_TEXT = {"status": 400, "body": {"error": {"message": "Not with this text"}}}


def types(judge: LoopbackJudge) -> list[str | None]:
    return [r.body.get("response_format", {}).get("type") for r in judge.requests]


def refuse_schema(judge: LoopbackJudge) -> None:
    judge.on(lambda r: UNEXPLAINED if _type(r) == "json_schema" else None)


def _type(recorded: Recorded) -> str | None:
    kind: str | None = recorded.body.get("response_format", {}).get("type")
    return kind


def run(
    judge: LoopbackJudge, settings: MakeSettings, cases: Iterable[EvalCase], **options: Any
) -> list[Any]:
    """The errors of a new run's cases, and a clean record of what it asked."""
    close_sessions()
    judge.reset()
    done = evaluate(list(cases), ["faithfulness"], settings=settings(**options), on_error="collect")
    return [one.errors.get("faithfulness") for one in done]


def told(settings: MakeSettings, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lines: list[str] = []
    monkeypatch.setattr(
        RunFolder, "add_notice", lambda self, line, *, verbose_only=False: lines.append(line)
    )
    return lines


def test_the_next_run_begins_with_what_helped(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = told(settings, monkeypatch)
    refuse_schema(judge)
    assert run(judge, settings, [case()]) == [None]
    assert types(judge) == ["json_schema", "json_object", "json_object"]
    assert [line for line in lines if "This can't be had today" in line] == [
        "judge-a refused a whole request (400 This can't be had today) and accepts requests "
        "without response_format json_schema; later runs leave it out too, until one with "
        "--ragassert-record-mode=all tries again"
    ]
    lines.clear()
    assert run(judge, settings, many(3)) == [None] * 3
    assert set(types(judge)) == {"json_object"}
    assert lines == [
        "judge-a is asked without response_format json_schema, which it refused in an earlier run"
    ]


def test_each_model_and_judge_has_its_own(judge: LoopbackJudge, settings: MakeSettings) -> None:
    refuse_schema(judge)
    run(judge, settings, [case()])
    run(judge, settings, many(1), model="judge-b")
    assert types(judge)[0] == "json_schema"
    run(judge, settings, many(1), judge_id="another")
    assert types(judge)[0] == "json_schema"


@pytest.mark.parametrize("mode", ["all", "off"])
def test_a_run_that_uses_no_store_tries_whole_requests_again(
    judge: LoopbackJudge, settings: MakeSettings, mode: str
) -> None:
    refuse_schema(judge)
    run(judge, settings, [case()])
    judge.reset(replies=True)
    assert run(judge, settings, many(2), record_mode=mode) == [None, None]
    assert set(types(judge)) == {"json_schema"}


def test_what_is_remembered_ends_after_a_month(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_schema(judge)
    run(judge, settings, [case()])
    judge.reset(replies=True)
    later = Clock.since_1970() + 31 * 86_400
    monkeypatch.setattr(Clock, "since_1970", staticmethod(lambda: later))
    run(judge, settings, many(2))
    assert set(types(judge)) == {"json_schema"}


def test_what_is_remembered_and_refused_is_found_anew(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    refuse_schema(judge)
    run(judge, settings, [case()])
    judge.reset(replies=True)
    # the server changed: now it wants what it refused
    judge.on(lambda r: UNEXPLAINED if _type(r) != "json_schema" else None)
    assert run(judge, settings, many(2)) == [None, None]
    assert types(judge) == ["json_object", *["json_schema"] * 4]
    run(judge, settings, [case(answer="It is new.")])
    assert set(types(judge)) == {"json_schema"}


def test_a_damaged_file_is_no_memory(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    refuse_schema(judge)
    run(judge, settings, [case()])
    file = tmp_path / "store" / "requests.json"
    whole = file.read_text("utf-8")
    for damaged in ("", "[]", "{", '{"x": 1}', whole.replace('"json_object"', '"xml"'), "[" * 9999):
        file.write_text(damaged, encoding="utf-8")
        assert run(judge, settings, [case(answer=f"It has {len(damaged)} wheels.")]) == [None]
        assert types(judge)[:2] == ["json_schema", "json_object"]
    assert "sk-test-key" not in file.read_text("utf-8")


def test_no_shape_of_a_foreign_file_is_believed() -> None:
    shape = RequestShape()
    shape.learn("seed", {"seed": 1})
    record = shape.record()
    again = RequestShape.of_record(record)
    assert again is not None
    assert again.record() == record
    wrong: list[Any] = [
        None,
        [],
        {},
        {**record, "format": 3},
        {**record, "without": 5},
        {**record, "stream": "x"},
    ]
    for one in wrong:
        assert RequestShape.of_record(one) is None


@pytest.mark.parametrize("first", [True, False])
def test_nothing_is_learned_from_what_belongs_to_one_text(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, first: bool
) -> None:
    wrong = "Tram 0" if first else "Tram 2"
    judge.on(lambda r: OF_THE_TEXT if wrong in str(r.data) else None)
    errors = run(judge, settings, many(3), concurrency=1)
    assert [error is not None for error in errors] == [first, False, not first]
    assert not (tmp_path / "store" / "requests.json").exists()
    # behind the first answer a refusal is about its text
    forms = [r.body.get("response_format") is None for r in judge.requests]
    assert any(forms) is first
    failed = next(error for error in errors if error is not None)
    assert isinstance(failed, JudgeError)
    assert ("simpler requests" in str(failed)) is first


def test_where_nothing_helps_it_is_tried_once(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.script([UNEXPLAINED], repeat_last=True)
    errors = run(judge, settings, many(5))
    assert [error.kind for error in errors] == ["request"] * 5
    assert all(
        "400 This can't be had today; it refused simpler requests" in str(error) for error in errors
    )
    assert types(judge).count("json_object") == 1
    assert judge.count() == 5 + 3


def test_several_at_once_wait_for_the_one_that_finds_it(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    # of the second model all first requests are out before one is refused
    judge.latency = 0.05
    judge.on(
        lambda r: (
            UNEXPLAINED if r.body["model"] == "judge-b" and "response_format" in r.body else None
        )
    )
    assert run(judge, settings, many(6), model=["judge-a", "judge-b"]) == [None] * 6
    tried = [_type(r) for r in judge.requests if r.body["model"] == "judge-b"]
    assert tried.count("json_object") == 1
    assert tried.count(None) == 6


def test_what_is_kept_is_bounded(tmp_path: Path) -> None:
    shapes = KeptFindings(RunFolder(tmp_path / "run"), tmp_path / "store", forgets=False)
    shapes.keep("judge 0", RequestShape().record(), lasting=True)
    file = tmp_path / "store" / "requests.json"
    (record,) = json.loads(file.read_text("utf-8")).values()
    file.write_text(json.dumps({f"judge {number}": record for number in range(499)}), "utf-8")
    for number in range(499, 503):
        shapes.keep(f"judge {number}", RequestShape().record(), lasting=True)
    kept = json.loads(file.read_text("utf-8"))
    assert len(kept) == 500
    assert "judge 502" in kept


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "x" * 10**6}},
        {"errors": [{"message": f"no {n}"} for n in range(10**5)]},
        {"error": json.dumps({"error": json.dumps({"detail": "[" * 10**5})})},
        "<html>" + "<title" * 10**5,
        "<html>" + "<h1>x" * 10**5,
        {"detail": [{"loc": ["body", "x" * 10**5], "msg": "y"}] * 100},
    ],
)
def test_whatever_an_error_holds_its_words_are_few(body: Json) -> None:
    error = ServerError(400, body)
    assert len(error.words) < 5_000
    assert len(error.records) <= 200
    assert error.parameter is None or len(error.parameter) < 200_000
