"""A process that was forked after it measured: it opens what it needs anew, the parent goes on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pytest_ragassert.storage.redis.leases import LEASE_SECONDS

from .loopback.server import LoopbackJudge
from .redis_server import RedisServer, answer_keys, needs_server
from .runs.forked_runs import wait_until

FORK = """
import gc, os, sys, warnings
warnings.simplefilter("always", ResourceWarning)
from pytest_ragassert import EvalCase, Settings, evaluate

settings = Settings(judge="openai", base_url=sys.argv[1], cache_dir=sys.argv[2], api_key="sk-a",
                    record_mode=sys.argv[4], store=sys.argv[5])

def score(text):
    case = EvalCase(answer=text, retrieved_contexts=[text])
    return evaluate(case, ["faithfulness"], settings=settings)["faithfulness"].score

assert score("The tram runs every day.") == 1.0
child = os.fork()
if child == 0:
    code = 1
    try:
        code = 0 if score("The ferry sails at noon.") == 1.0 else 2
        gc.collect()
    finally:
        if sys.argv[3] == "at once" or code:
            os._exit(code)
    sys.exit(0)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), score("The bus stops here."))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")
@pytest.mark.parametrize("leaving", ["at once", "in order"])
@pytest.mark.parametrize("mode", ["new_episodes", "off"])
def test_a_forked_child_measures_and_so_does_its_parent(
    judge: LoopbackJudge, tmp_path: Path, forked_python: str, leaving: str, mode: str
) -> None:
    done = forked(forked_python, judge, tmp_path, leaving, mode, "disk")
    assert done.stdout == "0 1.0\n", done.stderr
    assert "Traceback" not in done.stderr


def forked(
    python: str, judge: LoopbackJudge, folder: Path, leaving: str, mode: str, store: str
) -> subprocess.CompletedProcess[str]:
    place = str(folder / "store")
    script = [python, "-c", FORK, judge.base_url, place, leaving, mode, store]
    return subprocess.run(script, capture_output=True, text=True, timeout=60, check=False)


@needs_server
@pytest.mark.parametrize("leaving", ["at once", "in order"])
def test_a_forked_child_has_its_own_connection_to_a_shared_store(
    judge: LoopbackJudge,
    tmp_path: Path,
    forked_python: str,
    redis_server: RedisServer,
    leaving: str,
) -> None:
    done = forked(forked_python, judge, tmp_path, leaving, "new_episodes", redis_server.url)
    assert done.stdout == "0 1.0\n", done.stderr
    assert "Traceback" not in done.stderr
    assert "ResourceWarning" not in done.stderr
    with redis_server.client() as client:
        answers = answer_keys(client)
        assert len(answers) == judge.count() == 6
        # a process that leaves at once may not give back its last ones, which then expire
        wait_until(lambda: client.keys("*.lease") == [], LEASE_SECONDS + 1)
    # neither of them leaves a connection open, nor collects one that the other uses
    assert "ResourceWarning" not in done.stderr
    assert done.returncode == 0
    assert (judge.count("claims"), judge.count("verdicts")) == (3, 3)
