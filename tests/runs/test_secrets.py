"""A secret stands nowhere: neither in what is written, nor in what is printed."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shlex
import shutil
import string
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import hypothesis
import pytest
from hypothesis import strategies as st

from pytest_ragassert import Settings
from pytest_ragassert.judging.calls import retries
from tests.conftest import close_sessions
from tests.loopback.judge import answer
from tests.loopback.scripts import Recorded, Reply
from tests.loopback.server import LoopbackJudge

from .projects import FAILING, PASSING, Project, new_project

project = pytest.fixture(new_project)

TESTS = """
import os, pathlib, shutil, tempfile

import pytest
from ferry import BAD, GOOD, ODD, case
from pytest_ragassert import (
    JudgeError, Settings, assert_answer_relevancy, assert_faithful, evaluate
)

def test_times():
    assert_faithful(case("times"))

def test_price():
    key, url = os.environ["OPENAI_API_KEY"], os.environ.get("RAGASSERT_BASE_URL")
    print(key, url)
    assert_faithful(case("price", " ".join([ODD, GOOD, BAD])))

def test_relevancy():
    assert_answer_relevancy(case("near"), min=0)

@pytest.mark.parametrize("trouble", ["refused", "stopped", "declined", "malformed", "unkeyed"])
def test_trouble(trouble):
    assert_faithful(case(trouble, f"It is {trouble} at the pier."))

def test_own_settings():
    own = Settings(
        judge="openai", base_url=os.environ["OWN_URL"], api_key=os.environ["OWN_KEY"], timeout=5
    )
    print(own, own.model_dump(), own.model_dump_json())
    evaluate(case("own", GOOD), ["faithfulness"], settings=own)
    with pytest.raises(JudgeError) as caught:
        nobody = Settings(base_url=os.environ["NOBODY"], api_key=os.environ["OWN_KEY"])
        evaluate(case("nobody", ODD), ["faithfulness"], settings=nobody)
    assert repr(caught.value) == repr(own)

def test_what_the_run_keeps():
    for folder in pathlib.Path(tempfile.gettempdir()).glob("ragassert-*"):
        shutil.copytree(folder, "kept", dirs_exist_ok=True)

def test_bad_key():
    assert_faithful(case("bad key", "It is unauthorized at the pier."))
"""
OPTIONS = (
    "--ragassert-verdicts=verdicts.jsonl",
    "--ragassert-update-verdicts",
    "--ragassert-artifacts=artifacts",
    "--ragassert-history=history.jsonl",
    "--ragassert-baseline=baseline.jsonl",
    "--ragassert-update-baseline",
    "--ragassert-embedder=openai",
    "--ragassert-prefetch=off",
    "--junitxml=junit.xml",
    "-o",
    "junit_logging=all",
    "--log-level=DEBUG",
    "--log-cli-level=DEBUG",
    "--log-file=log.txt",
    "--showlocals",
    "-vv",
)
_TOKENS = string.ascii_letters + string.digits + "-_."
# Hypothesis also draws from a module's own strings; with this before them, no file has them already
_MARK = "Zq7"
_HEADERS = st.text(_TOKENS + "!#$&'\"<>\\/+=@:,;|~%", min_size=10, max_size=24).map(_MARK.__add__)
_IN_URLS = (
    st.text(_TOKENS + "+/=&?#@:% '\"<", min_size=8, max_size=16)
    .filter(lambda text: text == text.strip())
    .map(_MARK.__add__)
)


class Values(NamedTuple):
    """What no exit may show; each has another value in every example."""

    key: str
    organization: str
    project: str
    header: str
    user: str
    password: str
    query: str
    proxy: str
    own_key: str
    own_password: str
    own_query: str

    def spelled(self) -> Iterator[str]:
        for secret in self:
            yield from (secret, quote(secret, safe=""), json.dumps(secret)[1:-1])
            yield from (repr(secret)[1:-1], base64.b64encode(secret.encode()).decode())
        pair = f"{self.user}:{self.password}"
        yield from (pair, base64.b64encode(pair.encode()).decode())


VALUES = st.builds(Values, *[_HEADERS] * 4, *[_IN_URLS] * 4, _HEADERS, *[_IN_URLS] * 2).filter(
    # one that is a part of another can't be told apart
    lambda values: not any(a in b for a, b in itertools.permutations(values, 2))
)
FIXED = Values(
    *("sk-Zebra-4711-do-not-tell", "org-Gnu-0815", "proj-Gnu-0816", "Token Ibex/42=="),
    *("bob-4711", "pass-Yak:08/15", "query-Lynx-1", "proxy-Okapi-7"),
    *("sk-Own-Zebra-4712", "own-Yak-0816", "own-Lynx-2"),
)


def echo(recorded: Recorded) -> Reply | None:
    """Repeats all that it was sent beside the question, wherever a reply has room for it."""
    kept = {"accept", "host", "connection", "content-type", "content-length", "user-agent"}
    told = [recorded.target, *(v for k, v in recorded.headers.items() if k not in kept)]
    told.append(json.dumps(told))
    scheme, _, token = recorded.headers["authorization"].partition(" ")
    if scheme == "Basic":
        told.append(base64.b64decode(token).decode())
    words = " ".join(told)
    asked = json.dumps(recorded.data)
    troubles: dict[str, Reply] = {
        "refused": {"status": 400, "body": {"error": {"message": words, "code": words}}},
        "stopped": {"content": "", "finish_reason": words},
        "declined": {"message": {"role": "assistant", "content": None, "refusal": words}},
        "malformed": {"content": words},
        "unkeyed": {"status": 500, "body": words},
        "unauthorized": {"status": 401, "body": [{"error": {"message": words}}]},
    }
    for trouble, reply in troubles.items():
        if trouble in asked:
            return {**reply, "headers": {"x-echo": words, "retry-after": "0"}}
    if recorded.step == "verify_claims":
        verdicts = answer(recorded.step, recorded.data)
        for verdict in verdicts["verdicts"]:
            verdict["reason"] += f" {words}"
        return {"content": json.dumps(verdicts), "model": words, "headers": {"x-echo": words}}
    return None


def configure(project: Project, judge: LoopbackJudge, values: Values, place: str) -> list[str]:
    """Set all that is secret; the options that say the rest. The URL stands in `place`."""
    address = judge.base_url.removeprefix("http://")

    def url(user: str, password: str, query: str) -> str:
        names = f"{quote(user, safe='')}:{quote(password, safe='')}"
        return f"http://{names}@{address}?code={quote(query, safe='')}"

    base_url = url(values.user, values.password, values.query)
    own = url(values.user, values.own_password, values.own_query)
    project.unset("OPENAI_BASE_URL", "RAGASSERT_BASE_URL")
    project.set(
        OPENAI_API_KEY=f" {values.key}\n",
        OPENAI_ORG_ID=f"{values.organization} ",
        OPENAI_PROJECT_ID=values.project,
        OPENAI_CUSTOM_HEADERS=f"X-Gateway: {values.header}",
        HTTP_PROXY=f"http://proxy:{quote(values.proxy, safe='')}@127.0.0.1:9",
        NO_PROXY="127.0.0.1",
        OWN_URL=own,
        OWN_KEY=values.own_key,
        NOBODY=own.replace(address, "127.0.0.1:9/v1"),
    )
    project.path.joinpath("pytest.ini").write_text("[pytest]\n")
    if place == "ini":
        line = f"ragassert_base_url = {base_url}\n"
        project.path.joinpath("pytest.ini").write_text(f"[pytest]\n{line}")
    elif place.isupper():
        project.set(**{place: base_url})
    return {
        "option": [f"--ragassert-base-url={base_url}"],
        "option apart": ["--ragassert-base-url", base_url],
        "override": ["-o", f"ragassert_base_url={base_url}"],
    }.get(place, [])


PLACES = ["option", "option apart", "override", "ini", "OPENAI_BASE_URL", "RAGASSERT_BASE_URL"]


def files_below(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        for parent, _, names in os.walk(folder):
            yield from (Path(parent, name) for name in names)


def assert_untold(project: Project, values: Values, *printed: str) -> None:
    written = {
        str(path): path.read_bytes()
        for path in files_below(project.path, Path(os.environ["TMPDIR"]))
        if path.name != "pytest.ini"
    }
    for wanted in ("junit.xml", "log.txt", "verdicts.jsonl", "cache.db", "results_", "answers"):
        assert any(wanted in name for name in written), wanted
    told = {"the terminal": "\n".join(printed).encode(), **written}
    for secret in {*values.spelled()}:
        found = [name for name, text in told.items() if secret.encode() in text]
        assert not found, f"{secret} in {found}"


@pytest.fixture
def echoing(
    project: Project, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> LoopbackJudge:
    monkeypatch.setattr(retries, "RETRIES", 0)
    project.temporary()
    project.test(TESTS)
    judge.on(echo)
    return judge


@pytest.mark.parametrize("place", PLACES)
@hypothesis.given(values=VALUES, tracebacks=st.sampled_from(["long", "native", "auto", "short"]))
@hypothesis.settings(
    max_examples=2,
    deadline=None,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
    phases=[hypothesis.Phase.generate],
)
def test_no_exit_shows_a_secret(
    project: Project, echoing: LoopbackJudge, place: str, values: Values, tracebacks: str
) -> None:
    for name in (".ragassert", "kept", "artifacts"):
        shutil.rmtree(project.path / name, ignore_errors=True)
    for name in ("verdicts", "history", "baseline"):
        (project.path / f"{name}.jsonl").unlink(missing_ok=True)
    options = configure(project, echoing, values, place)
    result = project.run(*OPTIONS, *options, f"--tb={tracebacks}")
    close_sessions()
    result.assert_outcomes(passed=3, failed=8)
    sent = echoing.requests[-1].headers
    assert sent["openai-organization"] == values.organization
    assert sent["x-gateway"] == values.header.strip()
    assert_untold(project, values, str(result.stdout), str(result.stderr))


def test_no_exit_of_parallel_runs_and_commands_shows_a_secret(
    project: Project, echoing: LoopbackJudge, forked_python: str
) -> None:
    options = configure(project, echoing, FIXED, "option")
    first = _printed(*project.forked_command(*OPTIONS, *options, "-n", "2", "--full-trace"))
    assert "failed" in first
    assert "http://***@127.0.0.1" in first
    at = (f"--rootdir={project.path}", f"--cache-dir={project.path / '.ragassert'}")
    verdicts = f"--verdicts={project.path / 'verdicts.jsonl'}"
    key = (project.path / "verdicts.jsonl").read_text(encoding="utf-8")[9:30]
    commands = [
        _printed(forked_python, "-m", "pytest_ragassert", "verdicts", *command, *at)
        for command in (
            ["info", verdicts],
            ["verify", verdicts],
            ["export", "-"],
            ["show", key, verdicts],
        )
    ]
    assert not [text for text in commands if "rror: " in text], commands
    assert_untold(project, FIXED, first, *commands)


def _printed(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, timeout=180, check=False)
    return (done.stdout + done.stderr).decode()


@pytest.mark.parametrize(
    "args", [["--ragassert-base-url={}"], ["--ragassert-base-url", "{}"], ["-o", "{ini}={}"]]
)
def test_commands_show_user_info_and_query_values_of_no_length(
    project: Project, judge: LoopbackJudge, args: list[str]
) -> None:
    project.set(OPENAI_API_KEY="x")
    project.test(FAILING)
    url = f"{judge.base_url}?k=Q9".replace("://", "://bob:pw@")
    given = [arg.format(url, ini="ragassert_base_url") for arg in args]
    shown = [arg.replace("bob:pw", "***").replace("Q9", "***") for arg in given]
    rerun = str(project.run(*given).stdout)
    (project.path / "verdicts.jsonl").touch()
    replay = ("--ragassert-record-mode=none", "--ragassert-verdicts=verdicts.jsonl")
    missed = str(project.run(*given, *replay).stdout)
    for told in (rerun, missed):
        assert shlex.join(shown) in told
        assert not [secret for secret in ("bob", "Q9", ":pw") if secret in told]


def test_settings_show_user_info_and_query_values_of_no_length() -> None:
    settings = Settings(base_url="https://bob:pw@host/v1?k=Q9#f", api_key="xyz")
    for text in (repr(settings), str(settings), str(settings.model_dump())):
        assert "https://host/v1" in text
        assert not [secret for secret in ("bob", "pw", "Q9", "xyz") if secret in text]
    assert settings.model_copy(update={"votes": 2}).base_url == settings.base_url


# -- what can't be used ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OPENAI_API_KEY", "sk-very\nsecretkey"),
        ("OPENAI_API_KEY", "sk-\x07very-secretkey"),
        ("OPENAI_API_KEY", "sk-véry-secretkey"),
        ("OPENAI_ORG_ID", "org-very\r\nsecretkey"),
        ("OPENAI_PROJECT_ID", "\u200bproj-very-secretkey"),
        ("OPENAI_CUSTOM_HEADERS", "X-One: fine\nX-Two: véry-secretkey"),
        ("OPENAI_CUSTOM_HEADERS", "X Two: very-secretkey"),
        ("OPENAI_BASE_URL", "http://bob:very/secretkey@host/v1"),
    ],
)
def test_what_no_request_can_carry_is_one_usage_error(
    project: Project, judge: LoopbackJudge, variable: str, value: str
) -> None:
    project.judged_by(judge)
    project.test(TESTS)
    project.set(**{variable: value})
    result = project.run("-o", "junit_logging=all", "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = str(result.stdout) + str(result.stderr)
    (line,) = [line for line in told.splitlines() if variable in line]
    assert line.startswith("ERROR: ")
    assert "secretkey" not in told
    assert not judge.requests


def test_white_space_around_a_key_is_no_part_of_it(project: Project, judge: LoopbackJudge) -> None:
    project.judged_by(judge, key="\t sk-very-secretkey \r\n")
    project.test(PASSING)
    project.run("-k", "times").assert_outcomes(passed=1, deselected=1)
    assert judge.requests[0].headers["authorization"] == "Bearer sk-very-secretkey"


@pytest.mark.parametrize(
    "args",
    [
        ["--ragassert-base-url=https://bob:very/secretkey@host/v1"],
        ["--ragassert-base-url", "https://bob:secretkey@[host/v1"],
        ["--ragassert-base-url=https://bob:99999/secretkey@host/v1"],
        ["-o", "ragassert_base_url=https//bob:secretkey@host"],
        ["--ragassert-base-url=secretkey"],
        ["--ragassert-base-url=host/v1?key=secretkey"],
    ],
)
def test_a_malformed_url_is_refused_without_showing_it(project: Project, args: list[str]) -> None:
    project.set(OPENAI_API_KEY="sk-any")
    project.test(TESTS)
    result = project.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = str(result.stdout) + str(result.stderr)
    assert "base" in told
    assert "a URL that begins with http:// or https://" in told
    assert "secretkey" not in told


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://127.0.0.1:99999/v1", "'http://127.0.0.1:99999/v1'"),
        ("http://host:0/v1", "'http://host:0/v1'"),
        ("https://host:secretkey8/v1?a=b", "its value"),
        ("https://bob:secretkey8@host:99999/v1", "its value"),
    ],
)
def test_a_wrong_port_is_told(project: Project, url: str, shown: str) -> None:
    project.set(OPENAI_API_KEY="sk-any")
    project.test(TESTS)
    result = project.run(f"--ragassert-base-url={url}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.startswith("ERROR: ")]
    assert line.startswith(f"ERROR: --ragassert-base-url: {shown}")
    assert line.endswith(" is not a URL whose port is a number from 1 to 65535")
    assert "secretkey8" not in line


UNMADE: list[Mapping[str, Any]] = [
    {"ALL_PROXY": "socks9://bob:secretkey@127.0.0.1:9", "NO_PROXY": ""},
    {"SSL_CERT_FILE": "/missing"},
]


@pytest.mark.parametrize("environ", UNMADE, ids=["proxy", "certificate"])
@pytest.mark.parametrize("traceback", ["--tb=long", "--tb=native", "--full-trace"])
def test_a_client_that_cannot_be_made_shows_no_key(
    project: Project, judge: LoopbackJudge, environ: dict[str, str], traceback: str
) -> None:
    project.judged_by(judge, key="sk-very-secretkey")
    project.set(**environ)
    project.test(PASSING)
    result = project.run("--showlocals", "-vv", traceback)
    told = str(result.stdout) + str(result.stderr)
    assert "no client can be created" in told
    assert "secretkey" not in told
    assert "openai/_client" not in told


def test_a_rotated_key_in_the_url_voids_nothing(project: Project, judge: LoopbackJudge) -> None:
    project.set(OPENAI_API_KEY="sk-any")
    project.test(PASSING)
    for number, record in enumerate(("", "", "--ragassert-record-mode=none")):
        url = f"{judge.base_url}?api-version=2024-10-21&code=secretkey-{number}"
        url = url.replace("://", f"://user-{number}:word-{number}@")
        args = [f"--ragassert-base-url={url}", *filter(None, [record])]
        project.run("-k", "times", *args, *OPTIONS[: 2 if not record else 1]).assert_outcomes(
            passed=1, deselected=1
        )
        assert [r.target for r in judge.requests] == [
            "/v1/chat/completions?api-version=2024-10-21&code=secretkey-0"
        ] * 2
    lines = (project.path / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["judge"] for line in lines} == {
        f"openai {judge.base_url}?api-version=2024-10-21 gpt-4o-mini"
    }


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="pytest reads it since 9.0")
def test_a_url_of_another_type_is_refused_without_showing_it(project: Project) -> None:
    project.path.joinpath("pytest.toml").write_text(
        '[pytest]\nragassert_base_url = ["https://bob:hunter2word@host/v1?key=secretkey"]\n'
    )
    project.test(PASSING)
    result = project.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = str(result.stdout) + str(result.stderr)
    assert "ragassert_base_url takes a URL" in told
    assert not [secret for secret in ("hunter2word", "secretkey") if secret in told]


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HTTPS_PROXY"])
def test_what_a_variable_holds_is_masked_before_anything_is_measured(
    project: Project, name: str
) -> None:
    secret = "kept-from-everybody-4711"
    project.set(**{name: f"http://me:{secret}@proxy" if name == "HTTPS_PROXY" else secret})
    project.test(
        f"""
        import os

        def test_printed():
            held = os.environ[{name!r}]
            print(held)
            raise RuntimeError(held)
        """
    )
    result = project.run("--showlocals", "--junitxml=junit.xml")
    result.assert_outcomes(failed=1)
    assert secret not in result.stdout.str() + result.stderr.str()
    assert secret not in (project.path / "junit.xml").read_text("utf-8")
