"""Messages of commands name options as the commands have them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_ragassert.commands.command_line import command_parser, main
from pytest_ragassert.commands.option_names import SHARED, in_own_words
from pytest_ragassert.config.options import OPTIONS
from tests.loopback.server import LoopbackJudge
from tests.writing_judge import writes

from .conftest import Generate

GENERATE = ["generate", "documents", "--output", "c.jsonl"]
CALIBRATE = ["calibrate", "claims.jsonl"]
GRANULARITY = ["granularity", "answers.jsonl"]
ASKING = {"generate": GENERATE, "calibrate": CALIBRATE, "granularity": GRANULARITY}
INFO = ["verdicts", "info"]
Said = Callable[..., tuple[int, str]]
REJUDGE = ["rejudge", "results.json", "--from", "a", "--to", "b"]


@pytest.fixture
def folder(generate: Generate, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with something to give each command that asks a judge."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    claim = {
        "claim": "It costs 4 crowns.",
        "context": "A ticket costs 4 crowns.",
        "label": "supported",
    }
    (generate.folder / "claims.jsonl").write_text(json.dumps(claim) + "\n")
    case = {"id": "a", "question": "What does it cost?", "answer": "It costs 4 crowns."}
    (generate.folder / "answers.jsonl").write_text(json.dumps(case) + "\n")
    return generate.folder


@pytest.fixture
def said(folder: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a command, and returns its exit status and all it printed."""

    def said(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(arguments)
        return status, "".join(capsys.readouterr())

    return said


WORDS = [
    (CALIBRATE, "check --ragassert-base-url", "check --base-url"),
    (CALIBRATE, "use --ragassert-model x; --ragassert-judge takes", "use --model x; --judge takes"),
    (CALIBRATE, "set --ragassert-base-url=http://a/v1", "set --base-url=http://a/v1"),
    (CALIBRATE, "run with --ragassert-judge offline", "run with --judge offline"),
    (CALIBRATE, "(--ragassert-max-calls=30)", "(RAGASSERT_MAX_CALLS=30)"),
    (GENERATE, "(--ragassert-max-calls=30)", "(--max-calls=30)"),
    (GENERATE, "--ragassert-seed=1 or --ragassert-seed", "RAGASSERT_SEED=1 or ragassert_seed"),
    (GENERATE, "--ragassert-header takes headers", "--header takes headers"),
    (INFO, "give it with --ragassert-cache-dir", "give it with --cache-dir"),
    (INFO, "(--ragassert-verdicts)", "(--verdicts)"),
    (INFO, "choose: --ragassert-judge NAME", "choose: RAGASSERT_JUDGE=NAME"),
    (REJUDGE, "check --ragassert-base-url", "check ragassert_base_url"),
    (REJUDGE, "--ragassert-header adds one", "--header adds one"),
    (["history", "h.jsonl"], "--ragassert-header adds one", "ragassert_headers adds one"),
    # these are for test runs
    (CALIBRATE, "record it: --ragassert-update-verdicts", "record it: --ragassert-update-verdicts"),
    (CALIBRATE, "run pytest --ragassert-judge=a", "run pytest --ragassert-judge=a"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "message", "named"), WORDS)
def test_names(command: list[str], message: str, named: str) -> None:
    assert in_own_words(command_parser().parse_args(command), message) == named


def test_shared_options_exist() -> None:
    assert {option.name for option in OPTIONS} >= SHARED


@pytest.mark.parametrize("name", ASKING)
def test_a_base_url(
    name: str, said: Said, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    status, told = said(
        *ASKING[name], "--model", "m-1", "--base-url", writes(judge).base_url, *_few(name)
    )
    assert status == 0, told
    assert judge.count() > 0


def _few(name: str) -> list[str]:
    return ["--number", "2"] if name == "generate" else []


@pytest.mark.parametrize("name", ASKING)
def test_a_missing_key(name: str, said: Said) -> None:
    status, told = said(*ASKING[name], "--model", "m-1", *_few(name))
    assert status == 2
    way = "" if name == "generate" else ", or run with --judge offline"
    assert told.endswith(
        "error: an OpenAI-compatible judge is configured, but the variable OPENAI_API_KEY is not "
        f"set; set it (to any text if the endpoint needs no key){way}\n"
    )


def test_a_key_that_is_missing_when_something_is_not_stored(
    said: Said, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    asking = [*GENERATE, "--model", "m-1", "--base-url", writes(judge).base_url]
    assert said(*asking, "--number", "2")[0] == 0
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setattr("pytest_ragassert.config.settings.needs_key", lambda *_: True)
    _, told = said(*asking, "--number", "9")
    assert "the variable OPENAI_API_KEY is not set, and this is not stored; set it (to" in told
    assert "offline" not in told
    assert "--ragassert" not in told


@pytest.mark.parametrize("name", ASKING)
def test_an_address_where_nobody_answers(
    name: str, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    status, told = said(
        *ASKING[name], "--model", "m-1", "--base-url", "http://127.0.0.1:9/v1", *_few(name)
    )
    assert status == 1
    assert "start that server, or check --base-url" in told
    assert "--ragassert" not in told


@pytest.mark.parametrize("name", ASKING)
def test_an_invalid_url(name: str, said: Said) -> None:
    status, told = said(*ASKING[name], "--base-url", "localhost", *_few(name))
    assert status == 2
    assert "error: --base-url" in told
    assert "a URL that begins with http:// or https://" in told


@pytest.mark.parametrize("name", ASKING)
@pytest.mark.parametrize("unknown", ["ofline", "gpt-5"])
def test_an_unknown_judge(name: str, unknown: str, said: Said) -> None:
    status, told = said(*ASKING[name], "--judge", unknown, *_few(name))
    assert status == 2
    takes = "auto, openai" if name == "generate" else "auto, openai, offline"
    hint = {
        "gpt-5": "if it is a model's name, use --model gpt-5; ",
        "ofline": "" if name == "generate" else "did you mean offline? ",
    }[unknown]
    assert told.endswith(
        f"error: unknown judge '{unknown}'; {hint}--judge takes {takes}, or a name that a "
        "pytest_ragassert_make_judge hook knows\n"
    )


@pytest.mark.parametrize("name", ASKING)
def test_a_budget_that_is_spent(
    name: str, said: Said, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("RAGASSERT_MAX_CALLS", "1")
    more = ["--max-calls", "1"] if name == "generate" else []
    with open("claims.jsonl", "a") as file:
        file.write(Path("claims.jsonl").read_text().replace("4", "5"))
    url = writes(judge).base_url
    status, told = said(*ASKING[name], "--model", "m-1", "--base-url", url, *_few(name), *more)
    assert status == 1
    option = "--max-calls" if name == "generate" else "RAGASSERT_MAX_CALLS"
    assert f" to the judge is spent ({option}=1); stored answers are still used" in told


@pytest.mark.parametrize("name", ASKING)
def test_a_key_of_another_provider(name: str, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "m-test")
    _, told = said(*ASKING[name], "--model", "m-1", *_few(name))
    assert "MISTRAL_API_KEY is set but not used; to judge with this provider, set " in told
    assert " --base-url=https://api.mistral.ai/v1 and --model=" in told
