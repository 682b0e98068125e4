"""A stored reply that was damaged is a miss: asked again, never believed, never an exception."""

from __future__ import annotations

import inspect
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, Settings, evaluate

from .conftest import MakeSettings, close_sessions
from .loopback.server import LoopbackJudge
from .replies import FERRY, case, in_new_run

FAITHFUL = ["faithfulness"]
Spoil = Callable[[Any], Any]
OF_ANSWERS = "WHERE key NOT LIKE '%.question'"


def rows(folder: Path) -> dict[str, str]:
    """The stored texts by step."""
    with closing(sqlite3.connect(folder / "cache.db")) as connection:
        texts = [text for (text,) in connection.execute(f"SELECT value FROM Cache {OF_ANSWERS}")]
    return {json.loads(text)["step"]: text for text in texts}


def replace(folder: Path, old: str, new: str) -> None:
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        connection.execute("UPDATE Cache SET value = ? WHERE value = ?", (new, old))


def at(*path: str | int, put: Any = None, drop: bool = False) -> Spoil:
    """Changes the one place of a record."""

    def spoil(record: Any) -> Any:
        inner = record
        for step in path[:-1]:
            inner = inner[step]
        if drop:
            del inner[path[-1]]
        else:
            inner[path[-1]] = put
        return record

    return spoil


def puts(path: Sequence[str | int], *values: Any) -> list[Spoil]:
    """Each value in that place."""
    return [at(*path, put=value) for value in values]


VERDICT = ("reply",)
QUOTE = (*VERDICT, "evidence", 0)
CLAIM = ("reply", "claims", 0)
OF_VERDICTS: list[Spoil] = [
    *(at(*VERDICT, name, drop=True) for name in ("reason", "evidence", "verdict", "confidence")),
    *puts([*VERDICT, "verdict"], ["FULLY_SUPPORTED"], {}, 1, True, None, "yes"),
    *puts([*VERDICT, "id"], "1", 1, None),
    *puts([*VERDICT, "confidence"], 7, -1, "high", True, [0.5], 1),
    *puts([*VERDICT, "conflict"], "yes", 1, None, [], False),
    *puts([*VERDICT, "packed"], "yes", 1, None, [], False),
    *puts([*VERDICT, "evidence"], None, {}, "a quote", [None], ["a quote"], [[]]),
    *puts([*QUOTE, "passage"], "1", 1, True, [1], "0" * 32, "F" * 32, "0" * 64),
    *puts([*QUOTE, "quote"], 5, [], {}, " ", " a"),
    at(*QUOTE, "more", put=1),
    *puts([*VERDICT, "reason"], 5, [], {}, " "),
    at(*VERDICT, "more", put=1),
    at(*VERDICT, put="FULLY_SUPPORTED"),
    at("reply", "verdicts", put=[]),
]
OF_CLAIMS: list[Spoil] = [
    *puts(CLAIM, 5, None, " ", "\u3164", " a", ["a"], {"sentence": 1, "text": "a"}),
    *puts(["reply", "claims"], {"text": "a"}, "a", None),
    at("reply", "claims", drop=True),
    at("reply", "sentences", put=[]),
]
OF_ANY: list[Spoil] = [
    *(at(name, drop=True) for name in ("format", "step", "reply", "usage", "served", "when")),
    *puts(["usage", "requests"], "1", -1, 1.5, True, None, [1]),
    *puts(["usage", "prompt_tokens"], "many", -7, {}, 10**400, float("nan")),
    *puts(["usage"], None, [], "none", 3),
    *puts(["format"], "3", None, [3], 1, 4),
    *puts(["served"], 1, ["judge-a"]),
    *(at(name, drop=True) for name in ("judge", "model", "about", "fingerprint")),
    *puts(["key"], "0" * 64, None, 1, []),
    *puts(["judge"], "another", None, [], "openai"),
    *puts(["model"], "judge-b", "", None, {}),
    *puts(["about"], "another text", "", None, 1),
    *puts(["fingerprint"], "0" * 64, None),
    *puts(["when"], None, 1_700_000_000),
    *puts(["reply"], None, [], "text", 3),
]


@pytest.mark.parametrize(
    ("step", "spoils"),
    [
        ("verify_claims", [*OF_VERDICTS, *OF_ANY]),
        ("extract_claims", [*OF_CLAIMS, *OF_ANY]),
    ],
)
def test_a_damaged_reply_is_asked_again(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, step: str, spoils: list[Spoil]
) -> None:
    # a case for each way of damage, and one that stays whole
    ways = [*spoils, _whole]
    texts_of_cases = [f"{FERRY} Its number is {number}." for number in range(len(ways))]
    cases = [
        case(id=f"c{number}", answer=text, retrieved_contexts=[f"Timetable. {text}"])
        for number, text in enumerate(texts_of_cases)
    ]
    before = _measured(cases, settings())
    texts = stored_of_cases(tmp_path / "store", step)
    assert texts.keys() == set(range(len(ways)))
    for number, spoil in enumerate(ways):
        text = texts[number]
        replace(tmp_path / "store", text, json.dumps(spoil(json.loads(text))))
    judge.reset()
    after = _measured(cases, settings())
    asked = Counter(number_in(json.dumps(request.data)) for request in judge.requests)
    stored = _measured(cases, settings())
    for number, spoil in enumerate(ways):
        way = f"{step}, way {number}: {inspect.getclosurevars(spoil).nonlocals}"
        assert asked[number] == (spoil is not _whole), way
        assert after[number].claims == before[number].claims, way
        assert stored[number].stored, way
    assert judge.count() == len(spoils)


def _whole(record: Any) -> Any:
    return record


def _measured(cases: Sequence[EvalCase], settings: Settings) -> list[Any]:
    """The results of a run of its own."""
    results = evaluate(cases, FAITHFUL, settings=settings)
    close_sessions()
    return [result["faithfulness"] for result in results]


_NUMBER = re.compile(r"Its number is (\d+)")


def stored_of_cases(folder: Path, step: str) -> dict[int, str]:
    """The stored text that is of one case alone, by its number."""
    with closing(sqlite3.connect(folder / "cache.db")) as connection:
        found = connection.execute(f"SELECT value FROM Cache {OF_ANSWERS}").fetchall()
    texts = [text for (text,) in found if json.loads(text)["step"] == step]
    return {number_in(text): text for text in texts if _NUMBER.search(text)}


def number_in(text: str) -> int:
    """The number of the case that a stored text or a request is about."""
    (number,) = set(_NUMBER.findall(text))
    return int(number)


MISSING = object()
PUT = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container and key in a JSON value."""
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    return [(value, key) for key in keys] + [found for key in keys for found in places(value[key])]


def test_no_damage_is_an_exception(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    evaluate(case(), FAITHFUL, settings=settings())
    whole = rows(tmp_path / "store")
    damages = [
        (step, number)
        for step, text in whole.items()
        for number in range(len(places(json.loads(text))))
    ]

    @examples(max_examples=30, deadline=None)
    @given(st.sampled_from(damages), st.just(MISSING) | PUT)
    def check(place: tuple[str, int], put: Any) -> None:
        step, number = place
        record = json.loads(whole[step])
        inner, key = places(record)[number]
        if put is MISSING:
            del inner[key]
        else:
            inner[key] = put
        # whatever the example before left: the undamaged rows, and this one
        close_sessions()
        with closing(sqlite3.connect(tmp_path / "store" / "cache.db")) as connection, connection:
            for name, row in keys.items():
                text = json.dumps(record) if name == step else whole[name]
                connection.execute("UPDATE Cache SET value = ? WHERE rowid = ?", (text, row))
        result = in_new_run(case(), FAITHFUL, settings())["faithfulness"]
        assert 0 <= result.score <= 1
        assert result.pretty()

    with closing(sqlite3.connect(tmp_path / "store" / "cache.db")) as connection:
        found = connection.execute(f"SELECT value, rowid FROM Cache {OF_ANSWERS}").fetchall()
    keys = {json.loads(text)["step"]: row for text, row in found}
    check()
