"""Vectors that are stored, asked again or missing, and requests that fail."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, JudgeError, VerdictMissing, aio, evaluate

from .conftest import MakeSettings, Waits, close_sessions
from .loopback.server import LoopbackJudge
from .test_embedders import CASE, EMBED, SIMILARITY, TEXTS, Texts, measured, sent, similar
from .test_embedders import similar_in_new_run as in_new_run

OTHER = EvalCase(id="tram-2", answer="Another answer.", ground_truth_answer="The tram stops.")


# -- record modes ----------------------------------------------------------------------------------


def test_a_later_run_asks_nothing(judge: LoopbackJudge, settings: MakeSettings) -> None:
    first = similar(settings(embedder="openai"))
    judge.close()
    for mode in ("new_episodes", "none"):
        own = settings(embedder="openai", record_mode=mode, api_key="sk-other-key")
        again = in_new_run(own)
        assert (again.score, again.requests, again.stored) == (first.score, 0, True)


def test_a_new_text_is_asked_for_alone(judge: LoopbackJudge, settings: MakeSettings) -> None:
    similar(settings(embedder="openai"))
    result = in_new_run(settings(embedder="openai"), OTHER)
    assert (result.requests, result.stored) == (1, False)
    assert sent(judge)[1:] == [["Another answer."]]
    third = EvalCase(answer="A third.", ground_truth_answer="The tram stops.")
    replay = settings(embedder="openai", record_mode="none")
    with pytest.raises(VerdictMissing, match="--ragassert-record-mode=new_episodes"):
        in_new_run(replay, third)
    assert judge.count() == 2


@pytest.mark.parametrize(("mode", "runs"), [("all", [1, 1, 1]), ("off", [1, 1, 1])])
def test_modes_that_ask_again_ask_once_a_run(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, mode: str, runs: list[int]
) -> None:
    own = settings(embedder="openai", record_mode=mode)
    counts = []
    for _ in runs:
        close_sessions()
        judge.reset()
        similar(own)
        assert not similar(own).stored
        counts.append(judge.count())
    assert counts == runs
    assert (tmp_path / "store").exists() == (mode == "all")


@pytest.mark.parametrize(
    "change",
    [{"embedding_model": "other"}, {"judge_id": "the house endpoint"}],
    ids=lambda change: next(iter(change)),
)
def test_another_model_or_endpoint_is_asked_again(
    judge: LoopbackJudge, settings: MakeSettings, change: dict[str, Any]
) -> None:
    similar(settings(embedder="openai"))
    assert not in_new_run(settings(embedder="openai", **change)).stored
    # what concerns the judge alone does not matter
    assert in_new_run(settings(embedder="openai", model="b", temperature=1, seed=5)).stored
    assert judge.count() == 2


def damage(folder: Path, spoil: Any) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        for rowid, text in connection.execute("SELECT rowid, value FROM Cache").fetchall():
            spoilt = spoil(json.loads(text))
            connection.execute("UPDATE Cache SET value = ? WHERE rowid = ?", (spoilt, rowid))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda record: json.dumps(record)[:-5],
        lambda record: json.dumps({**record, "format": 99}),
        lambda record: json.dumps({**record, "reply": {"vector": []}}),
        lambda record: json.dumps({**record, "reply": {"vector": [1.0, "2"]}}),
        lambda record: json.dumps({**record, "reply": {"vector": [1.0, float("nan")]}}),
        lambda record: json.dumps({**record, "reply": {"vector": [10**400]}}),
        lambda record: json.dumps({**record, "judge": "another"}),
        lambda record: json.dumps({**record, "usage": {"euros": 5}}),
        lambda record: json.dumps({**record, "usage": None}),
        lambda record: json.dumps([record]),
        lambda record: "[" * 50_000,
    ],
    ids=[
        "half",
        "format",
        "empty",
        "text",
        "nan",
        "huge",
        "other",
        "usage",
        "none",
        "list",
        "deep",
    ],
)
def test_a_damaged_vector_is_asked_for_again(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, spoil: Any
) -> None:
    own = settings(embedder="openai")
    first = similar(own)
    close_sessions()
    damage(tmp_path / "store", spoil)
    assert in_new_run(own).score == first.score
    assert sent(judge) == [TEXTS, TEXTS]
    assert in_new_run(own).stored


def test_the_store_holds_no_key(settings: MakeSettings, tmp_path: Path) -> None:
    similar(settings(embedder="openai", api_key="sk-very-secret-4711"))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if b"very-secret" in path.read_bytes()]


# -- requests that fail ----------------------------------------------------------------------------


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize(
    ("reply", "kind", "told"),
    [
        ({"status": 401, "body": {"error": {"message": "Bad sk-test-key"}}}, "credentials", "***"),
        ({"status": 404}, "model", "--ragassert-embedding-model (text-embedding-3-small)"),
        ({"status": 429, "body": {"error": {"code": "insufficient_quota"}}}, "quota", "quota"),
    ],
)
def test_what_no_text_will_survive_ends_embedding_and_not_judging(
    judge: LoopbackJudge, settings: MakeSettings, reply: dict[str, Any], kind: str, told: str
) -> None:
    judge.script([{"step": EMBED, **reply}], repeat_last=True)
    own = settings(embedder="openai")
    for case in (CASE, OTHER):
        with pytest.raises(JudgeError) as caught:
            similar(own, case)
        assert (caught.value.kind, caught.value.ends_judging) == (kind, True)
        assert told in str(caught.value)
        assert "sk-test-key" not in str(caught.value)
    assert judge.count() == 1
    case = EvalCase(answer="It runs.", retrieved_contexts=["It runs."])
    assert evaluate(case, ["faithfulness"], settings=own)["faithfulness"].score == 1.0


def test_a_busy_endpoint_is_asked_again(
    judge: LoopbackJudge, settings: MakeSettings, waits: Waits
) -> None:
    judge.script([{"status": 429, "headers": {"retry-after": "3"}}, {"status": 503}, "ok"])
    assert similar(settings(embedder="openai")).requests == 3
    assert waits[0] == 3
    assert sent(judge) == [TEXTS] * 3


@pytest.mark.parametrize("limit", [1, 40, 256], ids=lambda limit: f"at most {limit}")
def test_a_text_that_is_refused_fails_alone(
    judge: LoopbackJudge, settings: MakeSettings, limit: int
) -> None:
    def refuse(recorded: Any) -> dict[str, Any] | None:
        texts = recorded.data.get("input", ())
        too_many = len(texts) > limit
        return {"status": 400} if too_many or "bad" in texts else None

    judge.on(refuse)
    metrics = [Texts(name, [name]) for name in ("one", "two", "bad", "four", "five")]
    done = measured(settings(embedder="openai"), *metrics)
    errors = [one.error for one in done if one.error is not None]
    assert [one.job.name for one in done if one.error is not None] == ["bad"]
    assert [getattr(error, "kind", None) for error in errors] == ["request"]


def test_refusing_everything_costs_few_requests(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.script([{"status": 400}], repeat_last=True)
    [done] = measured(settings(embedder="openai"), Texts("many", [str(n) for n in range(256)]))
    assert isinstance(done.error, JudgeError)
    assert judge.count() <= 33


# -- threads, loops and processes ------------------------------------------------------------------


def test_one_waiter_that_gives_up_takes_nothing_from_the_others(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    own = settings(embedder="openai")
    judge.latency = 1

    async def main() -> Any:
        waiting = asyncio.ensure_future(aio.evaluate(CASE, SIMILARITY, settings=own))
        other = asyncio.ensure_future(aio.evaluate(OTHER, SIMILARITY, settings=own))
        while not judge.count():
            await asyncio.sleep(0.01)
        waiting.cancel()
        return await other

    assert asyncio.run(main())["semantic_similarity"].passed is not None
    assert similar(own).score
    assert judge.count() == 1


PROCESS = """
import sys
from pytest_ragassert import EvalCase, Settings, evaluate
from pytest_ragassert.engine.session import Session

own = Settings(judge="offline", embedder="openai", base_url=sys.argv[1], cache_dir=sys.argv[2],
               api_key="sk-a")
cases = [EvalCase(answer=f"answer {n}", ground_truth_answer=f"text {n}") for n in range(30)]
print(sum(r["semantic_similarity"].score for r in evaluate(cases, ["semantic_similarity"],
                                                           settings=own)))
"""


def test_processes_embed_each_text_once(
    judge: LoopbackJudge, tmp_path: Path, forked_python: str
) -> None:
    judge.latency = 1.0
    command = [forked_python, "-c", PROCESS, judge.base_url, str(tmp_path / "store")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=60)[0] for process in running]
    assert said[0] == said[1] != ""
    assert sorted(text for texts in sent(judge) for text in texts) == sorted(
        f"{kind} {n}" for kind in ("answer", "text") for n in range(30)
    )


FORK = """
import os, sys
from pytest_ragassert import EvalCase, Settings, evaluate

own = Settings(judge="offline", embedder="openai", base_url=sys.argv[1], cache_dir=sys.argv[2],
               api_key="sk-a")

def score(text):
    case = EvalCase(answer=text, ground_truth_answer=text + " Really.")
    return evaluate(case, ["semantic_similarity"], settings=own)["semantic_similarity"].score

assert 0 < score("The tram runs.") <= 1
child = os.fork()
if child == 0:
    os._exit(0 if 0 < score("The ferry sails.") <= 1 else 2)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), 0 < score("The bus stops.") <= 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")
def test_a_forked_child_embeds_and_so_does_its_parent(
    judge: LoopbackJudge, tmp_path: Path, forked_python: str
) -> None:
    command = [forked_python, "-c", FORK, judge.base_url, str(tmp_path / "store")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "0 True\n", done.stderr
    assert "Traceback" not in done.stderr
    assert judge.count() == 3
