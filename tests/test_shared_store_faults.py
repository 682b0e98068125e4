"""Trouble with a shared store costs time but fails no test, and a notice reports it once."""

from __future__ import annotations

import asyncio
import pickle
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from pytest_ragassert import EvalCase, aio
from pytest_ragassert.engine.session import Session
from pytest_ragassert.storage.answers import Embedding, embedding_text, vector_key
from pytest_ragassert.storage.open_store import open_store

from .conftest import MakeSettings
from .delaying_proxy import DelayingProxy
from .docs.blocks import stories
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .redis_server import RedisServer, answer_keys, needs_server

pytestmark = needs_server

CASES = 4
PASSWORD = "p@ss/w:rd#?%é 9"


class Told(NamedTuple):
    """What a run returned and noticed, and what it asked."""

    scores: list[Any]
    notices: list[str]
    asked: int
    seconds: float


Run = Callable[..., Told]


@pytest.fixture
def run(settings: MakeSettings, judge: LoopbackJudge, tmp_path: Path) -> Run:
    """Measures cases in a run of its own."""

    def measured(
        store: str,
        folder: str = "one",
        *,
        cases: range = range(CASES),
        after: Callable[[int], None] = lambda n: None,
        **more: Any,
    ) -> Told:
        asked, began = judge.count(), time.monotonic()
        own = settings(store=store, cache_dir=tmp_path / folder, **more)
        session = Session(own)
        scores: list[Any] = []
        try:
            for n in cases:
                (one,) = session.measure([session.job(case(n), "faithfulness", {})])
                assert one.error is None, one.error
                assert one.result is not None
                scores.append(one.result.score)
                after(n)
        finally:
            session.close()
            notices = session.run.notices()
            session.run.remove()
        return Told(scores, notices, judge.count() - asked, time.monotonic() - began)

    return measured


def case(n: int) -> EvalCase:
    text = f"Boat number {n} is new."
    return EvalCase(id=f"c{n}", question="Is it?", answer=text, retrieved_contexts=[text])


def one_notice(told: Told, *words: str) -> None:
    assert told.scores == [1.0] * len(told.scores)
    (notice,) = told.notices
    for word in words:
        assert word in notice
    assert PASSWORD not in notice
    assert "Boat" not in notice


# -- the server goes -------------------------------------------------------------------------------


def test_a_server_that_was_never_there(run: Run, tmp_path: Path) -> None:
    told = run(f"unix://{tmp_path}/none")
    one_notice(told, "there is no such socket", "kept on disk only", f"unix://{tmp_path}/none")
    assert run(f"unix://{tmp_path}/none").asked == 0


def test_a_server_that_refuses_connections(run: Run) -> None:
    with DelayingProxy(Path("/none")) as proxy:
        proxy.close()
        told = run(f"redis://127.0.0.1:{proxy.port}")
    one_notice(told, "refuses connections", f"redis://127.0.0.1:{proxy.port}/0")


def test_a_server_that_is_killed_in_the_middle(run: Run, judge: LoopbackJudge) -> None:
    with RedisServer() as server:

        def kill(n: int) -> None:
            if n == 1:
                server.stop()

        told = run(server.url, after=kill)
        one_notice(told, "is no longer used: ", "verdicts from then on are kept on disk only")
        assert told.asked == 2 * CASES
        # what was shared before it died is there for others only if it comes back
        assert run(server.url).asked == 0


def test_a_server_that_comes_back_is_used_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_ragassert.storage.redis import client

    monkeypatch.setattr(client, "_PAUSE_SECONDS", 0.0)
    with RedisServer() as server:

        def restart(n: int) -> None:
            if n == 1:
                server.stop()
            if n == 2:
                server.start()

        told = run(server.url, after=restart)
        one_notice(told, "was unavailable for a time: ", "the next run that uses them adds them")
        with server.client() as there:
            assert there.dbsize() > 0


def test_a_server_that_comes_back_shortly_before_the_end_is_used_again(run: Run) -> None:
    with RedisServer() as server:

        def restart(n: int) -> None:
            if n == 1:
                server.stop()
            if n == CASES - 1:
                server.start()

        told = run(server.url, after=restart)
        one_notice(told, "was unavailable for a time: ")


def test_a_replay_without_its_server_lacks_verdicts(run: Run, redis_server: RedisServer) -> None:
    run(redis_server.url)
    told = run("redis://127.0.0.1:9/0", record_mode="none")
    one_notice(told, "is not used: ", "verdicts that only the server has are missing")
    assert "on disk" not in told.notices[0]


def test_a_connection_that_was_closed_meanwhile_is_made_again(
    run: Run, redis_server: RedisServer
) -> None:
    def close(n: int) -> None:
        with redis_server.client() as there:
            there.client_kill_filter(_type="normal", skipme=True)

    told = run(redis_server.url, after=close)
    assert told.notices == []
    assert run(redis_server.url, "two").asked == 0


# -- another machine is quicker --------------------------------------------------------------------


def test_a_vector_that_another_machine_stored_first_is_used(
    settings: MakeSettings, redis_server: RedisServer, judge: LoopbackJudge, tmp_path: Path
) -> None:
    texts = {"It runs.": [1.0, 0.0], "It stops.": [0.0, 1.0]}
    own = settings(store=redis_server.url, cache_dir=tmp_path / "one", embedder="openai")
    session = Session(own)
    assert session.asker.embeddings is not None
    embedder = session.asker.embeddings.embedder
    keys = {text: vector_key(embedder.id, embedder.model, text) for text in texts}

    def quicker(recorded: Recorded) -> None:
        with open_store(redis_server.url) as other:
            for text, vector in texts.items():
                made = Embedding(keys[text], vector)
                other.put(keys[text], embedding_text(made, text, embedder.id, embedder.model))

    judge.on("embed_text", quicker)
    try:
        told = EvalCase(answer="It runs.", ground_truth_answer="It stops.")
        (one,) = session.measure([session.job(told, "semantic_similarity", {})])
    finally:
        session.close()
        session.run.remove()
    assert one.result is not None
    # both are orthogonal, unlike those that this machine was sent
    assert (one.result.score, one.result.requests, one.result.stored) == (0.0, 1, False)
    for place in (str(tmp_path / "one"), redis_server.url):
        with open_store(place) as store:
            assert '"vector":[1.0,0.0]' in (store.get(keys["It runs."]) or "")


def test_an_answer_that_does_not_fit_its_question_is_replaced(
    run: Run, redis_server: RedisServer, judge: LoopbackJudge
) -> None:
    """Another machine's answer is sound by itself, but names a passage that the case lacks."""
    run(redis_server.url, "one", cases=range(1))
    with redis_server.client() as there:
        answers = answer_keys(there)
        (verdict,) = [key for key in answers if b'"verify_claims"' in there.get(key)]
        text = there.get(verdict)
        there.set(verdict, text.replace(b'"about":"Boat number 0', b'"about":"Boat number 7'))
    told = run(redis_server.url, "two", cases=range(1))
    assert (told.scores, told.asked) == ([1.0], 1)
    assert len(told.notices) == 1
    again = run(redis_server.url, "three", cases=range(1))
    assert again[1:3] == ([], 0)


# -- the server is slow ----------------------------------------------------------------------------


def test_a_server_that_answers_no_more(
    run: Run, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_ragassert.storage.redis import client

    monkeypatch.setattr(client, "_PAUSE_SECONDS", 0.0)
    with DelayingProxy(redis_server.socket) as proxy:

        def swallow(n: int) -> None:
            proxy.swallows = True

        told = run(f"redis://127.0.0.1:{proxy.port}", cases=range(20), after=swallow)
    one_notice(told, "it did not answer in time")
    # the first two attempts fail, and the third would take too long in all
    assert told.seconds < 10


def test_a_slow_server_costs_a_run_a_few_seconds_in_all(
    run: Run, redis_server: RedisServer
) -> None:
    with DelayingProxy(redis_server.socket, delay=0.8) as proxy:
        told = run(f"redis://127.0.0.1:{proxy.port}", cases=range(40))
    one_notice(told, "it is too slow")
    assert told.seconds < 12


def test_no_event_loop_waits_for_the_server(
    settings: MakeSettings, redis_server: RedisServer, tmp_path: Path
) -> None:
    gaps: list[float] = []

    async def beat() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.01)
            gaps.append(time.monotonic() - before)

    async def measured(url: str) -> list[float]:
        beating = asyncio.ensure_future(beat())
        cases = [case(n) for n in range(3)]
        own = settings(store=url, cache_dir=tmp_path / "one")
        results = await aio.evaluate(cases, ["faithfulness"], settings=own)
        beating.cancel()
        return [one["faithfulness"].score for one in results]

    with DelayingProxy(redis_server.socket, delay=0.5) as proxy:
        url = f"redis://127.0.0.1:{proxy.port}"
        assert asyncio.run(measured(url)) == [1.0] * 3
    assert proxy.round_trips > 5
    # on a machine that is busy the loop waits for its turn
    assert max(gaps) < 0.4


# -- the server refuses ----------------------------------------------------------------------------


def test_a_server_that_is_full_from_the_start(run: Run) -> None:
    with RedisServer("--maxmemory", "1mb", "--maxmemory-policy", "noeviction") as server:
        with server.client() as there:
            there.config_set("maxmemory", 1)
        told = run(server.url)
        one_notice(told, "is full", "maxmemory")
    assert told.asked == 2 * CASES


def test_a_server_that_becomes_full(run: Run) -> None:
    with RedisServer("--maxmemory-policy", "noeviction") as server:
        # what the server needs for connections and scripts
        run(server.url, "other", cases=range(1), store_namespace="other")
        with server.client() as there:
            used = there.info("memory")["used_memory"]
            there.config_set("maxmemory", used + (1 << 17))
        told = run(server.url, cases=range(60))
        one_notice(told, "is full", "maxmemory", "its verdicts are used")
        with server.client() as there:
            assert there.dbsize() > 0
        again = run(server.url, "two", cases=range(60))
        assert 0 < again.asked < 2 * 60


def test_a_password(run: Run) -> None:
    with RedisServer("--requirepass", PASSWORD) as server:
        where = str(server.socket)
        one_notice(run(f"unix://{where}", "a"), "it needs a password")
        one_notice(run(f"unix://:wrong@{where}", "b"), "rejects the user name or password")
        right = f"unix://:{quote(PASSWORD, safe='')}@{where}"
        assert run(right, "c").notices == []
        # even if the folder has everything
        one_notice(run(f"unix://:wrong@{where}", "c"), "rejects the user name or password")
        assert run(right, "d")[1:3] == ([], 0)


def test_a_user_that_may_only_read(run: Run, redis_server: RedisServer) -> None:
    with redis_server.client() as there:
        there.execute_command(
            "ACL", "SETUSER", "reader", "on", ">reads-only-1", "~*", "+@read", "+@connection"
        )
    try:
        run(redis_server.url, "writer", cases=range(2))
        told = run(f"unix://reader:reads-only-1@{redis_server.socket}", "reader")
        assert told.scores == [1.0] * CASES
        # what was there is used; what is new is kept on disk only
        assert told.asked == 2 * (CASES - 2)
        assert all("reads-only-1" not in notice for notice in told.notices)
        assert [n for n in told.notices if "does not let this user write" in n]
    finally:
        with redis_server.client() as there:
            there.execute_command("ACL", "DELUSER", "reader")


def test_the_documented_user_may_do_what_is_needed(
    run: Run, redis_server: RedisServer, tmp_path: Path
) -> None:
    page = Path(__file__).parents[1] / "docs/how-to/shared-store.md"
    (command,) = [
        block.text for story in stories(page) for block in story.blocks if "ACL" in block.text
    ]
    with redis_server.client() as there:
        there.execute_command(*command.replace("PASSWORD", "needs-this-1").split())
    try:
        url = f"unix://ci:needs-this-1@{redis_server.socket}?db=1"
        assert run(url, "one").notices == []
        assert run(url, "two")[1:3] == ([], 0)
        with open_store(url) as store:
            assert store.exists()
            rows = list(store.rows())
            assert len(rows) > 3 * CASES
            store.delete(rows)
            assert not store.exists()
        one_notice(run(f"{url}", "three", store_namespace="other"), "does not let this user")
    finally:
        with redis_server.client() as there:
            there.execute_command("ACL", "DELUSER", "ci")


def test_a_replica(run: Run, redis_server: RedisServer) -> None:
    run(redis_server.url, "one", cases=range(2))
    with redis_server.client() as there:
        there.config_set("replica-serve-stale-data", "yes")
        there.replicaof("127.0.0.1", "1")
        try:
            told = run(redis_server.url, "two")
        finally:
            there.replicaof("NO", "ONE")
    one_notice(told, "is a replica that can only be read")
    assert told.asked == 2 * (CASES - 2)


def test_too_many_connections(run: Run) -> None:
    with (
        RedisServer("--maxclients", "1") as server,
        server.client() as there,
        DelayingProxy(server.socket) as proxy,
    ):
        there.ping()
        told = run(f"redis://127.0.0.1:{proxy.port}")
    one_notice(told, "it rejects the connection", "maxclients")


def test_a_database_that_is_not_there(run: Run, redis_server: RedisServer) -> None:
    one_notice(run(f"{redis_server.url}?db=99"), "no database of that number")


def test_a_server_without_encryption(run: Run, redis_server: RedisServer) -> None:
    with DelayingProxy(redis_server.socket) as proxy:
        url = f"rediss://127.0.0.1:{proxy.port}"
        one_notice(run(url), "in time", "whether the server uses no encryption (redis://)")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl here")
def test_a_server_with_encryption(run: Run, tmp_path: Path, unused_tcp_port: int) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    made += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key)]
    subprocess.run([*made, "-out", str(certificate)], check=True, capture_output=True)
    files = ("--tls-cert-file", str(certificate), "--tls-key-file", str(key))
    port = str(unused_tcp_port)
    with RedisServer("--tls-port", port, *files, "--tls-auth-clients", "no"):
        url = f"rediss://localhost:{port}/0"
        one_notice(run(url, "one"), "its certificate is not trusted", "ssl_ca_certs")
        assert run(f"{url}?ssl_ca_certs={certificate}", "two").notices == []
        assert run(f"{url}?ssl_cert_reqs=none", "three")[1:3] == ([], 0)
        # the certificate is another host's
        other = f"rediss://127.0.0.1:{port}/0?ssl_ca_certs={certificate}"
        one_notice(run(other, "four"), "its certificate is not trusted")
        assert run(f"{other}&ssl_check_hostname=false", "five")[1:3] == ([], 0)


# -- what is there can't be trusted ----------------------------------------------------------------


class Executed(Exception):
    """A pickle was opened."""


class Harmful:
    def __reduce__(self) -> Any:
        return (_execute, ())


def _execute() -> None:
    raise Executed


VALUES: dict[str, Callable[[Any, bytes], Any]] = {
    "pickle": lambda there, key: there.set(key, pickle.dumps(Harmful())),
    "no JSON": lambda there, key: there.set(key, "<html>"),
    "cut off": lambda there, key: there.set(key, there.get(key)[:-9]),
    "another question's": lambda there, key: there.set(key, '{"format":3,"step":"x","reply":{}}'),
    "a later format": lambda there, key: there.set(
        key, there.get(key).replace(b'"format":3', b'"format":99')
    ),
    "deep": lambda there, key: there.set(key, "[" * 100_000),
    "NaN": lambda there, key: there.set(key, "NaN"),
}


@pytest.mark.parametrize("what", VALUES)
def test_a_value_that_does_not_answer_is_asked_for_and_replaced(
    run: Run, redis_server: RedisServer, what: str
) -> None:
    run(redis_server.url, "one", cases=range(1))
    with redis_server.client() as there:
        answers = answer_keys(there)
        assert len(answers) == 2
        for key in answers:
            VALUES[what](there, key)
    told = run(redis_server.url, "two", cases=range(1))
    assert told.scores == [1.0]
    assert told.asked == 2
    assert told.notices
    assert all("Boat" not in notice and "html" not in notice for notice in told.notices)
    again = run(redis_server.url, "three", cases=range(1))
    assert (again.scores, again.notices, again.asked) == ([1.0], [], 0)


def test_values_of_other_types_are_left_alone(run: Run, redis_server: RedisServer) -> None:
    run(redis_server.url, "one", cases=range(1))
    with redis_server.client() as there:
        keys = there.keys("*")
        for key in keys:
            there.delete(key)
            there.rpush(key, "of another program")
    told = run(redis_server.url, "two", cases=range(1))
    one_notice(told, "belong to another program", "--ragassert-store-namespace")
    assert told.asked == 2
    with redis_server.client() as there:
        assert {there.type(key) for key in keys} == {b"list"}
    assert run(redis_server.url, "two", cases=range(1)).asked == 0


def test_a_damaged_verdict_on_the_server_is_removed_with_prune(
    run: Run, redis_server: RedisServer
) -> None:
    run(redis_server.url, "one", cases=range(1))
    with redis_server.client() as there:
        for key in answer_keys(there):
            there.set(key, "damaged")
    told = run(redis_server.url, "two", cases=range(1))
    one_notice(told, "from the shared store with: python -m pytest_ragassert verdicts prune")
    assert told.asked == 2


def test_a_lease_that_nobody_made_blocks_nothing(run: Run, redis_server: RedisServer) -> None:
    run(redis_server.url, "one", cases=range(1))
    with redis_server.client() as there:
        names = answer_keys(there)
        there.flushall()
        for name in names:
            there.set(name + b".lease", "of another program")
    told = run(redis_server.url, "two", cases=range(1))
    assert (told.scores, told.notices) == ([1.0], [])
    assert told.seconds < 4
