"""`generate` over HTTP: what one process or two send, also if a process is ended."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge
from tests.runs.forked_runs import wait_until
from tests.terminal import on_terminal
from tests.writing_judge import writes

from .conftest import Generate

KEY = "sk-generate"
MODEL = ("--model", "writer-1")


@pytest.fixture
def endpoint(judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch) -> LoopbackJudge:
    """The endpoint that the project's commands ask."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", judge.base_url)
    return judge


@pytest.fixture
def model(endpoint: LoopbackJudge) -> LoopbackJudge:
    """The endpoint with a model that writes."""
    return writes(endpoint)


def command(*arguments: object, output: str = "cases.jsonl") -> list[str]:
    given = ["generate", "documents", "--output", output, *MODEL, *map(str, arguments)]
    return [sys.executable, "-m", "pytest_ragassert", *given]


def started(
    generate: Generate, *arguments: object, output: str = "cases.jsonl"
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments, output=output),
        cwd=generate.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def steps(model: LoopbackJudge) -> Counter[str]:
    return Counter(request.step for request in model.requests)


def test_requests_for_each_kind(generate: Generate, model: LoopbackJudge) -> None:
    said = generate("--number", 5, "--kinds", "single", *MODEL, judge="")
    answered = {"write_case": 5, "check_criteria": 10, "extract_claims": 5, "verify_claims": 5}
    assert steps(model) == answered
    assert "judge writer-1" in said.lines
    assert "judgements: 25 asked, 0 stored; 25 requests, tokens: " in said.out
    model.reset()
    said = generate("--number", 5, "--kinds", "single", *MODEL, judge="")
    assert model.count() == 0
    assert "judgements: 0 asked, 25 stored" in said.lines
    generate("--number", 3, "--kinds", "unanswerable", *MODEL, judge="")
    assert steps(model) == {"write_case": 3, "check_criteria": 6, "judge_passages": 3}


def test_what_it_cost(generate: Generate, model: LoopbackJudge) -> None:
    (generate.folder / "pytest.ini").write_text("[pytest]\nragassert_prices = writer-1 2 8\n")
    said = generate("--number", 3, *MODEL, judge="")
    prompt = sum(request.prompt_tokens for request in model.requests)
    completion = sum(request.completion_tokens for request in model.requests)
    cost = (prompt * 2 + completion * 8) / 1e6
    assert f"; 15 requests, tokens: {prompt} prompt, {completion} completion" in said.out
    assert f"{completion} completion, cost {cost:.4f}" in said.out


@pytest.mark.parametrize("number", [6, 20])
def test_a_plan_asks_nothing_and_counts_what_a_run_asks(
    generate: Generate, model: LoopbackJudge, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    german = generate("--number", number, "--plan", "--language=de", *MODEL, judge="", output="")
    plan = generate("--number", number, "--plan", *MODEL, judge="", output="")
    assert german.lines[2].split(";")[0] == plan.lines[2].split(";")[0]
    assert model.count() == 0
    assert not (generate.folder / "cases.jsonl").exists()
    (planned,) = re.findall(r"\((\d+) requests\)", plan.out)
    (prompt,) = re.findall(r"about (\d+) prompt", plan.out)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    generate("--number", number, *MODEL, judge="")
    assert model.count() == pytest.approx(int(planned), rel=0.1)
    sent = sum(request.prompt_tokens for request in model.requests)
    assert sent == pytest.approx(int(prompt), rel=0.3)
    model.reset()
    plan = generate("--number", number, "--plan", *MODEL, judge="", output="")
    assert "judgements: 0 to ask, " in plan.out


def test_a_budget_of_requests(generate: Generate, model: LoopbackJudge) -> None:
    (generate.folder / "pytest.ini").write_text("[pytest]\nragassert_concurrency = 1\n")
    said = generate("--number", 10, "--max-calls", 30, *MODEL, judge="", status=1)
    assert model.count() == 30
    kept = len(generate.cases())
    assert 0 < kept < 10
    (line,) = (one for one in said.lines if " fewer than " in one)
    assert line.startswith(f"{10 - kept} cases fewer than the 10 requested: ")
    assert "budget" in line
    assert "max-calls" in line
    generate("--number", 10, *MODEL, judge="")
    assert len(generate.cases()) == 10
    assert model.stats()["duplicates"] == 0


def test_a_run_that_ends_early_does_not_replace_more_cases(
    generate: Generate, model: LoopbackJudge
) -> None:
    generate("--number", 6, *MODEL, judge="")
    text = (generate.folder / "cases.jsonl").read_text("utf-8")
    shutil.rmtree(generate.folder / ".ragassert")
    said = generate("--number", 6, "--max-calls", 20, *MODEL, judge="", status=1)
    assert "cases.jsonl has 6 cases from an earlier run, more than the" in said.err
    assert (generate.folder / "cases.jsonl").read_text("utf-8") == text


def test_few_requests_finish_some_cases(generate: Generate, model: LoopbackJudge) -> None:
    said = generate("--number", 10, "--max-calls", 20, *MODEL, judge="", status=1)
    assert model.count() == 20
    assert len(generate.cases()) >= 2, said.out


def test_a_budget_of_tokens(generate: Generate, model: LoopbackJudge) -> None:
    (generate.folder / "pytest.ini").write_text("[pytest]\nragassert_concurrency = 1\n")
    said = generate("--number", 10, "--max-tokens-total", 9000, *MODEL, judge="", status=1)
    spent = sum(one.prompt_tokens + one.completion_tokens for one in model.requests)
    assert 9000 <= spent < 12000
    assert "max-tokens-total" in said.out + said.err


def test_a_judge_that_can_not_check_criteria(generate: Generate, endpoint: LoopbackJudge) -> None:
    answer = {"status": 400, "body": {"error": {"message": "unknown step"}}}
    endpoint.on(lambda one: answer if one.step == "check_criteria" else None)
    writes(endpoint)
    said = generate("--number", 6, "--kinds", "single=5,unanswerable=1", *MODEL, judge="")
    assert len(generate.cases()) == 6
    (note,) = (line for line in said.lines if line.startswith("note: of 6 cases, "))
    assert "unknown step" in note


def test_a_wrong_key_ends_it_at_once(
    generate: Generate, model: LoopbackJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.require_key = "sk-another"
    (generate.folder / "pytest.ini").write_text("[pytest]\nragassert_concurrency = 2\n")
    said = generate("--number", 10, *MODEL, judge="", status=1)
    assert model.count() <= 2
    (line,) = (one for one in said.lines if one.startswith("10 cases fewer than "))
    assert "401" in line
    assert "error: no case could be generated, so no file was written" in said.err
    assert KEY not in said.out + said.err


def test_a_refusal_costs_one_case_only(generate: Generate, endpoint: LoopbackJudge) -> None:
    def refuse(recorded: Recorded) -> dict[str, object] | None:
        if recorded.step == "write_case" and "lighthouse in Skarn" in str(recorded.data):
            return {"message": {"role": "assistant", "content": None, "refusal": "No."}}
        return None

    endpoint.on(refuse)
    writes(endpoint)
    said = generate("--number", 15, "--kinds", "single", "-v", *MODEL, judge="")
    at = said.lines.index("    1  the judge gave no usable answer")
    assert said.lines[at + 1] == "       single skarn.md#lighthouse"
    assert "refus" in said.lines[at + 2]
    assert len(generate.cases()) == 15


def test_two_processes_at_once_ask_each_question_once(
    generate: Generate, model: LoopbackJudge
) -> None:
    model.latency = 0.1
    with ExitStack() as stack:
        running = [
            stack.enter_context(started(generate, "--number", 8, output=output))
            for output in ("one.jsonl", "two.jsonl")
        ]
        for run in running:
            _, err = run.communicate(timeout=120)
            assert run.returncode == 0, err
    files = [(generate.folder / name).read_bytes() for name in ("one.jsonl", "two.jsonl")]
    assert files[0] == files[1]
    assert model.stats()["duplicates"] == 0
    assert steps(model)["write_case"] == 8
    assert model.max_in_flight > 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_run_is_continued(generate: Generate, model: LoopbackJudge) -> None:
    (generate.folder / "pytest.ini").write_text("[pytest]\nragassert_concurrency = 2\n")
    model.latency = 0.1
    with started(generate, "--number", 8) as run:
        wait_until(lambda: sum(one.status == 200 for one in model.requests) >= 12)
        os.kill(run.pid, signal.SIGKILL)
        run.communicate(timeout=60)
    assert run.returncode == -signal.SIGKILL
    assert not (generate.folder / "cases.jsonl").exists()
    # those in flight may have been answered without a chance to store them
    answered = {one.digest for one in model.requests if one.status == 200}
    model.reset()
    model.latency = 0
    generate("--number", 8, *MODEL, judge="")
    again = answered & {one.digest for one in model.requests}
    assert len(again) <= 2
    assert model.stats()["duplicates"] == 0
    resumed = (generate.folder / "cases.jsonl").read_bytes()
    generate.forget()
    generate("--number", 8, *MODEL, judge="")
    assert (generate.folder / "cases.jsonl").read_bytes() == resumed


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c(generate: Generate, model: LoopbackJudge) -> None:
    model.latency = 0.3
    with started(generate, "--number", 8) as run:
        wait_until(lambda: model.count() >= 4)
        os.kill(run.pid, signal.SIGINT)
        _, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert err.splitlines()[-1] == (
        "interrupted: run the command again to continue; the answers so far are stored"
    )
    assert "Traceback" not in err
    assert not (generate.folder / "cases.jsonl").exists()


def test_progress_is_shown_on_a_terminal(generate: Generate, model: LoopbackJudge) -> None:
    status, output = on_terminal(command("--number", 5), generate.folder)
    assert status == 0, output
    shown = re.findall(r"\rwriter-1: (\d+) of 5 cases", output)
    assert shown == sorted(shown)
    assert shown[-1] == "5"
    assert "cases in cases.jsonl" in output


def test_the_key_is_not_in_any_file(generate: Generate, model: LoopbackJudge) -> None:
    generate("--number", 3, "--markdown", "review.md", *MODEL, judge="")
    assert model.count() > 0
    files = [path for path in Path(generate.folder).rglob("*") if path.is_file()]
    assert len(files) > 5
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_vectors_of_an_embedder_are_stored(generate: Generate, model: LoopbackJudge) -> None:
    arguments = ("--number", 6, "--kinds", "documents,unanswerable", *MODEL)
    generate(*arguments, judge="")
    assert model.count("embed_text") == 0
    by_words = {case["id"] for case in generate.cases()}
    (generate.folder / "pytest.ini").write_text(
        "[pytest]\nragassert_embedder = openai\nragassert_embedding_model = vectors-1\n"
    )
    model.reset()
    generate(*arguments, judge="")
    embedded = [text for one in model.requests for text in one.data.get("input", ())]
    assert len(embedded) == len(set(embedded)) >= 16
    assert {case["id"] for case in generate.cases()} != by_words
    model.reset()
    generate(*arguments, judge="")
    assert model.count() == 0


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "400 broken"),
        (404, "404 broken; check ragassert_embedding_model"),
        (500, "500 broken"),
    ],
)
def test_an_embedder_that_fails_is_the_reason(
    generate: Generate, endpoint: LoopbackJudge, status: int, message: str
) -> None:
    (generate.folder / "pytest.ini").write_text(
        "[pytest]\nragassert_embedder = openai\nragassert_embedding_model = vectors-1\n"
    )
    answer = {"status": status, "body": {"error": {"message": "broken"}}}
    endpoint.on(lambda one: answer if one.step == "embed_text" else None)
    said = generate("--number", 4, "--kinds", "documents", *MODEL, judge="", status=1)
    (line,) = (one for one in said.lines if one.startswith("4 cases fewer than "))
    assert line.startswith(f"4 cases fewer than the 4 requested: {message}")


def test_ctrl_c_while_documents_are_read(
    generate: Generate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pytest_ragassert.corpus.reading.cut_document", interrupted)
    said = generate("--number", 2, status=130)
    assert said.err == "interrupted while the documents were read; nothing was asked\n"
    assert generate.asked == []


def test_a_replay_names_the_first_missing_answer(generate: Generate, model: LoopbackJudge) -> None:
    arguments = ("--number", 3, "--kinds", "single", *MODEL)
    generate(*arguments, judge="")
    (generate.folder / "pytest.ini").write_text("[pytest]\nragassert_record_mode = none\n")
    model.reset()
    generate(*arguments, judge="", output="replayed.jsonl")
    assert generate.cases("replayed.jsonl") == generate.cases()
    said = generate(*arguments[2:], "--number", 5, judge="", status=1)
    (line,) = (one for one in said.lines if one.startswith("2 cases fewer than "))
    assert ": no stored verdict for step write_case by " in line
    assert model.count() == 0
