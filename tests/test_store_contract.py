"""What every store promises, tried with each kind and with the example for contributors."""

from __future__ import annotations

import contextlib
import importlib.util
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.evidence.claim_ids import claim_id
from pytest_ragassert.steps.evidence.passage_hashes import text_hash
from pytest_ragassert.storage.answers import Answer
from pytest_ragassert.storage.judged_claims import JudgedClaim
from pytest_ragassert.storage.judged_sets import JudgedSet, judged_set
from pytest_ragassert.storage.judgement_rows import rows_of
from pytest_ragassert.storage.keys import Question, question_key
from pytest_ragassert.storage.open_store import STORES, open_store
from pytest_ragassert.storage.redis.leases import LEASE_SECONDS
from pytest_ragassert.storage.store import Store
from pytest_ragassert.storage.store_place import StorePlace

from .commands.stored import question
from .contributing import shown_code
from .redis_server import needs_server

KEYS = [digit * 64 for digit in "0a7f"]
# No escape, and what is none of any other encoding's.
TEXT = '{"a": "\\ud800", "b": "\u2028 \u00e9 \u6f22 \U0001f600"}'

Told = list[str]
Open = Callable[[], Store]


@pytest.fixture
def told() -> Told:
    return []


SHARED = pytest.param("redis", marks=needs_server)


@pytest.fixture(
    params=[
        "disk://{}/the%20store",
        "{}/path",
        "memory://{}",
        SHARED,
        pytest.param("tiers", marks=needs_server),
    ]
)
def opened(
    request: pytest.FixtureRequest, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> Open:
    """Opens the same store at each call."""
    if request.param.startswith("memory:"):
        monkeypatch.setitem(STORES, "memory", example(tmp_path).open_memory)
    if request.param in ("redis", "tiers"):
        url = request.getfixturevalue("redis_server").url
        if request.param == "redis":
            return lambda: open_store(url, told.append)
        place = StorePlace(tmp_path / "a place", url, fills=True)
        return lambda: open_store(place, told.append)
    url = request.param.format(tmp_path / "a place")
    return lambda: open_store(url, told.append)


def example(folder: Path) -> Any:
    """The module that CONTRIBUTING.md shows."""
    (code,) = shown_code("Add a store")
    file = folder / "memory.py"
    file.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("memory", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_put_is_there_for_whoever_opens_the_store(opened: Open, told: Told) -> None:
    with opened() as one, opened() as other:
        assert other.get(KEYS[0]) is None
        one.put(KEYS[0], TEXT)
        assert one.get(KEYS[0]) == other.get(KEYS[0]) == TEXT
        other.put(KEYS[0], "{}")
        assert one.get(KEYS[0]) == "{}"
    with opened() as again:
        assert again.get(KEYS[0]) == "{}"
    assert told == []


def test_many_texts_are_put_and_got_at_once(opened: Open) -> None:
    texts = {key: f'{{"of": "{key}"}}' for key in KEYS}
    with opened() as store:
        store.put_many(list(texts.items()))
        assert store.get_many([*KEYS, "b" * 64]) == texts
        assert store.get_many([]) == {}


def test_of_many_texts_all_are_put_or_none(opened: Open) -> None:
    with opened() as store:
        store.put(KEYS[0], "{}")
        no_pair: Any = (KEYS[2],)
        with contextlib.suppress(ValueError):
            store.put_many([(KEYS[1], TEXT), no_pair])
        assert store.get_many(KEYS) == {KEYS[0]: "{}"}


def test_reading_makes_no_store(opened: Open, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    with opened() as store:
        assert not store.exists()
        assert store.row(KEYS[0]) is None
        assert [*store.rows(), *store.keys(), *store.judged_claims()] == []
        assert list(store.judged_sets()) == []
        assert store.problems() == []
        assert not store.exists()
        assert sorted(tmp_path.rglob("*")) == before
        store.put(KEYS[0], TEXT)
        assert store.exists()
        assert store.row(KEYS[0]) is not None


def test_rows_and_keys_come_in_order(opened: Open) -> None:
    with opened() as store:
        began = time.time()
        for key in KEYS:
            store.put(key, TEXT)
            store.put(question_key(key), "{}")
        assert [row.key for row in store.rows()] == sorted([*KEYS, *map(question_key, KEYS)])
        questions = list(store.rows(".question"))
        assert [(row.key, row.text) for row in questions] == [
            (question_key(key), "{}") for key in sorted(KEYS)
        ]
        row = store.row(KEYS[1])
        assert row is not None
        assert (row.key, row.text, row.trouble) == (KEYS[1], TEXT, None)
        assert began - 1 <= row.when <= time.time() + 1
        assert store.keys("a") == store.keys("aaa") == [KEYS[1], question_key(KEYS[1])]
        assert store.keys("ab") == []
        assert len(store.keys()) == 2 * len(KEYS)


def test_rows_are_deleted(opened: Open, told: Told) -> None:
    with opened() as store:
        for key in KEYS:
            store.put(key, TEXT)
        rows = [row for row in store.rows() if row.key != KEYS[2]]
        store.delete(rows)
        assert [row.key for row in store.rows()] == [KEYS[2]]
        assert store.get_many(KEYS) == {KEYS[2]: TEXT}
        store.delete(rows)
        store.delete([])
        store.put(KEYS[0], "{}")
        assert store.get(KEYS[0]) == "{}"
    assert told == []


def test_threads_share_a_store(opened: Open, told: Told) -> None:
    keys = [f"{number:064x}" for number in range(40)]

    def work(some: list[str]) -> None:
        for key in some:
            store.put(key, TEXT)
            assert store.get(key) == TEXT
        store.leave_thread()

    with opened() as store:
        threads = [threading.Thread(target=work, args=(keys[at::4],)) for at in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.get_many(keys).keys() == set(keys)
    assert told == []


def test_one_at_a_time_has_a_key(opened: Open) -> None:
    with opened() as one, opened() as other:
        flights, others = one.flights(), other.flights()
        assert flights is not None
        assert others is not None
        assert flights.acquire(KEYS[0])
        assert not flights.acquire(KEYS[0])
        assert not others.acquire(KEYS[0])
        assert others.acquire(KEYS[1])
        assert not flights.acquire(KEYS[1])
        flights.release(KEYS[0])
        assert others.acquire(KEYS[0])
        others.release(KEYS[0])
        others.release(KEYS[1])


# A process of its own: puts a text, takes a key, and says so.
OTHER_PROCESS = """
import sys
from pytest_ragassert.storage.open_store import open_store

with open_store(sys.argv[1]) as store:
    store.put(sys.argv[2], sys.argv[3])
    print(store.flights().acquire(sys.argv[2]), flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("kind", ["disk", SHARED])  # stores that several processes share
def test_processes_share_a_store(tmp_path: Path, kind: str, request: pytest.FixtureRequest) -> None:
    place = f"disk://{tmp_path}/store"
    if kind != "disk":
        place = request.getfixturevalue("redis_server").url
    with open_store(place) as store:
        assert store.get(KEYS[0]) is None
        assert store.row(KEYS[0]) is None
        command = [sys.executable, "-c", OTHER_PROCESS, place, KEYS[0], TEXT]
        with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "True\n"
            row = store.row(KEYS[0])
            assert row is not None
            assert store.get(KEYS[0]) == row.text == TEXT
            flights = store.flights()
            assert flights is not None
            assert not flights.acquire(KEYS[0])
            assert flights.acquire(KEYS[1])
            other.kill()
        wait_until(lambda: flights.acquire(KEYS[0]), LEASE_SECONDS + 2)
        assert store.get(KEYS[0]) == TEXT


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


# -- claims ----------------------------------------------------------------------------------------


def asking(*claims: str, passages: tuple[str, ...] = ("One.", "Two."), **changed: Any) -> Question:
    numbered = [list(enumerate(texts, start=1)) for texts in (passages, claims)]
    texts, asked = ([{"id": n, "text": text} for n, text in some] for some in numbered)
    return question(input={"passages": texts, "claims": asked}, **changed)


def put_question(store: Store, asked: Question) -> None:
    store.put(question_key(asked.key), asked.to_text())


def judged(asked: Question, claim: str, *passages: str) -> JudgedClaim:
    hashes = tuple(sorted(map(text_hash, passages)))
    return JudgedClaim(claim_id(claim, passages), asked.key, text_hash(claim), asked.asked, hashes)


def test_claims_are_found_by_id_by_text_and_by_how_they_were_asked(opened: Open) -> None:
    first = asking("It runs.", "It \ud800 stops.")
    other_passages = asking("It runs.", passages=("Two.", "Three.", "One."))
    other_model = asking("It runs.", model="model-b")
    runs = [
        judged(first, "It runs.", "One.", "Two."),
        judged(other_passages, "It runs.", "Two.", "Three.", "One."),
        judged(other_model, "It runs.", "One.", "Two."),
    ]
    stops = judged(first, "It \ud800 stops.", "One.", "Two.")
    with opened() as store:
        for asked in (first, other_passages, other_model, question("extract_claims")):
            put_question(store, asked)
            store.put(asked.key, "{}")
        assert store.judged_claims() == sorted([*runs, stops])
        about = {text_hash("It runs.")}
        assert store.judged_claims(about=about) == sorted(runs)
        assert store.judged_claims(about=about, asked=first.asked) == sorted(runs[:2])
        assert store.judged_claims(about=about, asked=other_model.asked) == [runs[2]]
        assert store.judged_claims(id=stops.id) == store.judged_claims(id=stops.id[:9]) == [stops]
        assert store.judged_claims(id=runs[0].id) == sorted([runs[0], runs[2]])
        assert store.judged_claims(id=stops.id, about=about) == []
        assert store.judged_claims(about={*about, stops.about}) == sorted([*runs, stops])
        assert store.judged_claims(about={"0" * 32}) == []


def test_the_sets_that_claims_were_judged_against_are_those_of_answers(opened: Open) -> None:
    first, second, third = (asking("It runs.", passages=(text,)) for text in ("1.", "2.", "3."))
    reply: Json = {"verdict": "NO_EVIDENCE", "reason": None, "confidence": None, "evidence": []}
    own, imported, carried = (
        rows_of(asked, {key: Answer(reply, carried=source) for key in asked.keys})
        for asked, source in ((first, None), (second, None), (third, "0" * 64))
    )
    with opened() as store:
        # what is imported comes without its question
        store.put_many([*own, *(row for row in imported if "." not in row[0])])
        store.put_many([row for row in carried if "." not in row[0]])
        wanted = {
            judged_set(text_hash("It runs."), first.asked, [text_hash(text)])
            for text in ("1.", "2.")
        }
        found: list[set[JudgedSet]] = []
        other = threading.Thread(target=lambda: found.append(set(store.judged_sets())))
        other.start()
        other.join()
        assert found == [set(store.judged_sets())] == [wanted]
        # what has no question has no id
        assert [one.passages for one in store.judged_claims()] == [(text_hash("1."),)]


def test_claims_are_those_of_the_questions_that_are_there_now(opened: Open) -> None:
    first, second = asking("It runs."), asking("It stops.")
    with opened() as store:
        put_question(store, first)
        assert len(store.judged_claims()) == 1
    with opened() as store:
        assert len(store.judged_claims()) == 1
        put_question(store, second)
        assert len(store.judged_claims()) == 2
        store.delete([row for row in store.rows() if row.key == question_key(first.key)])
        assert store.judged_claims() == [judged(second, "It stops.", "One.", "Two.")]
        put_question(store, first)
        assert len(store.judged_claims()) == 2


def test_a_question_that_was_damaged_is_found_once_it_is_whole(opened: Open) -> None:
    asked = asking("It runs.")
    with opened() as store:
        store.put(question_key(asked.key), '{"format": 2, "step": "verify_claims"}')
        assert store.judged_claims() == []
        put_question(store, asked)
        assert len(store.judged_claims()) == 1


# -- URLs ------------------------------------------------------------------------------------------


def test_a_url_of_a_folder_is_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "the store"
    with open_store(folder) as store:
        store.put(KEYS[0], TEXT)
    url = f"disk://{tmp_path}/the%20store"
    for one in (url, str(folder)):
        with open_store(one) as store:
            assert store.get(KEYS[0]) == TEXT
            assert store.place == str(folder)


def test_an_unknown_scheme_is_an_error_that_says_what_there_is() -> None:
    with pytest.raises(ConfigurationError, match=r"mongodb://.*disk://.*redis://.*valkey://"):
        open_store("mongodb://user:secret@host/0")
    with pytest.raises(ConfigurationError) as raised:
        open_store("mongodb://user:secret@host/0")
    assert "secret" not in str(raised.value)
