"""When a key is asked for, and what is said of keys that nothing reads."""

import pytest

from pytest_ragassert import EvalCase, Settings, evaluate
from pytest_ragassert.errors import ConfigurationError, JudgeError, RagAssertWarning
from pytest_ragassert.runtime import environment
from tests.loopback.server import LoopbackJudge

from .projects import KEY, PASSING, Project, new_project, section

project = pytest.fixture(new_project)

ELSEWHERE = "http://llm.invalid/v1"
MORE = (
    PASSING
    + """
def test_other():
    assert_faithful(case("other", GOOD + " Dogs are not allowed on board."))
"""
)


def header(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("ragassert: ")]


def errors(result: pytest.RunResult) -> str:
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    return "\n".join(result.errlines)


def stored_by_key(project: Project, judge: LoopbackJudge) -> None:
    """Fill the store as if from `ELSEWHERE`, which the judge's id says; then drop the key."""
    project.set(RAGASSERT_JUDGE_ID="house")
    project.judged_by(judge)
    project.test(PASSING)
    project.run().assert_outcomes(passed=2)
    project.unset("OPENAI_API_KEY")
    project.set(OPENAI_BASE_URL=ELSEWHERE)


# -- keys of others --------------------------------------------------------------------------------


def test_a_key_of_another_provider_is_told_in_header_and_summary(project: Project) -> None:
    project.test(PASSING)
    project.set(ANTHROPIC_API_KEY="sk-ant-0123456789")
    result = project.run()
    result.assert_outcomes(passed=2)
    said = (
        "ANTHROPIC_API_KEY is set but not used; to judge with this provider, set OPENAI_API_KEY to "
        "the value of ANTHROPIC_API_KEY, --ragassert-base-url=https://api.anthropic.com/v1 and "
        "--ragassert-model=MODEL"
    )
    assert header(result)[1:] == [f"ragassert: {said}"]
    assert f"note: {said}" in section(result)
    assert "sk-ant" not in result.stdout.str()


@pytest.mark.parametrize("arg", ["--ragassert-judge=offline", "--ragassert-base-url=http://[::1]"])
def test_who_names_a_judge_is_not_told_of_other_keys(project: Project, arg: str) -> None:
    project.set(ANTHROPIC_API_KEY="sk-ant-0123456789", AZURE_OPENAI_API_KEY="0123456789abcdef")
    assert len(header(project.run(arg))) == 1


def test_azures_endpoint_beside_a_key_of_openai_is_told(project: Project) -> None:
    project.set(OPENAI_API_KEY=KEY, AZURE_OPENAI_ENDPOINT="https://ferry.openai.azure.com")
    [_, line] = header(project.run())
    assert "questions go to https://api.openai.com/v1" in line
    assert "--ragassert-base-url=https://ferry.openai.azure.com/openai/v1" in line


def test_the_error_for_a_missing_key_names_the_one_that_is_there(project: Project) -> None:
    project.set(GROQ_API_KEY="gsk-0123456789", RAGASSERT_MODEL="llama")
    told = errors(project.run())
    assert "the variable OPENAI_API_KEY is not set" in told
    assert "GROQ_API_KEY is set but not used" in told
    assert "--ragassert-base-url=https://api.groq.com/openai/v1" in told


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (
            ("--ragassert-baseline=b.jsonl", "--ragassert-update-baseline"),
            "a baseline is configured without a judge, which selects an OpenAI-compatible one",
        ),
        (
            ("--ragassert-verdicts=v.jsonl", "--ragassert-update-verdicts"),
            "committed verdicts are configured without a judge, which selects an OpenAI-compatible "
            "one",
        ),
        (("--ragassert-model=m",), "an OpenAI-compatible judge is configured"),
        (("--ragassert-judge=openai",), "an OpenAI-compatible judge is configured"),
    ],
)
def test_the_error_for_a_missing_key_says_why_one_is_wanted(
    project: Project, args: tuple[str, ...], why: str
) -> None:
    told = errors(project.run(*args))
    assert f"ERROR: {why}, but the variable OPENAI_API_KEY is not set; set it (" in told
    assert "or run with --ragassert-judge offline" in told


def test_a_base_url_of_the_environment_is_told_as_the_reason(project: Project) -> None:
    project.set(OPENAI_BASE_URL=ELSEWHERE)
    assert (
        "ERROR: the variable OPENAI_BASE_URL is set, which selects an OpenAI-compatible judge, "
        "but the variable OPENAI_API_KEY is not set"
    ) in errors(project.run())


# -- this machine ----------------------------------------------------------------------------------


def test_a_judge_on_this_machine_is_asked_without_a_key(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(PASSING)
    project.set(OPENAI_BASE_URL=judge.base_url)
    result = project.run()
    result.assert_outcomes(passed=2)
    assert "OPENAI_API_KEY" not in result.stdout.str()
    assert {one.headers["authorization"] for one in judge.requests} == {"Bearer none"}


def test_a_judge_on_this_machine_is_asked_outside_pytest_too(judge: LoopbackJudge) -> None:
    case = EvalCase(answer="Dogs bark.", retrieved_contexts=["Dogs bark."])
    settings = Settings(base_url=judge.base_url, record_mode="off")
    assert evaluate(case, ["faithfulness"], settings=settings)["faithfulness"].score == 1


def test_credentials_of_another_kind_go_alone(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    # as if the judge were on another machine
    monkeypatch.setattr("pytest_ragassert.runtime.urls.is_this_machine", lambda _: False)
    monkeypatch.setattr(
        "pytest_ragassert.judging.judges.openai.openai_client.is_this_machine", lambda _: False
    )
    project.test(PASSING)
    project.set(OPENAI_BASE_URL=judge.base_url, OPENAI_CUSTOM_HEADERS="api-key: abcdef0123")
    project.run("--ragassert-record-mode=off").assert_outcomes(passed=2)
    project.unset("OPENAI_CUSTOM_HEADERS")
    project.run(
        "--ragassert-record-mode=off", "--ragassert-header=API-Key: abcdef0123"
    ).assert_outcomes(passed=2)
    assert len(judge.requests) == 8
    for one in judge.requests:
        assert (one.headers.get("authorization"), one.headers["api-key"]) == (None, "abcdef0123")


# -- what is stored --------------------------------------------------------------------------------


def test_a_run_of_stored_verdicts_wants_no_key(project: Project, judge: LoopbackJudge) -> None:
    stored_by_key(project, judge)
    result = project.run()
    result.assert_outcomes(passed=2)
    [line] = header(result)
    assert line.endswith("; OPENAI_API_KEY is not set: only stored answers are available")


def test_the_first_question_that_is_not_stored_ends_judging(
    project: Project, judge: LoopbackJudge
) -> None:
    stored_by_key(project, judge)
    project.test(MORE)
    result = project.run("--ragassert-on-judge-error=skip")
    result.assert_outcomes(passed=2, failed=1)
    said = (
        "the variable OPENAI_API_KEY is not set, and this is not stored; set it (to any text if "
        "the endpoint needs no key), or run with --ragassert-judge offline"
    )
    assert said in result.stdout.str()
    assert "judge errors (not measured): 1: 1 credentials" in section(result)


@pytest.mark.parametrize("mode", ["all", "off"])
def test_where_all_is_asked_the_key_is_wanted_at_the_start(
    project: Project, judge: LoopbackJudge, mode: str
) -> None:
    stored_by_key(project, judge)
    assert "OPENAI_API_KEY" in errors(project.run(f"--ragassert-record-mode={mode}"))


def test_committed_verdicts_want_no_key_either(project: Project, judge: LoopbackJudge) -> None:
    project.set(RAGASSERT_VERDICTS="verdicts.jsonl")
    project.set(RAGASSERT_JUDGE_ID="house")
    project.judged_by(judge)
    project.test(PASSING)
    project.run("--ragassert-update-verdicts").assert_outcomes(passed=2)
    project.unset("OPENAI_API_KEY")
    project.set(OPENAI_BASE_URL=ELSEWHERE, RAGASSERT_MODEL="gpt-4o-mini")
    project.run("--ragassert-cache-dir=elsewhere").assert_outcomes(passed=2)


def test_settings_want_a_key_where_nothing_is_stored(tmp_path: object) -> None:
    case = EvalCase(answer="Dogs bark.", retrieved_contexts=["Dogs bark."])
    settings = Settings(base_url=ELSEWHERE, cache_dir=f"{tmp_path}/store")
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY is not set"):
        evaluate(case, ["faithfulness"], settings=settings)


def test_the_calibration_of_stored_verdicts_tells_the_missing_key_once(
    project: Project, judge: LoopbackJudge
) -> None:
    stored_by_key(project, judge)
    case = EvalCase(answer="Cats purr.", retrieved_contexts=["Dogs bark."])
    settings = Settings(base_url=ELSEWHERE, judge_id="house", cache_dir=project.path / ".ragassert")
    with pytest.raises(JudgeError, match="OPENAI_API_KEY is not set") as raised:
        evaluate(case, ["faithfulness"], settings=settings)
    assert raised.value.ends_judging


def test_outside_pytest_a_warning_tells_of_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(environment, "runs", [])
    monkeypatch.setenv("MISTRAL_API_KEY", "0123456789")
    case = EvalCase(answer="Dogs bark.", retrieved_contexts=["Dogs bark."])
    with pytest.warns(RagAssertWarning, match="MISTRAL_API_KEY is set but not used; to judge"):
        evaluate(case, ["faithfulness"])
