"""The index of what claims were judged against before a run began."""

from __future__ import annotations

import subprocess
import sys
import threading
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.runtime.environment import run_folder_path
from pytest_ragassert.steps.evidence.passage_hashes import text_hash
from pytest_ragassert.steps.verify_claims import VERIFY_CLAIMS
from pytest_ragassert.storage import sources as module
from pytest_ragassert.storage.answers import Answer
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine, line_of
from pytest_ragassert.storage.judged_sets import JudgedSet
from pytest_ragassert.storage.judgement_rows import rows_of
from pytest_ragassert.storage.keys import Question
from pytest_ragassert.storage.open_store import open_store
from pytest_ragassert.storage.run_state.run_folder import RunFolder
from pytest_ragassert.storage.sources import Sources

CLAIMS = ["The boat runs.", 'It is "red" \\ old \u2028 \u00e9.']
ASKED = Question(VERIFY_CLAIMS, {}, "judge", "m", {}).asked


@pytest.fixture
def run() -> Iterator[RunFolder]:
    folder = RunFolder(run_folder_path(uuid.uuid4().hex))
    yield folder
    folder.remove()


def question(passages: Iterable[str], claims: Iterable[str] = CLAIMS, model: str = "m") -> Question:
    input = {
        "passages": [{"id": n, "text": text} for n, text in enumerate(passages, start=1)],
        "claims": [{"id": n, "text": text} for n, text in enumerate(claims, start=1)],
    }
    return Question(VERIFY_CLAIMS, input, "judge", model, {})


def rows(question: Question, source: str | None = None) -> list[tuple[str, str]]:
    reply: Json = {"verdict": "NO_EVIDENCE", "reason": None, "confidence": None, "evidence": []}
    answers = {one.key: Answer(reply, carried=source) for one in question.judgements}
    return rows_of(question, answers)


def lines(question: Question, source: str | None = None) -> list[VerdictLine]:
    found = (line_of(key, text) for key, text in rows(question, source) if "." not in key)
    return [line for line in found if line is not None]


def hashes(*passages: str) -> tuple[str, ...]:
    return tuple(sorted(map(text_hash, passages)))


ONE = {claim: [hashes("a")] for claim in CLAIMS}


def test_the_store_and_the_committed_verdicts_are_looked_into(
    run: RunFolder, tmp_path: Path
) -> None:
    committed = tmp_path / "verdicts.jsonl"
    write_verdicts(committed, [*lines(question(["c", "d"])), *lines(question(["e"]), "0" * 64)])
    with open_store(tmp_path / "store") as store:
        store.put_many(rows(question(["a", "b"])))
        store.put_many(rows(question(["a"], model="another")))
        sources = Sources(run, store, open_verdicts(committed))
        wanted = sorted([hashes("a", "b"), hashes("c", "d")])
        assert sources.passages_of(CLAIMS, ASKED) == dict.fromkeys(CLAIMS, wanted)
        assert sources.passages_of(["Another claim."], ASKED) == {}
        other = question([], model="another").asked
        assert sources.passages_of(CLAIMS[:1], other) == {CLAIMS[0]: [hashes("a")]}


@pytest.mark.parametrize("name", ["verdicts.jsonl", "verdicts/"])
def test_a_line_in_any_spelling_is_found_and_a_damaged_one_passed_over(
    run: RunFolder, tmp_path: Path, name: str
) -> None:
    path = f"{tmp_path}/{name}"
    write_verdicts(path, [*lines(question(["a"])), *lines(question(["b"]), "0" * 64)])
    committed = open_verdicts(path)
    files = [Path(path)] if name.endswith("l") else sorted(Path(path).rglob("*.json"))
    for file in files:
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace('", "judge"', '",   "judge"'), encoding="utf-8")
    if len(files) > 1:
        (tmp_path / "verdicts" / "verify_claims" / f"{'f' * 64}.json").write_text("{")
    else:
        files[0].write_text(files[0].read_text(encoding="utf-8") + '{"key": "verify_claims"}\n')
    found = Sources(run, None, committed).passages_of(CLAIMS, ASKED)
    assert found == ONE


def test_what_is_stored_after_the_first_look_is_not_seen(run: RunFolder, tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        store.put_many(rows(question(["a"])))
        first = Sources(run, store, None)
        before = first.passages_of(CLAIMS, ASKED)
        store.put_many(rows(question(["b"])))
        # nor by another process of the run, whenever it begins
        assert first.passages_of(CLAIMS, ASKED) == before
        assert Sources(run, store, None).passages_of(CLAIMS, ASKED) == before


def test_processes_of_a_run_share_what_the_first_one_made(run: RunFolder, tmp_path: Path) -> None:
    with open_store(tmp_path / "store") as store:
        store.put_many(rows(question(["a"])))
        Sources(run, store, None).passages_of(CLAIMS, ASKED)
    code = """
import sys
from pathlib import Path
from pytest_ragassert.storage.run_state.run_folder import RunFolder
from pytest_ragassert.storage.sources import Sources

class NotRead:
    def judged_sets(self):
        raise AssertionError("it was made already")

found = Sources(RunFolder(Path(sys.argv[1])), NotRead(), None)
print(found.passages_of(sys.argv[3:], sys.argv[2]))
"""
    args = [sys.executable, "-c", code, str(run.path), ASKED, CLAIMS[0]]
    done = subprocess.run(args, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str({CLAIMS[0]: [hashes("a")]})


def test_threads_wait_for_the_one_that_makes_it(
    run: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path / "store") as store:
        store.put_many(rows(question(["a"])))
        made, written = [], module._written

        def counted(path: Path, sets: Iterable[JudgedSet]) -> int:
            made.append(path)
            return written(path, sets)

        monkeypatch.setattr(module, "_written", counted)
        sources = Sources(run, store, None)
        found: list[Any] = []
        threads = [
            threading.Thread(target=lambda: found.append(sources.passages_of(CLAIMS, ASKED)))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [ONE] * 6
        assert len(made) == 1


def test_nothing_is_made_where_there_is_nothing_to_look_into(run: RunFolder) -> None:
    assert Sources(run, None, None).passages_of(CLAIMS, ASKED) == {}
    assert not run.path.exists()


def test_a_run_without_a_folder_keeps_it_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with open_store(tmp_path / "store") as store:
        store.put_many(rows(question(["a"])))
        sources = Sources(RunFolder(blocked / "run"), store, None)
        for _ in range(2):
            assert sources.passages_of(CLAIMS, ASKED) == ONE


def test_a_store_that_cannot_be_read_has_no_sources(run: RunFolder, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with open_store(folder) as store:
        store.put_many(rows(question(["a"])))
    (folder / "cache.db").write_bytes(b"\0" * 4096)
    with open_store(folder) as store:
        assert Sources(run, store, None).passages_of(CLAIMS, ASKED) == {}
