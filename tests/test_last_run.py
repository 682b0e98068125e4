"""What each test asked for when it last ran, as the store's folder keeps it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.storage import last_run
from pytest_ragassert.storage.last_run import (
    NAME,
    AskedOfModel,
    PastTest,
    keep_last_run,
    read_last_run,
)

KEYS = st.integers(0, 9).map(lambda digit: str(digit) * 64)
COUNTS = st.integers(0, 10**9)
PARTS = st.builds(
    AskedOfModel, st.text(), st.lists(KEYS, unique=True, max_size=3), COUNTS, COUNTS, COUNTS
)
RECORDS = st.builds(
    PastTest,
    nodeid=st.sampled_from("abcd"),
    case=st.text("0123456789abcdef"),
    models=st.lists(st.text(), max_size=3),
    asked=st.lists(PARTS, max_size=3),
    when=st.sampled_from([f"2026-01-0{day}" for day in range(1, 5)]),
)


def record(nodeid: str, when: str = "2026-01-01") -> PastTest:
    return PastTest(nodeid, "", ["m"], [AskedOfModel("m", ["0" * 64], 1, 2, 3)], when)


@given(st.lists(st.lists(RECORDS, unique_by=lambda one: one.nodeid)))
def test_the_last_record_of_a_test_is_kept(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[PastTest]]
) -> None:
    folder = tmp_path_factory.mktemp("store")
    for records in runs:
        keep_last_run(folder, records)
    assert read_last_run(folder) == {one.nodeid: one for records in runs for one in records}
    nodeids = list(read_last_run(folder))
    assert nodeids == sorted(nodeids)


def test_tests_that_ask_nothing_any_more_are_forgotten(tmp_path: Path) -> None:
    keep_last_run(tmp_path, [], ["a"])
    assert not (tmp_path / NAME).exists()
    keep_last_run(tmp_path, [record("a"), record("b")])
    keep_last_run(tmp_path, [], ["a", "never"])
    assert list(read_last_run(tmp_path)) == ["b"]


def test_those_that_ran_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_run, "MOST", 2)
    keep_last_run(tmp_path, [record("a"), record("b", "2026-01-03"), record("c", "2026-01-02")])
    assert list(read_last_run(tmp_path)) == ["b", "c"]


@pytest.mark.parametrize(
    "changed",
    [
        {"nodeid": 1},
        {"case": None},
        {"models": "m"},
        {"models": [1]},
        {"asked": [{"model": "m"}]},
        {"asked": ["m"]},
        {"asked": None},
        {"when": 5},
        {"more": 1},
        {"asked": [{"model": "m", "keys": ["0"], "requests": 1, "prompt": 1, "completion": 1}]},
        {"asked": [{"model": "m", "keys": [], "requests": -1, "prompt": 1, "completion": 1}]},
        {"asked": [{"model": "m", "keys": [], "requests": True, "prompt": 1, "completion": 1}]},
    ],
)
def test_damaged_lines_are_passed_over(tmp_path: Path, changed: dict[str, object]) -> None:
    keep_last_run(tmp_path, [record("a"), record("b")])
    lines = (tmp_path / NAME).read_text().splitlines()
    broken = json.dumps({**json.loads(lines[0]), **changed})
    (tmp_path / NAME).write_text("\n".join([broken, "[" * 10**5, "{", lines[1]]))
    assert list(read_last_run(tmp_path)) == ["b"]
    keep_last_run(tmp_path, [record("c")])
    assert list(read_last_run(tmp_path)) == ["b", "c"]


def test_nothing_is_written_where_nothing_changed(tmp_path: Path) -> None:
    keep_last_run(tmp_path, [record("a")])
    before = (tmp_path / NAME).stat()
    keep_last_run(tmp_path, [record("a")])
    after = (tmp_path / NAME).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert before.st_mode & 0o777 == 0o600
    keep_last_run(tmp_path, [replace(record("a"), case="0")])
    assert read_last_run(tmp_path)["a"].case == "0"
