"""Claims of failed results, kept so that an id in a report can be looked up."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.runtime.canonical_json import digest
from pytest_ragassert.steps.evidence.claim_ids import claim_id, former_claim_id
from pytest_ragassert.storage.failed_claims import (
    LONGEST_PASSAGES,
    MOST,
    NAME,
    forget_reported,
    keep_reported,
    read_reported,
)

from .commands.stored import reported

LATER = "2026-02-01T00:00:00Z"


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    claim = reported(
        "電車 \x1b \ud800",
        ["", "a", "b"],
        evidence=[{"passage": 2, "quote": "b"}, {"passage": None, "quote": "c"}],
        by_hand=True,
    )
    keep_reported(tmp_path / "store", [claim])
    assert read_reported(tmp_path / "store") == [claim]


def test_file_and_folder_are_private_and_kept_out_of_git(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    keep_reported(folder, [reported()])
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / NAME).stat().st_mode) == 0o600
    assert (folder / ".gitignore").read_text() == "*\n"
    assert sorted(os.listdir(folder)) == [".gitignore", "CACHEDIR.TAG", NAME]


def test_nothing_is_made_where_nothing_is_reported(tmp_path: Path) -> None:
    keep_reported(tmp_path / "store", [])
    assert read_reported(tmp_path / "store") == []
    assert not (tmp_path / "store").exists()


def test_newer_reports_stand_before_older_ones(tmp_path: Path) -> None:
    keep_reported(tmp_path, [reported("a")])
    keep_reported(tmp_path, [reported("b", when=LATER)])
    keep_reported(tmp_path, [reported("c", when=LATER), reported("d", when="2026-02-02T00:00:00Z")])
    assert [claim.claim for claim in read_reported(tmp_path)] == ["d", "c", "b", "a"]


def test_a_report_of_the_same_test_takes_the_place_of_the_older(tmp_path: Path) -> None:
    keep_reported(tmp_path, [reported("a"), reported("b"), reported("a", nodeid="other")])
    keep_reported(tmp_path, [reported("a", when=LATER, verdict="FULLY_SUPPORTED")])
    told = [(claim.claim, claim.nodeid, claim.verdict) for claim in read_reported(tmp_path)]
    assert told == [
        ("a", "test_it.py::test_price", "FULLY_SUPPORTED"),
        ("b", "test_it.py::test_price", "NO_EVIDENCE"),
        ("a", "other", "NO_EVIDENCE"),
    ]


def test_the_oldest_go_where_there_are_too_many(tmp_path: Path) -> None:
    one = reported()
    keep_reported(tmp_path, [replace(one, nodeid=f"old {n}") for n in range(MOST)])
    keep_reported(tmp_path, [replace(one, nodeid="new", when=LATER)])
    kept = [claim.nodeid for claim in read_reported(tmp_path)]
    assert len(kept) == MOST
    assert kept[0] == "new"
    assert "old 1998" in kept
    assert "old 1999" not in kept


def test_long_passages_are_cut_and_say_so(tmp_path: Path) -> None:
    long = ["x" * LONGEST_PASSAGES, "short", "y" * LONGEST_PASSAGES]
    keep_reported(tmp_path, [reported(passages=long), reported(passages=["x" * LONGEST_PASSAGES])])
    cut, whole = read_reported(tmp_path)
    assert cut.passages_cut
    assert sum(map(len, cut.passages)) <= LONGEST_PASSAGES
    assert cut.passages[1] == "short"
    assert cut.id == claim_id(cut.claim, long)
    assert (whole.passages_cut, len(whole.passages[0])) == (False, LONGEST_PASSAGES)


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    keep_reported(tmp_path, [reported("a"), reported("b")])
    path = tmp_path / NAME
    good = path.read_bytes().splitlines()
    record = json.loads(good[0])
    spoilt: list[bytes] = [
        json.dumps({**record, name: value}).encode()
        for name, value in {
            "id": "abc",
            "claim": 5,
            "passages": "text",
            "label_raw": "MAYBE",
            "verdict": ["NO_EVIDENCE"],
            "gate_reason": 1,
            "passage": True,
            "questions": [1],
            "by_hand": 1,
            "when": None,
            "more": 1,
        }.items()
    ]
    spoilt += [b"", b"{", b"null", b"[]", b"\xff\xfe", b"[" * 100_000, good[0][:50]]
    path.write_bytes(b"\n".join([spoilt[0], good[0], *spoilt[1:], good[1], b"{"]))
    assert [claim.claim for claim in read_reported(tmp_path)] == ["a", "b"]
    keep_reported(tmp_path, [reported("c", when=LATER)])
    assert len(path.read_bytes().splitlines()) == 3


def test_what_can_not_be_written_is_the_callers_to_tell(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    with pytest.raises(OSError, match="store"):
        keep_reported(tmp_path / "store", [reported()])
    (tmp_path / "other" / NAME / "x").mkdir(parents=True)
    with pytest.raises(OSError, match=NAME):
        keep_reported(tmp_path / "other", [reported()])
    assert not list((tmp_path / "other").glob("*.new"))


def test_old_reports_are_forgotten(tmp_path: Path) -> None:
    keep_reported(tmp_path, [reported("a"), reported("b", when=LATER)])
    forget_reported(tmp_path, LATER)
    assert [claim.claim for claim in read_reported(tmp_path)] == ["b"]
    forget_reported(tmp_path / "none", LATER)
    assert not (tmp_path / "none").exists()


def test_an_id_is_of_claim_and_passages() -> None:
    assert claim_id("c", ["b", "a", "b"]) == digest({"claim": "c", "passages": ["a", "b"]})
    ids = {claim_id(*of) for of in [("c", ["a", "b"]), ("c", ["a"]), ("d", ["a", "b"])]}
    assert len(ids) == 3
    assert former_claim_id("c", ["b", "a"]) == digest({"claim": "c", "passages": ["b", "a"]})


@given(st.text(), st.lists(st.text(max_size=3)), st.randoms())
def test_order_and_repetitions_do_not_change_an_id(
    claim: str, passages: list[str], chance: Random
) -> None:
    others = [*passages, *chance.sample(passages, len(passages) // 2)]
    chance.shuffle(others)
    assert claim_id(claim, others) == claim_id(claim, passages)


@given(st.text(), st.lists(st.none() | st.text()), st.integers(0, 5))
def test_blank_passages_do_not_change_an_id(
    claim: str, passages: list[str | None], at: int
) -> None:
    ids = [made(claim, passages) for made in (claim_id, former_claim_id)]
    for blank in (None, "", " \n"):
        more = [*passages[:at], blank, *passages[at:]]
        assert [made(claim, more) for made in (claim_id, former_claim_id)] == ids
