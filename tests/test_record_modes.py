"""What is asked, stored and replayed in each record mode; errors never are stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, JudgeError, Settings, VerdictMissing, evaluate
from pytest_ragassert.errors import ConfigurationError

from .conftest import MakeSettings, close_sessions
from .loopback.server import LoopbackJudge
from .replies import CONTRA, asks, case, in_new_run, says_claims, says_verdicts

FAITHFUL = ["faithfulness"]
ELSEWHERE = "http://llm.invalid/v1"


def test_new_episodes_stores_and_replays(judge: LoopbackJudge, settings: MakeSettings) -> None:
    first = evaluate(case(), FAITHFUL, settings=settings())["faithfulness"]
    assert (first.stored, first.requests) == (False, 2)
    second = in_new_run(case(), FAITHFUL, settings())["faithfulness"]
    assert (second.stored, second.requests) == (True, 0)
    assert judge.count() == 2
    unchanged = {"stored", "requests"}
    assert second.model_dump(exclude=unchanged) == first.model_dump(exclude=unchanged)


def test_what_this_run_asked_does_not_count_as_stored(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    evaluate(case(id="a"), FAITHFUL, settings=settings())
    again = evaluate(case(id="b"), FAITHFUL, settings=settings())["faithfulness"]
    assert (again.stored, again.requests, judge.count()) == (False, 2, 2)


def test_a_new_question_beside_a_stored_one(judge: LoopbackJudge, settings: MakeSettings) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    other = case(retrieved_contexts=["Other context."])
    result = in_new_run(other, FAITHFUL, settings())["faithfulness"]
    assert (result.stored, result.requests, judge.count()) == (False, 1, 3)


def test_replay_needs_no_key_and_asks_nothing(judge: LoopbackJudge, settings: MakeSettings) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    judge.close()
    replay = settings(record_mode="none", api_key=None)
    assert in_new_run(case(), FAITHFUL, replay)["faithfulness"].stored


@pytest.mark.parametrize("store", ["there", "absent"])
def test_replay_without_a_stored_verdict_says_what_is_missing(
    judge: LoopbackJudge, settings: MakeSettings, store: str
) -> None:
    if store == "there":
        evaluate(case(), FAITHFUL, settings=settings())
    judge.reset()
    other = case(retrieved_contexts=["Other context."])
    with pytest.raises(VerdictMissing) as caught:
        in_new_run(other, FAITHFUL, settings(record_mode="none", api_key=None))
    message = str(caught.value)
    for part in ("faithfulness", "tram-1", "judge-a", "--ragassert-record-mode=new_episodes"):
        assert part in message
    assert ("verify_claims" if store == "there" else "extract_claims") in message
    assert judge.count() == 0


def test_a_missing_key_is_told_where_something_may_be_asked(settings: MakeSettings) -> None:
    with pytest.raises(ConfigurationError, match=r"OPENAI_API_KEY.*--ragassert-judge offline"):
        evaluate(case(), FAITHFUL, settings=settings(api_key=None, base_url=ELSEWHERE))


def test_all_asks_again_and_overwrites(judge: LoopbackJudge, settings: MakeSettings) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    says_claims(judge, {"The tram runs every 12 minutes on weekdays.": ["It runs"]})
    everything = settings(record_mode="all")
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, everything)) == 2
    # once a run, not once a case
    assert asks(judge, lambda: evaluate(case(id="b"), FAITHFUL, settings=everything)) == 0
    replayed = in_new_run(case(), FAITHFUL, settings(record_mode="none"))["faithfulness"]
    assert [claim.text for claim in replayed.claims] == ["It runs"]


def test_off_has_no_store(judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path) -> None:
    off = settings(record_mode="off")
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, off)) == 2
    assert asks(judge, lambda: evaluate(case(id="b"), FAITHFUL, settings=off)) == 0
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, off)) == 2
    assert not (tmp_path / "store").exists()


def test_off_does_not_read_the_store(judge: LoopbackJudge, settings: MakeSettings) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, settings(record_mode="off"))) == 2


def test_the_offline_judge_is_never_stored(settings: MakeSettings, tmp_path: Path) -> None:
    for mode in ("new_episodes", "none", "all", "off"):
        offline = settings(judge="offline", record_mode=mode)
        result = evaluate(case(), FAITHFUL, settings=offline)["faithfulness"]
        assert result.score == 1.0
        assert result.judge.startswith("offline-")
    assert not (tmp_path / "store").exists()


ERRORS: list[dict[str, Any]] = [
    {"status": 400},
    {"content": "I would rather not."},
    {"content": '{"verdicts": []}'},
    {"content": '{"verdicts": [{"id": 1, "verdict": "sup', "finish_reason": "length"},
    {"message": {"role": "assistant", "content": None, "refusal": "no"}},
    {"content": "", "finish_reason": "content_filter"},
]


@pytest.mark.parametrize("reply", ERRORS, ids=str)
def test_an_error_is_not_stored(
    judge: LoopbackJudge, settings: MakeSettings, reply: dict[str, Any]
) -> None:
    judge.script([{"step": "verdicts", **reply}], repeat_last=True)
    with pytest.raises(JudgeError):
        evaluate(case(), FAITHFUL, settings=settings())
    judge.reset(replies=True)
    result = in_new_run(case(), FAITHFUL, settings())["faithfulness"]
    assert result.score == 1.0
    # the claims were stored, the verdicts were not
    assert (judge.count("claims"), judge.count("verdicts")) == (0, 1)
    assert in_new_run(case(), FAITHFUL, settings(record_mode="none"))["faithfulness"].stored


def test_a_failed_question_is_not_asked_again_in_the_run(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.script([{"step": "verdicts", "status": 400}], repeat_last=True)
    errors = []
    for number in range(3):
        with pytest.raises(JudgeError) as caught:
            evaluate(case(id=f"c{number}"), FAITHFUL, settings=settings())
        errors.append(caught.value)
    assert judge.count("verdicts") == 1
    assert [error.kind for error in errors] == ["request"] * 3
    assert "case c2" in str(errors[2])
    # other questions are not affected
    judge.reset(replies=True)
    other = case(retrieved_contexts=["It stops at the harbour."])
    assert evaluate(other, FAITHFUL, settings=settings())["faithfulness"].score == 0.5


def test_a_verdict_is_stored_as_the_judge_gave_it(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    """The evidence gate works on stored verdicts too, so that it can be switched."""
    says_verdicts(judge, dict.fromkeys(SENTENCES, CONTRA))
    gated = evaluate(case(), FAITHFUL, settings=settings())["faithfulness"]
    ungated = in_new_run(case(), FAITHFUL, settings(evidence_gate="off"))["faithfulness"]
    assert [claim.verdict.value for claim in gated.claims] == ["NO_EVIDENCE"] * 2
    assert [claim.verdict.value for claim in ungated.claims] == ["CONTRADICTORY"] * 2
    assert ungated.stored


SENTENCES = ("The tram runs every 12 minutes on weekdays.", "It stops at the harbour.")


def test_the_environment_gives_settings(
    judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without pytest's own session `evaluate` asks as the environment says."""
    monkeypatch.setenv("RAGASSERT_CACHE_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("RAGASSERT_MODEL", "judge-e")
    monkeypatch.setenv("OPENAI_BASE_URL", judge.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-environment")
    result = evaluate(case(), FAITHFUL)["faithfulness"]
    assert (result.score, result.judge) == (1.0, "judge-e")
    assert judge.requests[0].headers["authorization"] == "Bearer sk-from-environment"
    assert (tmp_path / "elsewhere" / "cache.db").exists()
    close_sessions()
    monkeypatch.setenv("RAGASSERT_TEMPERATURE", "warm")
    with pytest.raises(ConfigurationError, match="RAGASSERT_TEMPERATURE"):
        Settings.from_environment()


def test_each_call_without_a_run_asks_as_the_environment_says_then(
    judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(settings: Settings | None = None) -> list[tuple[str, str | None]]:
        judge.reset()
        evaluate(case(), FAITHFUL, settings=settings)
        found = {
            (r.headers["authorization"], r.headers.get("openai-organization"))
            for r in judge.requests
        }
        return sorted(found, key=str)

    monkeypatch.setenv("RAGASSERT_RECORD_MODE", "off")
    monkeypatch.setenv("OPENAI_BASE_URL", judge.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-first-key")
    own = Settings(record_mode="off", model="judge-o")
    for given in (None, own):
        assert asked(given) == [("Bearer sk-first-key", None)]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-second-key")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-b")
    for given in (None, own):
        assert asked(given) == [("Bearer sk-second-key", "org-b")]
    with LoopbackJudge() as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.base_url)
        for given in (None, own):
            assert asked(given) == []
        assert other.count() == 4
        close_sessions()
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name)
    assert evaluate(case(), FAITHFUL)["faithfulness"].judge.startswith("offline")


def test_without_a_judge_the_offline_one_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = evaluate(EvalCase(answer="A tram.", retrieved_contexts=["A tram."]), FAITHFUL)
    assert result["faithfulness"].judge.startswith("offline-")
    assert list(tmp_path.iterdir()) == []
