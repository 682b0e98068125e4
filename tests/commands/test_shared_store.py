"""The `verdicts` commands on a folder in front of a shared store."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.storage.judgement_rows import passage_key
from pytest_ragassert.storage.keys import question_key
from pytest_ragassert.storage.open_store import open_store
from tests.redis_server import RedisServer, needs_server

from .conftest import Run, Said
from .stored import CLAIMS, PASSAGES, put, question, question_on, texts_in

pytestmark = needs_server

ON_DISK, SHARED = question_on(CLAIMS[0]), question_on(CLAIMS[1])


@pytest.fixture
def url(run: Run, store: Path, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A project with one judgement in each store; the project names the shared one."""
    put(store, SHARED)
    with open_store(redis_server.url) as shared:
        shared.put_many(list(texts_in(store).items()))
    with open_store(store) as disk:
        disk.delete(list(disk.rows()))
    put(store, ON_DISK)
    monkeypatch.setenv("RAGASSERT_STORE", redis_server.url)
    return redis_server.url


def shared_keys(url: str) -> set[str]:
    with open_store(url) as store:
        return {row.key for row in store.rows()}


def test_info_lists_both(run: Run, store: Path, url: str) -> None:
    said = run("info")
    assert said.status == 0
    (disk,) = [n for n, line in enumerate(said.lines) if line.startswith(f"store {store}: ")]
    (shared,) = [n for n, line in enumerate(said.lines) if line.startswith(f"store {url}: ")]
    assert said.lines[disk + 1] == said.lines[shared + 1] == "  steps: verify_claims 1"
    assert said.lines[shared].endswith(" kB")
    # only one of them
    only = run("info", "--store=disk").lines
    assert not [line for line in only if line.startswith("store unix:")]
    assert (
        f"store {url} (namespace other): does not exist"
        in run("info", "--store-namespace=other").lines
    )


def test_info_names_the_command_for_damage_in_each(
    run: Run, store: Path, url: str, redis_server: RedisServer
) -> None:
    with redis_server.client() as client:
        client.set("ragassert:" + "f" * 64, "damaged")
    remove = "    remove it with: python -m pytest_ragassert verdicts prune"
    look = "    list the damage with: python -m pytest_ragassert verdicts verify"
    lines = run("info").lines
    assert remove in lines
    assert look not in lines
    with open_store(store) as disk:
        disk.put("e" * 64, "damaged")
    lines = run("info").lines
    assert lines.index(look) < lines.index(remove)


def test_verify_has_no_option_for_a_server_that_it_does_not_check(run: Run, url: str) -> None:
    said = run("verify", f"--store={url}")
    assert said.status == 2
    assert "unrecognized arguments: --store" in said.err
    assert run("verify").status == 0


def test_export_has_what_either_has(run: Run, url: str, tmp_path: Path) -> None:
    assert run("export", "both.jsonl").status == 0
    lines = [json.loads(line) for line in (tmp_path / "both.jsonl").read_text().splitlines()]
    assert {line["key"] for line in lines} == {ON_DISK.key, SHARED.key}


def test_import_fills_both(run: Run, store: Path, url: str, redis_server: RedisServer) -> None:
    run("export", "both.jsonl")
    with open_store(store) as disk:
        disk.delete(list(disk.rows()))
    redis_server.client().flushall()
    said = run("import", "both.jsonl")
    assert (
        said.out == f"2 verdicts imported into {url}, cached in {store}, 0 replaced, 0 there "
        "already\n"
    )
    assert shared_keys(url) == set(texts_in(store)) == {ON_DISK.key, SHARED.key}
    with redis_server.client() as client:
        assert len(client.keys("*.judged")) == 2


@pytest.mark.parametrize("more", [(), ("--replace",)])
def test_import_fills_an_empty_server_from_a_warm_folder(
    run: Run, store: Path, url: str, redis_server: RedisServer, more: tuple[str, ...]
) -> None:
    run("export", "both.jsonl")
    run("import", "both.jsonl")
    redis_server.client().flushall()
    said = run("import", *more, "both.jsonl")
    assert said.out.startswith(f"2 verdicts imported into {url}, cached in {store}, 0 replaced, 0 ")
    assert shared_keys(url) == {ON_DISK.key, SHARED.key}
    said = run("import", *more, "both.jsonl")
    assert said.out.startswith("0 verdicts imported")
    assert "0 replaced, 2 there already" in said.out


def test_import_gives_the_server_the_better_verdict_of_the_folder(
    run: Run, store: Path, url: str, redis_server: RedisServer, tmp_path: Path
) -> None:
    """The file's verdict was carried over; the folder's was asked for."""
    run("export", "both.jsonl", "--store=disk")
    line: Json = json.loads((tmp_path / "both.jsonl").read_text())
    reply = line.pop("reply")
    carried = json.dumps({**line, "from": "c" * 64, "reply": reply})
    (tmp_path / "carried.jsonl").write_text(carried + "\n")
    redis_server.client().flushall()
    before = texts_in(store)[ON_DISK.key]
    assert run("import", "carried.jsonl").status == 0
    with open_store(url) as shared:
        assert shared.get(ON_DISK.key) == texts_in(store)[ON_DISK.key] == before


@pytest.mark.parametrize("more", [(), ("--replace",)])
def test_import_needs_the_server(run: Run, url: str, more: tuple[str, ...]) -> None:
    run("export", "both.jsonl")
    run("import", "both.jsonl")
    said = run("import", *more, "both.jsonl", "--store=redis://:hunter2@127.0.0.1:9/0")
    assert (said.status, said.out) == (1, "")
    assert "can't be used: it refuses connections" in said.err
    assert "hunter2" not in said.err


def test_a_command_says_why_the_server_can_not_be_written(
    run: Run, store: Path, url: str, redis_server: RedisServer
) -> None:
    run("export", "both.jsonl")
    with open_store(store) as disk:
        disk.delete(list(disk.rows()))
    with redis_server.client() as client:
        client.flushall()
        client.config_set("maxmemory", "1")
        try:
            said = run("import", "both.jsonl")
        finally:
            client.config_set("maxmemory", "0")
    assert (said.status, said.out) == (1, "")
    assert f"error: the shared store {url} is full. Raise its maxmemory" in said.err
    assert texts_in(store) == {}


def test_prune_by_a_user_who_may_only_read(
    run: Run, store: Path, url: str, redis_server: RedisServer
) -> None:
    with redis_server.client() as client:
        client.set("ragassert:" + "f" * 64, "damaged")
        client.execute_command("ACL", "SETUSER", "reader", "on", "nopass", "~*", "+@read", "+time")
        client.execute_command("ACL", "SETUSER", "reader", "+select", "+multi", "+exec", "+ping")
    with open_store(store) as disk:
        disk.put("e" * 64, "damaged")
    own = f"unix://reader:x@{redis_server.socket}"
    try:
        said = run("prune", f"--store={own}")
    finally:
        with redis_server.client() as client:
            client.execute_command("ACL", "DELUSER", "reader")
    assert said.status == 1
    assert f"1 row removed from {store}" in said.lines
    assert (
        f"error: the rows could not be removed from {url}: the shared store {url} does not let "
        "this user write. Give the user" in said.err
    )


def test_import_replaces_in_both(run: Run, store: Path, url: str, tmp_path: Path) -> None:
    run("export", "both.jsonl")
    file = tmp_path / "both.jsonl"
    changed = []
    for text in file.read_text().splitlines():
        line: Json = json.loads(text)
        line["reply"]["reason"] = "changed"
        changed.append(json.dumps(line))
    file.write_text("\n".join(changed) + "\n")
    assert run("import", "both.jsonl").status == 1
    assert run("import", "--replace", "both.jsonl").status == 0
    for place in (str(store), url):
        with open_store(place) as one:
            for key in (ON_DISK.key, SHARED.key):
                assert "changed" in (one.get(key) or "")


def test_show_finds_what_either_has(run: Run, url: str) -> None:
    for asked in (ON_DISK, SHARED):
        said = run("show", asked.key[:12])
        assert said.status == 0, said.err
        assert asked.about in said.out
        assert PASSAGES[1] in said.out


def test_prune_removes_from_each_what_is_not_used(
    run: Run, store: Path, url: str, redis_server: RedisServer
) -> None:
    old = question(model="old")
    put(store, old, when="2020-01-01T00:00:00Z")
    texts = texts_in(store)
    with open_store(url) as shared:
        shared.put_many([(key, text) for key, text in texts.items() if key.startswith(old.key)])
        shared.put_many([("f" * 64, "damaged"), ("e" * 64 + ".question", "{}")])
    with redis_server.client() as client:
        others = ["ragassert:of-another", "ragassert:x.lease", "ragassert2:" + "f" * 64, "f" * 64]
        for key in others:
            client.set(key, "of another program")
        client.set("ragassert:" + "0" * 64 + ".lease", "a lease", px=60_000)
    dry = run("prune", "--dry-run")
    assert f"2 rows would be removed from {url}" in dry.lines
    said = run("prune")
    assert f"2 rows removed from {url}" in said.lines
    assert f"0 rows removed from {store}" in said.lines
    assert question_key("e" * 64) not in shared_keys(url)
    said = run("prune", "--older-than", "1000")
    assert f"2 rows removed from {url}" in said.lines
    assert f"2 rows removed from {store}" in said.lines
    kept = {SHARED.key, question_key(SHARED.key), *map(passage_key, PASSAGES)}
    assert shared_keys(url) == kept
    with redis_server.client() as client:
        assert all(client.exists(key) for key in others)
        assert client.exists("ragassert:" + "0" * 64 + ".lease")
        # the index has what is left
        assert [client.hlen(key) for key in client.keys("*.judged")] == [1]
    assert run("prune").lines[-1] == f"0 rows removed from {url}"


COMMANDS: dict[str, Callable[[Run], Said]] = {
    "info": lambda run: run("info"),
    "export": lambda run: run("export"),
    "show": lambda run: run("show", "a" * 12),
    "prune": lambda run: run("prune"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_server_that_is_away_is_an_error_without_credentials(
    run: Run, store: Path, name: str
) -> None:
    put(store, ON_DISK)
    done = COMMANDS[name](
        lambda *args: run(*args, "--store=redis://user:hunter2-secret@127.0.0.1:9/0")
    )
    assert done.status == 1
    assert (
        "the shared store redis://127.0.0.1:9/0 can't be used: it refuses connections" in done.err
    )
    assert "hunter2" not in done.out + done.err


def test_a_blank_variable_is_no_shared_store(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGASSERT_STORE", " ")
    said = run("info")
    assert (said.status, said.lines[0]) == (0, f"store {store}: does not exist")


def test_without_the_client_it_is_a_configuration_error(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = ("pytest_ragassert.storage.redis.", "pytest_ragassert.storage.tiers")
    for name in list(sys.modules):
        if name.startswith(("redis.", *ours)):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "redis", None)
    said = run("info", "--store=redis://127.0.0.1:9/0")
    assert said.status == 2
    assert 'install it: pip install "pytest-ragassert[redis]"' in said.err
