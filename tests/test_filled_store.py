"""The store that benchmarks fill: it holds what a run would have left there."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

from pytest_ragassert.storage.answers import read_answer
from pytest_ragassert.storage.contents import content_of
from pytest_ragassert.storage.disk.disk_store import DiskStore

from .benchmarks.changes import PASSAGES, base
from .benchmarks.filled_store import CLAIMS, answers_to, fill, question_of

CASES = 3


def test_it_holds_as_many_verdicts_as_were_wanted(tmp_path: Path) -> None:
    fill(tmp_path / "store", 0, CASES * CLAIMS)
    with closing(DiskStore(tmp_path / "store", print)) as store:
        kinds = Counter(content_of(row).kind for row in store.rows())
        found = {row.key for row in store.rows()}
    assert kinds == {
        "answer": CASES * CLAIMS,
        "question": CASES * CLAIMS,
        "passage": CASES * PASSAGES,
    }
    assert found >= set(question_of(base(CASES - 1)).keys)


def test_what_it_holds_answers_the_questions(tmp_path: Path) -> None:
    fill(tmp_path / "store", 0, CLAIMS)
    question = question_of(base(0))
    wanted = answers_to(question)
    with closing(DiskStore(tmp_path / "store", print)) as store:
        for one in question.judgements:
            answer = read_answer(store.get(one.key) or "", one, stored=True)
            assert answer is not None
            assert answer.reply == wanted[one.key].reply
            assert one.step.fits(one.input, answer.reply)
