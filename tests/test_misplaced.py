"""An answer that stands under another question's key is a miss, wherever it stands."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pytest_ragassert import ConfigurationError, EvalCase, evaluate

from .conftest import MakeSettings, close_sessions
from .loopback.server import LoopbackJudge
from .replies import FULL, NONE, PARTIAL, asks, case, in_new_run, says_claims, says_verdicts
from .test_embedders import similar, similar_in_new_run

FAITHFUL = ["faithfulness"]
CLAIM = "The tram runs"
# of a committed line and of a stored record
BESIDE_KEY = ("step", "asked", "about", "passages", "reply")
OF_ANSWERS = "SELECT key, value FROM Cache WHERE key NOT LIKE '%.%' ORDER BY key"


def answers(folder: Path) -> dict[str, str]:
    with closing(sqlite3.connect(folder / "cache.db")) as connection:
        return dict(connection.execute(OF_ANSWERS).fetchall())


def put(folder: Path, texts: dict[str, str]) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        pairs = [(text, key) for key, text in texts.items()]
        connection.executemany("UPDATE Cache SET value = ? WHERE key = ?", pairs)


def without_keys(texts: dict[str, str]) -> dict[str, str]:
    """As the first versions stored them."""
    records = {key: json.loads(text) for key, text in texts.items()}
    for record in records.values():
        record.pop("key", None)
    return {key: json.dumps(record) for key, record in records.items()}


def cases() -> list[EvalCase]:
    """One claim, held against three sets of passages: alike but for those."""
    texts = {"a": "The tram runs.", "b": "The tram seldom runs.", "c": "Boats float."}
    return [case(id=id, answer=CLAIM, retrieved_contexts=[text]) for id, text in texts.items()]


def scores(own: Any) -> dict[str | None, float]:
    close_sessions()
    results = evaluate(cases(), FAITHFUL, settings=own)
    return {one.id: found[FAITHFUL[0]].score for one, found in zip(cases(), results, strict=True)}


@pytest.fixture
def says(judge: LoopbackJudge) -> LoopbackJudge:
    """A judge whose verdict depends on the passage."""
    says_claims(judge, {CLAIM: [CLAIM]})

    def reply(recorded: Any) -> str:
        text = recorded.data["passages"][0]["text"]
        said = {"The tram runs.": FULL, "The tram seldom runs.": PARTIAL}.get(text, NONE)
        verdict = {"id": 1, "reason": None, "passage": 1, "quote": text, "verdict": said.value}
        return json.dumps({"verdicts": [verdict | {"confidence": None}]})

    judge.on("verify_claims", reply)
    return judge


def test_answers_that_change_places_are_asked_again(
    says: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    before = scores(settings())
    assert len(set(before.values())) == 3
    stored = answers(tmp_path / "store")
    keys = list(stored)
    assert len(keys) == 4

    @examples(max_examples=10, deadline=None)
    @given(st.permutations(keys))
    def check(places: list[str]) -> None:
        close_sessions()
        pairs = list(zip(keys, places, strict=True))
        put(tmp_path / "store", {key: stored[place] for key, place in pairs})
        moved = sum(key != place for key, place in pairs)
        assert asks(says, lambda: scores(settings())) == moved
        assert asks(says, lambda: scores(settings())) == 0
        assert scores(settings()) == before

    check()


def test_answers_of_the_first_versions_are_used_where_they_fit(
    says: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    before = scores(settings())
    close_sessions()
    old = without_keys(answers(tmp_path / "store"))
    put(tmp_path / "store", old)
    assert asks(says, lambda: scores(settings())) == 0
    extracted = [key for key, text in old.items() if json.loads(text)["step"] == "extract_claims"]
    verified = [key for key in old if key not in extracted]
    close_sessions()
    put(tmp_path / "store", {extracted[0]: old[verified[0]], verified[0]: old[extracted[0]]})
    assert asks(says, lambda: scores(settings())) == 2
    assert scores(settings()) == before


def test_vectors_that_change_places_are_asked_again(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    own = settings(embedder="openai")
    before = similar(own).score
    close_sessions()
    one, two = answers(tmp_path / "store").items()
    put(tmp_path / "store", {one[0]: two[1], two[0]: one[1]})
    assert asks(judge, lambda: similar_in_new_run(own)) == 1
    assert similar_in_new_run(own).score == before
    assert asks(judge, lambda: similar_in_new_run(own)) == 0


@pytest.mark.parametrize("name", ["judge", "about", "reply"])
def test_a_committed_line_of_another_question_is_not_used(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, name: str
) -> None:
    says_claims(judge, {CLAIM: [CLAIM], "Boats float": ["Boats float"]})
    says_verdicts(judge, {CLAIM: FULL})
    one, other = case(answer=CLAIM), case(answer="Boats float")
    file = tmp_path / "verdicts.jsonl"
    for each in (one, other):
        evaluate(each, FAITHFUL, settings=settings())
    lines = []
    for key, text in answers(tmp_path / "store").items():
        record = json.loads(text)
        line = {name: record[name] for name in BESIDE_KEY}
        line |= {"key": key, "judge": f"{record['judge']} {record['model']}"}
        lines.append(line)
    verified = [line for line in lines if line["step"] == "verify_claims"]
    good = "".join(f"{json.dumps(line)}\n" for line in lines)
    spoilt = [one, other]
    if name == "reply":
        # one under the key of the other
        verified[0]["key"], verified[1]["key"] = verified[1]["key"], verified[0]["key"]
    else:
        spoilt = [each for each in spoilt if each.answer == verified[0]["about"]]
        verified[0][name] = "another"
    replay = settings(record_mode="none", verdicts=str(file))
    file.write_text(good)
    assert in_new_run(one, FAITHFUL, replay)["faithfulness"].score == 1.0
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for each in spoilt:
        with pytest.raises(ConfigurationError, match="does not answer its question"):
            in_new_run(each, FAITHFUL, replay)
