"""Options: where they may stand, which place wins, and what a bad value says."""

from __future__ import annotations

import re

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import KEY, PASSING, Project, new_project, section

project = pytest.fixture(new_project)

USAGE_ERROR = pytest.ExitCode.USAGE_ERROR
ONE = """
from ferry import case
from pytest_ragassert import assert_faithful

def test_times():
    assert_faithful(case("times"))
"""


def header(result: pytest.RunResult) -> str:
    (line,) = [line for line in result.outlines if line.startswith("ragassert: ")]
    return line


def errors(result: pytest.RunResult) -> str:
    assert result.ret == USAGE_ERROR, result.stdout.str()
    lines = [line for line in result.errlines if line]
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    return "\n".join(lines)


def ini(project: Project, *lines: str) -> None:
    project.pytester.makeini("[pytest]\n" + "\n".join(lines) + "\n")


def toml(project: Project, *lines: str) -> None:
    # pytest 8 reads TOML's own numbers too, but in its older table only
    table = "tool.pytest" if pytest.version_tuple >= (9,) else "tool.pytest.ini_options"
    project.pytester.makepyprojecttoml(f"[{table}]\n" + "\n".join(lines) + "\n")


def test_the_nearest_place_wins(project: Project, judge: LoopbackJudge) -> None:
    project.test(ONE)
    project.judged_by(judge)

    def asked() -> tuple[str, float]:
        body = judge.requests[-1].body
        return body["model"], body["temperature"]

    project.run()
    assert asked() == ("gpt-4o-mini", 0)
    ini(project, "ragassert_model = from-ini", "ragassert_temperature = 0.25")
    project.run()
    assert asked() == ("from-ini", 0.25)
    project.set(RAGASSERT_MODEL="from-environment", RAGASSERT_TEMPERATURE="0.5")
    project.run()
    assert asked() == ("from-environment", 0.5)
    project.run("-o", "ragassert_model=from-override")
    assert asked() == ("from-environment", 0.5)
    project.run("--ragassert-model", "from-command-line", "--ragassert-temperature=0.75")
    assert asked() == ("from-command-line", 0.75)
    project.set(RAGASSERT_MODEL="", RAGASSERT_TEMPERATURE="")
    project.run("-o", "ragassert_model=from-override", "-o", "ragassert_temperature=1")
    assert asked() == ("from-override", 1)


def test_everything_set_is_sent_and_nothing_else(project: Project, judge: LoopbackJudge) -> None:
    project.test(ONE)
    project.judged_by(judge)
    project.run()
    assert set(judge.requests[-1].body) == {"model", "messages", "response_format", "temperature"}
    toml(
        project,
        'ragassert_model = "from-toml"',
        "ragassert_temperature = 0.5",
        "ragassert_top_p = 0.25",
        "ragassert_seed = 7",
        "ragassert_max_tokens = 900",
        "ragassert_concurrency = 2",
        "ragassert_timeout = 30.0",
        "ragassert_token_budget = 9000",
        "ragassert_max_calls = 2",
        "ragassert_max_tokens_total = 100000",
        "ragassert_requests_per_minute = 600",
        'ragassert_on_judge_error = "skip"',
        "ragassert_min_faithfulness = 0.5",
        'ragassert_evidence_gate = "off"',
        'ragassert_prices = ["from-toml 1 2"]',
    )
    result = project.run()
    sent = judge.requests[-1].body
    wanted = {"model": "from-toml", "temperature": 0.5, "top_p": 0.25, "seed": 7, "max_tokens": 900}
    assert {name: sent[name] for name in wanted} == wanted
    assert judge.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    assert header(result).endswith(
        "; max-calls 2; max-tokens-total 100000; requests-per-minute 600; on-judge-error skip"
    )
    assert "; cost 0.00" in section(result)[-2]


def test_several_models_are_a_jury(project: Project, judge: LoopbackJudge) -> None:
    project.test(ONE)
    project.judged_by(judge)
    result = project.run("--ragassert-model=a", "--ragassert-model=b,c")
    assert [r.body["model"] for r in judge.requests if r.step == "extract_claims"] == ["a"]
    verified = [r.body["model"] for r in judge.requests if r.step == "verify_claims"]
    assert sorted(verified) == ["a", "b", "c"]
    assert header(result).startswith("ragassert: judge a, b, c at http://127.0.0.1:")


# option, bad value, what the message lists
BAD_VALUES = [
    ("record_mode", "sometimes", "one of new_episodes, none, all, off"),
    ("temperature", "warm", "a number from 0 to 2"),
    ("temperature", "2.5", "a number from 0 to 2"),
    ("temperature", "nan", "a number from 0 to 2"),
    ("top_p", "-0.1", "a number from 0 to 1"),
    ("seed", "1.5", "a whole number"),
    ("max_tokens", "0", "a whole number from 1"),
    ("votes", "0", "a whole number from 1"),
    ("votes", "2.5", "a whole number from 1"),
    ("vote_temperature", "2.5", "a number from 0 to 2"),
    ("concurrency", "0", "a whole number from 1"),
    ("timeout", "0", "a number of seconds above 0"),
    ("timeout", "inf", "a number of seconds above 0"),
    ("max_calls", "0", "a whole number from 1"),
    ("max_calls", "many", "a whole number from 1"),
    ("max_tokens_total", "-5", "a whole number from 1"),
    ("requests_per_minute", "0", "a whole number from 1"),
    ("requests_per_minute", "0.5", "a whole number from 1"),
    ("on_judge_error", "ignore", "one of fail, skip"),
    ("model", "a,,", "a name, or several separated by commas"),
    ("model", "a,a", "twice"),
    ("base_url", "localhost:8000/v1", "http"),
    ("judge", " ", "a name"),
]
INI_ONLY = [
    ("evidence_gate", "yes", "one of on, off"),
    ("no_claims", "skip", "one of fail, warn, pass"),
    ("token_budget", "20", "a whole number from 500"),
    ("prices", "gpt-4o-mini 1", "MODEL INPUT OUTPUT"),
    ("prices", "gpt-4o-mini nan -1", "MODEL INPUT OUTPUT"),
    ("min_faithfulness", "80", "a number from 0 to 1"),
    ("min_factual_f1", "high", "a number from 0 to 1"),
]


@pytest.mark.parametrize(("option", "value", "valid"), BAD_VALUES)
def test_a_bad_value_on_the_command_line(
    project: Project, option: str, value: str, valid: str
) -> None:
    project.set(OPENAI_API_KEY="sk-unused")
    name = f"--ragassert-{option.replace('_', '-')}"
    told = errors(project.run(name, value))
    assert name in told
    assert valid in told


@pytest.mark.parametrize(("option", "value", "valid"), [*BAD_VALUES[:-1], *INI_ONLY])
def test_a_bad_value_elsewhere(project: Project, option: str, value: str, valid: str) -> None:
    project.set(OPENAI_API_KEY="sk-unused")
    ini(project, f"ragassert_{option} = {value}")
    told = errors(project.run())
    assert f"ragassert_{option}" in told
    assert valid in told
    project.pytester.makeini("[pytest]\n")
    name = f"RAGASSERT_{option.upper()}"
    project.set(**{name: value})
    told = errors(project.run())
    assert name in told
    assert valid in told


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="[tool.pytest] came with pytest 9")
@pytest.mark.parametrize(
    ("line", "valid"),
    [
        ('ragassert_temperature = "warm"', "number"),
        ("ragassert_temperature = true", "number"),
        ("ragassert_temperature = [0.5]", "number"),
        ("ragassert_seed = 1.5", "number"),
        ("ragassert_model = 5", "name"),
        ('ragassert_record_mode = ["none"]', "new_episodes"),
        ('ragassert_record_mode = "sometimes"', "new_episodes"),
        ('ragassert_min_faithfulness = "high"', "number from 0 to 1"),
        ("ragassert_min_faithfulness = 80", "number from 0 to 1"),
        ('ragassert_prices = "gpt 1 2"', "MODEL INPUT OUTPUT"),
    ],
)
def test_a_bad_value_in_native_toml(project: Project, line: str, valid: str) -> None:
    toml(project, line)
    told = errors(project.run())
    assert line.split()[0] in told
    assert valid in told


def test_minimums_by_call_case_place_and_default(project: Project) -> None:
    project.test(
        """
        import pytest
        from ferry import GOOD, ODD, case
        from pytest_ragassert import assert_factual_recall, assert_faithful

        def half(**fields):
            return case("half", GOOD + " " + ODD, ground_truth_answer=GOOD, **fields)

        @pytest.mark.parametrize(
            "min, own", [(None, None), (0.5, None), (None, 0.5), (0.5, 0.9), (0.9, 0.5)]
        )
        def test_half(min, own):
            assert_faithful(half(minimums={} if own is None else {"faithfulness": own}), min=min)

        def test_just_enough():
            assert_faithful(half(), min=0.5 + 1e-10)

        def test_other():
            assert_factual_recall(half())
        """
    )

    def outcome() -> dict[str, int]:
        return project.run().parseoutcomes()

    assert outcome() == {"passed": 5, "failed": 2}
    ini(project, "ragassert_min_faithfulness = 0.4")
    assert outcome() == {"passed": 6, "failed": 1}
    project.set(RAGASSERT_MIN_FACTUAL_RECALL="1")
    # one metric's variable leaves the ini minimum of another alone
    assert outcome() == {"passed": 6, "failed": 1}
    project.set(RAGASSERT_MIN_FAITHFULNESS="0.6")
    assert outcome() == {"passed": 5, "failed": 2}


def test_a_project_that_configures_nothing_gets_the_offline_judge(project: Project) -> None:
    project.test(ONE)
    assert header(project.run()).startswith("ragassert: judge offline-3 (offline; ")
    # options that say nothing of a judge leave that so
    ini(project, "ragassert_temperature = 0", "ragassert_cache_dir = store")
    assert header(project.run()).startswith("ragassert: judge offline-3 (offline; ")


@pytest.mark.parametrize(
    "line",
    [
        "ragassert_model = gpt-4o",
        "ragassert_base_url = http://llm.example.com/v1",
        "ragassert_judge_id = x",
        "ragassert_judge = openai",
    ],
)
def test_a_configured_judge_needs_its_key(project: Project, line: str) -> None:
    project.test(ONE)
    ini(project, line)
    told = errors(project.run())
    assert "OPENAI_API_KEY" in told
    assert "--ragassert-judge offline" in told
    project.set(OPENAI_API_KEY="")
    assert "OPENAI_API_KEY" in errors(project.run())
    project.run("--ragassert-judge", "offline").assert_outcomes(passed=1)


@pytest.mark.parametrize("question", ["--help", "--markers", "--fixtures"])
def test_help_needs_no_key(project: Project, question: str) -> None:
    ini(project, "ragassert_model = gpt-4o")
    assert project.run(question).ret == pytest.ExitCode.OK


def test_a_base_url_in_the_environment_configures_a_judge(project: Project) -> None:
    project.set(OPENAI_BASE_URL="http://llm.example.com/v1")
    assert "OPENAI_API_KEY" in errors(project.run())


def test_replay_needs_no_key_and_no_server(project: Project, judge: LoopbackJudge) -> None:
    project.test(ONE)
    project.judged_by(judge)
    project.run().assert_outcomes(passed=1)
    project.unset("OPENAI_API_KEY")
    asked = judge.count()
    result = project.run("--ragassert-record-mode=none")
    result.assert_outcomes(passed=1)
    assert header(result).endswith(
        f"record-mode none (command line); store {project.path}/.ragassert"
    )
    assert "judgements: 0 asked, 2 stored, 0 carried" in section(result)

    project.test(PASSING)
    project.set(RAGASSERT_RECORD_MODE="none", COLUMNS="400")
    missed = project.run()
    missed.assert_outcomes(passed=1, failed=1)
    assert "record-mode none (RAGASSERT_RECORD_MODE)" in header(missed)
    assert "no stored verdict (not measured): 1" in section(missed)
    (line,) = [line for line in missed.outlines if line.startswith("FAILED ")]
    for part in (
        "VerdictMissing",
        "extract_claims",
        "gpt-4o-mini",
        "--ragassert-record-mode=new_episodes",
    ):
        assert part in line
    assert judge.count() == asked


def test_the_record_modes(project: Project, judge: LoopbackJudge) -> None:
    project.test(ONE)
    project.judged_by(judge)
    ini(project, "ragassert_record_mode = off")
    result = project.run()
    assert header(result).endswith("record-mode off (ini); store none")
    assert not (project.path / ".ragassert").exists()
    project.run()
    assert judge.count() == 4
    project.run("--ragassert-record-mode=all")
    assert judge.count() == 6
    project.run("--ragassert-record-mode=new_episodes")
    assert judge.count() == 6
    assert (
        "judgements: 2 asked, 0 stored" in section(project.run("--ragassert-record-mode=all"))[-2]
    )
    assert judge.count() == 8


def test_where_a_relative_store_lies(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.test(ONE)
    project.judged_by(judge)
    inner = project.pytester.mkdir("inner")
    ini(project, "ragassert_cache_dir = by-ini", "testpaths = .")
    monkeypatch.chdir(inner)
    project.run("..")
    assert (project.path / "by-ini" / "cache.db").exists()
    project.set(RAGASSERT_CACHE_DIR="by-environment")
    project.run("..")
    assert (inner / "by-environment" / "cache.db").exists()
    project.run("..", "--ragassert-cache-dir=by-command-line")
    assert (inner / "by-command-line" / "cache.db").exists()


def test_a_store_that_cant_be_used_is_told_and_costs_no_test(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(PASSING)
    project.judged_by(judge)
    project.path.joinpath("taken").write_text("no folder")
    result = project.run("--ragassert-cache-dir=taken")
    result.assert_outcomes(passed=2)
    notes = [line for line in section(result) if line.startswith("note: ")]
    assert len(notes) == 1
    assert "--ragassert-cache-dir" in notes[0]
    assert judge.count() == 4


def test_an_unknown_judge_is_told_with_the_known_ones(project: Project) -> None:
    project.test(PASSING)
    result = project.run("--ragassert-judge=clever")
    assert unknown(result) == [
        "ERROR: unknown judge 'clever'; if it is a model's name, use --ragassert-model clever; "
        "--ragassert-judge takes auto, openai, offline, or a name that a "
        "pytest_ragassert_make_judge hook knows"
    ]


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--ragassert-judge=ofline", "unknown judge 'ofline'; did you mean offline? "),
        ("--ragassert-embedder=wordlama", "unknown embedder 'wordlama'; did you mean wordllama? "),
        (
            "-oragassert_embedder=sentence_transformer:all-MiniLM-L6-v2",
            "unknown embedder 'sentence_transformer:all-MiniLM-L6-v2'; did you mean "
            "sentence-transformers:MODEL? ",
        ),
        ("--ragassert-embedder=sentence-transformers", "did you mean sentence-transformers:MODEL"),
    ],
)
def test_the_nearest_name_is_told_once_before_any_test(
    project: Project, option: str, hint: str
) -> None:
    project.test(PASSING)
    told = unknown(project.run(option))
    assert len(told) == 1
    assert hint in told[0]


def test_several_workers_tell_an_unknown_judge_once(project: Project) -> None:
    project.test(PASSING)
    result = project.run("--ragassert-judge=ofline", "-n2", "-q")
    (told,) = unknown(result)
    assert "did you mean offline?" in told
    assert result.stdout.str().count("ofline") == 0


def unknown(result: pytest.RunResult) -> list[str]:
    """The errors of a run that ended before any test."""
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert not any(re.search(r"\d (passed|failed|error)", line) for line in result.outlines)
    return [line for line in result.errlines if line.startswith("ERROR: ")]


def test_a_name_that_nobody_knows_costs_no_run_that_measures_nothing(project: Project) -> None:
    project.test("def test_it(): pass")
    project.run("--ragassert-judge=ofline", "--co").assert_outcomes()
    project.run("--ragassert-judge=ofline", "-k", "nothing", "nowhere.py")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("RAGASSERT_JUGDE", "; did you mean RAGASSERT_JUDGE?"),
        ("RAGASSERT_GATE", "; did you mean RAGASSERT_GATES?"),
        ("ragassert_model", "; did you mean RAGASSERT_MODEL?"),
        ("RAGASSERT_MINIMUM_FAITHFULNESS", "; did you mean RAGASSERT_MIN_FAITHFULNESS?"),
        ("RAGASSERT_XYZZY", ""),
    ],
)
def test_a_variable_of_no_option_is_warned_about(project: Project, name: str, hint: str) -> None:
    project.test(PASSING)
    project.set(**{name: "offline"})
    told = f"the environment variable {name} has no effect: no option reads it{hint}"
    result = project.run("-q")
    result.assert_outcomes(passed=2, warnings=1)
    (line,) = (line for line in result.outlines if name in line)
    assert line.endswith(f"RagAssertWarning: {told}")


def test_such_a_variable_is_one_warning_of_several_workers(project: Project) -> None:
    project.test(PASSING)
    project.set(RAGASSERT_JUGDE="offline")
    result = project.run("-q", "-n2")
    assert result.stdout.str().count("RAGASSERT_JUGDE") == 1


def test_where_warnings_are_errors_such_a_variable_is_a_usage_error(project: Project) -> None:
    project.test(PASSING)
    project.set(RAGASSERT_JUGDE="offline")
    (told,) = unknown(project.run("-Werror"))
    assert told.endswith("did you mean RAGASSERT_JUDGE?")


def test_a_wrong_field_is_told_at_the_line_that_makes_the_case(project: Project) -> None:
    project.test(
        """
        from pytest_ragassert import EvalCase

        def test_it():
            EvalCase(id="w", anser="x")
        """
    )
    result = project.run()
    result.assert_outcomes(failed=1)
    told = "case 'w': unknown field 'anser' (did you mean 'answer'?)"
    (line,) = (line for line in result.outlines if line.startswith("E "))
    assert line.split(maxsplit=1)[1] == f"CaseMistakes: {told}"
    assert "_own_names" not in result.stdout.str()
    assert any(line.startswith("FAILED test_it.py::test_it - case 'w'") for line in result.outlines)


def test_help_has_a_group_of_its_own(project: Project) -> None:
    lines = project.run("--help").outlines
    at = lines.index("RAG regression tests:")
    group = lines[at + 1 : lines.index("", at + 1)]
    named = [line.split()[0] for line in group if line.startswith("  --")]
    assert named[:3] == [
        "--ragassert-judge=J",
        "--ragassert-judge-id=ID",
        "--ragassert-model=MODEL",
    ]
    assert all(name.startswith("--ragassert-") for name in named)
    text = "\n".join(lines)
    for ini_name in ("ragassert_no_claims (string):", "ragassert_min_faithfulness (float):"):
        assert ini_name in text
    assert any(
        line.startswith("@pytest.mark.rag_cases(cases, metrics=())")
        for line in project.run("--markers").outlines
    )
    fixtures = project.run("--fixtures").stdout.str()
    assert "rag_case " in fixtures
    assert "ragassert [session scope]" in fixtures
