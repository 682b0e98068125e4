"""Committed verdicts: what is read, what is damage, and how they are written."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_ragassert import ConfigurationError
from pytest_ragassert.storage.committed.committed_verdicts import (
    is_folder,
    open_verdicts,
    write_verdicts,
)
from pytest_ragassert.storage.committed.verdict_line import (
    BY_HAND,
    EMBED_TEXT,
    OVERRIDE,
    VerdictLine,
    judge_name,
    one_of,
    read_line,
)

from .committed_lines import JUDGE, in_order, key_of, line, read, some_lines

FORMS = ["verdicts.jsonl", "verdicts"]
IN_ONE_FOLDER = settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
MANY = [line(1), line(2, step="extract_claims"), line(3, judge="my-judge"), line(4)]


def written(path: Path, *texts: str | bytes) -> Path:
    """A file of these lines, each with an end where it has none."""
    raw = [text.encode() if isinstance(text, str) else text for text in texts]
    path.write_bytes(b"".join(one if one.endswith(b"\n") else one + b"\n" for one in raw))
    return path


def error_of(path: Path | str) -> str:
    """What reading all of it says."""
    with pytest.raises(ConfigurationError) as raised:
        read(path)
    return str(raised.value)


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.fixture(params=FORMS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "verdicts.jsonl"


# -- a line ----------------------------------------------------------------------------------------


def test_a_judgements_line_says_how_it_was_asked_and_against_what() -> None:
    one = line(asked="b" * 64, passages=("c" * 32, "d" * 32), reply={"verdict": "NO_EVIDENCE"})
    begins = '{"key": "' + one.key + '", "step": "verify_claims", "judge": "' + JUDGE + '", '
    beside = (
        '"asked": "' + "b" * 64 + '", "about": "Ticket 1 costs 4 crowns", '
        '"passages": ["' + "c" * 32 + '", "' + "d" * 32 + '"], '
    )
    ends = '"reply": {"verdict": "NO_EVIDENCE"}}'
    assert one.to_text() == begins + beside + ends
    carried = replace(one, source="e" * 64)
    assert carried.to_text() == begins + beside + '"from": "' + "e" * 64 + '", ' + ends
    for each in (one, carried, replace(one, passages=())):
        assert read_line(each.to_text().encode(), "here") == each


def test_another_line_has_five_keys_in_this_order_and_spelling() -> None:
    one = VerdictLine(
        "a" * 64, "verify_claims", "j m", "電車 “costs” 4", {"b": [1, 2.5], "a": None}
    )
    assert one.to_text() == (
        '{"key": "' + "a" * 64 + '", "step": "verify_claims", "judge": "j m", '
        '"about": "電車 “costs” 4", "reply": {"a": null, "b": [1, 2.5]}}'
    )


def test_what_would_act_on_a_terminal_or_in_a_review_is_escaped() -> None:
    acting = "\x00\x1b\x7f\x80\x9f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ud800"
    text = line(about=acting, reply={acting: acting}).to_text()
    assert not set(acting) & set(text)
    assert "\\u007f\\u0080\\u009f\\u061c" in text
    assert '"about": "\\u007f"' in line(about="\x7f").to_text()
    assert json.loads(text)["reply"] == {acting: acting}


def test_a_document_is_the_same_with_a_line_for_each_value() -> None:
    one = line(about="a\nb")
    document = one.to_document()
    assert document.splitlines()[:2] == ["{", f'  "key": "{one.key}",']
    assert document.endswith('\n  "reply": {\n    "verdicts": [\n      {\n        "confidence": 0.5'
                             ',\n        "id": 1,\n        "reason": "so says 1"\n      }\n    ]'
                             "\n  }\n}\n")  # fmt: skip
    assert json.loads(document) == json.loads(one.to_text())


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"key": "A" * 64}, "64 hexadecimal"),
        ({"key": "a" * 63}, "64 hexadecimal"),
        ({"step": "../elsewhere"}, "step must be a name"),
        ({"step": ""}, "step must be a name"),
        ({"reply": {"score": float("nan")}}, "not JSON"),
        ({"reply": {"score": float("inf")}}, "not JSON"),
        ({"reply": {"score": {1}}}, "not JSON serializable"),
        ({"reply": []}, "reply must be a JSON object"),
        ({"about": None}, "must be texts"),
        ({"asked": "a" * 63}, "asked must be 64 hexadecimal"),
        ({"asked": "a" * 64, "source": "b"}, "from must be 64 hexadecimal"),
        ({"asked": "a" * 64, "passages": ("a" * 64,)}, "32 hexadecimal"),
        ({"asked": "a" * 64, "passages": (1,)}, "32 hexadecimal"),
    ],
)
def test_what_is_no_verdict_can_not_be_written(
    path: Path, more: dict[str, Any], problem: str
) -> None:
    write_verdicts(path, [line(1)])
    with pytest.raises(ConfigurationError, match=problem):
        write_verdicts(path, [line(2), line(3, **more)])
    assert read(path) == [line(1)]


@pytest.mark.parametrize(
    ("model", "name"),
    [("gpt-4o-mini", "openai x gpt-4o-mini"), ("", "openai x"), (None, "openai x")],
)
def test_a_judge_is_named_by_id_and_model(model: str | None, name: str) -> None:
    assert judge_name("openai x", model) == name


# -- where verdicts lie ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("missing.jsonl", False),
        ("missing", True),
        ("missing.d/", True),
        ("missing.d", False),
        ("file", False),
        ("folder.jsonl", True),
    ],
)
def test_a_path_is_a_file_or_a_folder(tmp_path: Path, name: str, folder: bool) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.jsonl").mkdir()
    place = f"{tmp_path}/{name}"
    assert is_folder(place) is folder
    write_verdicts(place, [line(1)])
    assert os.path.isdir(place) is folder
    assert read(place) == [line(1)]


def test_nothing_is_there_and_nothing_is_made(path: Path) -> None:
    verdicts = open_verdicts(path)
    assert (list(verdicts.lines()), verdicts.overrides(), verdicts.judges()) == ([], [], set())
    assert not verdicts.keys()
    assert verdicts.line(key_of(1)) is None
    write_verdicts(path, [])
    assert not path.exists()


def test_what_is_there_is_found_by_key(path: Path) -> None:
    write_verdicts(path, MANY)
    verdicts = open_verdicts(path)
    assert verdicts.path == path
    assert [verdicts.line(one.key) for one in MANY] == MANY
    assert set(verdicts.keys()) == {one.key for one in MANY}
    assert key_of(1) in verdicts
    assert key_of(5) not in verdicts
    assert verdicts.line(key_of(5)) is None
    assert list(verdicts.lines()) == in_order(MANY)


def test_people_and_embedders_are_no_judges(path: Path) -> None:
    hand = line(5, step=OVERRIDE, judge=BY_HAND, reply={"verdict": "NO_EVIDENCE", "reason": "so"})
    others = [line(n, step=OVERRIDE, judge=("a tool", BY_HAND)[n % 2]) for n in range(10, 20)]
    write_verdicts(path, [*MANY, hand, *others, line(7, step=EMBED_TEXT, judge="embedder m")])
    verdicts = open_verdicts(path)
    assert verdicts.judges() == {JUDGE, "my-judge"}
    assert verdicts.overrides() == in_order([hand, *others])


def test_a_place_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert f"{tmp_path}/file/verdicts.jsonl" in error_of(tmp_path / "file" / "verdicts.jsonl")
    with pytest.raises(ConfigurationError, match="can't be written"):
        write_verdicts(tmp_path / "file" / "verdicts.jsonl", [line(1)])
    assert f"{tmp_path}/file/verdicts" in error_of(tmp_path / "file" / "verdicts")


def test_the_room_loads_nothing_heavy() -> None:
    code = (
        "import sys\nimport pytest_ragassert.storage.committed.committed_verdicts\n"
        "import pytest_ragassert.storage.committed.misses\n"
        "print([name for name in ('pydantic', 'openai', 'diskcache', 'pytest', 'asyncio')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# -- what a file may look like ---------------------------------------------------------------------


@given(lines=some_lines, how=st.randoms(use_true_random=False), name=st.sampled_from(FORMS))
@IN_ONE_FOLDER
def test_what_is_written_is_read_and_order_makes_no_difference(
    lines: list[VerdictLine],
    how: random.Random,
    name: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("any")
    write_verdicts(folder / "a" / name, lines)
    shuffled = how.sample(lines, len(lines))
    write_verdicts(folder / "b" / name, [*shuffled, *shuffled[:2]])
    found = read(folder / "a" / name)
    assert [repr(one) for one in found] == [repr(sorted_reply(one)) for one in in_order(lines)]
    assert files(folder / "a") == files(folder / "b") or not lines
    overrides = open_verdicts(folder / "a" / name).overrides()
    assert overrides == [one for one in in_order(lines) if one.step == OVERRIDE]


def sorted_reply(one: VerdictLine) -> VerdictLine:
    """With its names in the order of lines, so that `repr`, which tells 1 and 1.0 apart, fits."""
    ordered = json.loads(json.dumps(one.reply, sort_keys=True))
    return replace(one, reply=ordered)


@given(lines=some_lines, how=st.randoms(use_true_random=False))
@IN_ONE_FOLDER
def test_any_order_spelling_and_repeat_reads_the_same(
    lines: list[VerdictLine], how: random.Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    spelled = [spell(one, how) for one in lines for _ in range(how.randint(1, 3))]
    spelled += how.choices([b"\n", b"\r\n", b"  \n"], k=2)
    how.shuffle(spelled)
    raw = how.choice([b"", b"\xef\xbb\xbf"]) + b"".join(spelled)
    place = tmp_path_factory.mktemp("any") / "verdicts.jsonl"
    place.write_bytes(how.choice([raw, raw.removesuffix(b"\n")]))
    assert list(map(repr, map(sorted_reply, read(place)))) == [
        repr(sorted_reply(one)) for one in in_order(lines)
    ]


def spell(one: VerdictLine, how: random.Random) -> bytes:
    """The line in one of the ways it may be written."""
    whole = json.loads(one.to_text())
    members = list(whole.items())
    how.shuffle(members)
    text = how.choice(
        [
            one.to_text(),
            json.dumps(whole),
            json.dumps(dict(members), separators=(",", ":")),
            "  " + json.dumps(dict(members), sort_keys=True) + "\t",
        ]
    )
    return text.encode() + how.choice([b"\n", b"\r\n"])


@given(lines=some_lines, how=st.randoms(use_true_random=False))
@IN_ONE_FOLDER
def test_what_two_people_wrote_reads_as_all_after_a_union_merge(
    lines: list[VerdictLine], how: random.Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    ours = [one for one in lines if how.random() < 0.5]
    theirs = [one for one in lines if one not in ours or how.random() < 0.5]
    sides: list[bytes] = []
    for name, side in (("ours.jsonl", ours), ("theirs.jsonl", theirs)):
        write_verdicts(folder / name, side)
        sides += (folder / name).read_bytes().splitlines(keepends=True) if side else []
    union = sorted(set(sides))
    how.shuffle(union)
    merged = folder / "merged.jsonl"
    merged.write_bytes(b"".join(union))
    assert read(merged) == in_order(lines)
    write_verdicts(merged, read(merged))
    assert merged.read_bytes().decode() == "".join(f"{one.to_text()}\n" for one in in_order(lines))


@pytest.mark.parametrize("raw", [b"", b"\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n \n"])
def test_a_file_of_empty_lines_is_empty(file: Path, raw: bytes) -> None:
    file.write_bytes(raw)
    assert read(file) == []


def test_a_repeat_may_tell_otherwise_what_it_is_about(file: Path) -> None:
    one, other = line(1, about="b"), line(1, about="a")
    for pair in ([one, other], [other, one]):
        assert read(written(file, *(each.to_text() for each in pair))) == [other]
        write_verdicts(file, pair)
        assert read(file) == [other]


def test_of_two_lines_that_say_the_same_the_one_that_says_more_stands(file: Path) -> None:
    bare, unnamed = line(1, about="a"), line(1, about="b", asked="a" * 64)
    whole = replace(unnamed, about="c", passages=("b" * 32,))
    for less, more in ((bare, unnamed), (bare, whole), (unnamed, whole)):
        assert one_of(less, more) == one_of(more, less) == more
    written(file, bare.to_text(), whole.to_text(), unnamed.to_text())
    assert read(file) == [whole]


def test_a_very_long_reply_comes_back(path: Path) -> None:
    long = line(
        1, reply={"text": "電車\x00\u2028" * 100_000, "vector": [0.1, 1e-300, 10**30] * 2000}
    )
    write_verdicts(path, [long, line(2)])
    assert open_verdicts(path).line(long.key) == long


# -- damage ----------------------------------------------------------------------------------------

GOOD = line(1).to_text()
WHOLE = line(1, asked="a" * 64, passages=("b" * 32,)).to_text()


@pytest.mark.parametrize(
    ("damaged", "problem"),
    [
        (GOOD[:-30], "not JSON"),
        (GOOD[:-1], "not JSON"),
        (GOOD.replace("0.5", '0.5"'), "not JSON"),
        (GOOD.replace("0.5", "NaN"), "NaN is not a JSON"),
        (GOOD.replace("0.5", '0.5, "id": 2'), "appears twice"),
        (GOOD.replace('"reply"', '"about": "x", "reply"'), "appears twice"),
        (GOOD.replace('"reply"', '"more": 1, "reply"'), "must be a JSON object with only"),
        (GOOD.replace('"about"', '"above"'), "must be a JSON object with only"),
        (GOOD.replace(key_of(1), key_of(1).upper()), "64 hexadecimal"),
        (GOOD.replace(key_of(1), "abc"), "64 hexadecimal"),
        (GOOD.replace("verify_claims", "../up"), "step must be a name"),
        (
            GOOD.replace('"reply": {', '"reply": [{').replace("}]}}", "}]}]}"),
            "reply must be a JSON",
        ),
        (json.dumps({**json.loads(GOOD), "about": None}), "must be texts"),
        (json.dumps({**json.loads(GOOD), "asked": "a" * 64}), "must be a JSON object with only"),
        (json.dumps({**json.loads(GOOD), "from": "a" * 64}), "a verdict with from must also have"),
        (json.dumps({**json.loads(WHOLE), "asked": 1}), "asked must be 64 hexadecimal"),
        (json.dumps({**json.loads(WHOLE), "from": None}), "from must be 64 hexadecimal"),
        (json.dumps({**json.loads(WHOLE), "passages": "a"}), "passages must be a list"),
        (GOOD.encode().replace(b"Ticket", b"\xff\xfe"), "not UTF-8"),
        (GOOD.encode().replace(b"openai", b"\xff\xfe"), "not UTF-8"),
        (GOOD.replace('"verdicts": [', '"verdicts": [' + "[" * 100_000), "nested too deeply"),
        ("\0" * 100, "not JSON"),
        ("[]", "must be a JSON object with only"),
        ("x", "not JSON"),
    ],
)
def test_damage_is_an_error_that_names_file_and_line(
    file: Path, damaged: str | bytes, problem: str
) -> None:
    written(file, line(2).to_text(), "", line(3).to_text(), damaged, line(4).to_text())
    told = error_of(file)
    assert told.startswith(f"{file}, line 4: ")
    assert problem in told
    assert "--ragassert-update-verdicts" in told


def test_a_line_that_was_cut_off_is_seen_at_opening(file: Path) -> None:
    written(file, line(2).to_text(), GOOD[:-30], line(3).to_text())
    with pytest.raises(ConfigurationError, match="line 2: not JSON"):
        open_verdicts(file)


def test_damage_inside_one_line_leaves_the_others_readable(file: Path) -> None:
    written(file, line(2).to_text(), GOOD.replace("0.5", '0.5"'))
    verdicts = open_verdicts(file)
    assert verdicts.line(key_of(2)) == line(2)
    with pytest.raises(ConfigurationError, match="line 2: not JSON"):
        verdicts.line(key_of(1))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> theirs"])
def test_a_conflict_is_an_error_that_says_to_keep_both_sides(
    file: Path, marker: str, end: str
) -> None:
    written(file, line(1).to_text(), marker + end, line(2).to_text())
    with pytest.raises(ConfigurationError, match=r"line 2: git left a conflict .* both sides"):
        open_verdicts(file)


def test_one_key_with_two_replies_is_an_error_that_names_both_lines(file: Path) -> None:
    other = line(1, reply={"verdicts": [1]})
    written(file, GOOD, line(2).to_text(), GOOD, "", other.to_text())
    with pytest.raises(ConfigurationError, match="lines 1 and 5: two different replies") as raised:
        open_verdicts(file)
    assert key_of(1)[:12] in str(raised.value)
    with pytest.raises(ConfigurationError, match=f"two different replies .*{key_of(1)}"):
        write_verdicts(file, [line(1), other])


@pytest.mark.parametrize("name", ["step", "judge"])
def test_one_key_of_two_questions_is_damage(file: Path, name: str) -> None:
    written(file, GOOD, line(1, **{name: "other"}).to_text())
    assert f"lines 1 and 2: a different {name}" in error_of(file)


@pytest.mark.parametrize(
    ("first", "second"), [(1, 1.0), (1, True), (0, False), ("1", 1), ([], {}), (None, False)]
)
def test_numbers_are_told_apart_from_what_python_takes_for_equal(
    file: Path, first: Any, second: Any
) -> None:
    pair = (line(1, reply={"x": value}).to_text() for value in (first, second))
    assert "two different replies" in error_of(written(file, *pair))


# -- a file that changes ---------------------------------------------------------------------------


def test_a_file_that_was_replaced_is_read_anew(file: Path) -> None:
    write_verdicts(file, [line(1), line(2)])
    verdicts = open_verdicts(file)
    write_verdicts(file, [line(2), line(3)])
    assert verdicts.line(key_of(3)) == line(3)
    assert verdicts.line(key_of(1)) is None
    assert key_of(1) not in verdicts
    write_verdicts(file, [line(4)])
    assert list(verdicts.lines()) == [line(4)]


def test_a_file_that_went_away_is_empty(file: Path) -> None:
    write_verdicts(file, [line(1)])
    first, second = open_verdicts(file), open_verdicts(file)
    file.unlink()
    assert first.line(key_of(1)) is None
    assert list(second.lines()) == []
    assert not first.keys()
    assert not second.keys()


def test_a_file_changed_within_a_tick_of_the_clock_gives_no_wrong_verdict(file: Path) -> None:
    write_verdicts(file, [line(1)])
    verdicts = open_verdicts(file)
    status = file.stat()
    with file.open("r+b") as opened:
        opened.write(line(2).to_text().encode())
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert verdicts.line(key_of(1)) is None
    assert verdicts.line(key_of(2)) == line(2)


def test_nothing_is_held_open(path: Path) -> None:
    write_verdicts(path, MANY)
    verdicts = open_verdicts(path)
    verdicts.line(key_of(1))
    next(iter(verdicts.lines()))
    held = [os.readlink(f"/proc/self/fd/{name}") for name in descriptors()]
    assert not [name for name in held if str(path) in name]


def descriptors() -> Iterator[str]:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc here to tell what is held open")
    for name in os.listdir("/proc/self/fd"):
        if os.path.lexists(f"/proc/self/fd/{name}"):
            yield name


# -- writing ---------------------------------------------------------------------------------------


def test_what_a_file_holds_is_sorted_and_ends_in_line_feeds(file: Path) -> None:
    write_verdicts(file, reversed(MANY))
    expected = "".join(f"{one.to_text()}\n" for one in in_order(MANY))
    assert file.read_bytes() == expected.encode()


def test_a_folder_holds_a_file_for_each(tmp_path: Path) -> None:
    write_verdicts(tmp_path, MANY)
    assert files(tmp_path) == {
        f"{one.step}/{one.key}.json": one.to_document().encode() for one in MANY
    }


def test_where_bytes_are_equal_nothing_is_written(path: Path) -> None:
    write_verdicts(path, MANY)
    before = states(path)
    write_verdicts(path, open_verdicts(path).lines())
    assert states(path) == before
    write_verdicts(path, [*MANY, line(5)])
    changed = {name for name, state in states(path).items() if before.get(name) != state}
    assert changed == ({""} if path.is_file() else {f"verify_claims/{key_of(5)}.json"})


def states(path: Path) -> dict[str, tuple[int, int]]:
    found = [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    return {
        "" if one == path else one.relative_to(path).as_posix(): (
            one.stat().st_ino,
            one.stat().st_mtime_ns,
        )
        for one in found
    }


def test_what_is_not_given_goes(path: Path) -> None:
    write_verdicts(path, MANY)
    write_verdicts(path, [line(1)])
    assert read(path) == [line(1)]
    write_verdicts(path, [])
    assert read(path) == []
    assert path.exists()


def test_a_folder_loses_only_files_of_verdicts(tmp_path: Path) -> None:
    write_verdicts(tmp_path, MANY)
    others = ["README.md", f"{key_of(1)}.json", "verify_claims/notes.json", "more/deep/x.json"]
    others += [f"verify_claims/{key_of(1)}.json.orig", f"verify_claims/{key_of(1)[1:]}.json"]
    for name in others:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine")
    (tmp_path / "empty").mkdir()
    write_verdicts(tmp_path, [])
    assert set(files(tmp_path)) == set(others)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == [
        "empty",
        "more",
        "verify_claims",
    ]
    assert read(tmp_path) == []


def test_a_verdict_that_moves_to_another_step_leaves_nothing_behind(tmp_path: Path) -> None:
    write_verdicts(tmp_path, [line(1, step="verify")])
    write_verdicts(tmp_path, [line(1, step="Verify")])
    assert read(tmp_path) == [line(1, step="Verify")]


def test_a_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    write_verdicts(real, [line(1)])
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(real.stat().st_mode) == 0o666 & ~mask
    real.chmod(0o640)
    link.symlink_to(real)
    write_verdicts(link, [line(2)])
    assert link.is_symlink()
    assert read(real) == [line(2)]
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_what_can_not_be_written_leaves_all_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_verdicts(path, [line(1)])
    before = files(path.parent)

    def refuse(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ConfigurationError, match=r"can't be written: .*No space left"):
        write_verdicts(path, [line(2)])
    assert files(path.parent) == before


def test_a_file_that_somebody_reads_is_replaced_a_little_later(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, refusals = os.replace, [1, 2]

    def busy(draft: Path, target: Path) -> None:
        if refusals:
            refusals.pop()
            raise PermissionError(13, "The process cannot access the file")
        replace(draft, target)

    monkeypatch.setattr(os, "replace", busy)
    write_verdicts(file, [line(1)])
    assert read(file) == [line(1)]


# -- damage in a folder ----------------------------------------------------------------------------


def test_damage_in_a_folder_names_the_file(tmp_path: Path) -> None:
    write_verdicts(tmp_path, MANY)
    damaged = tmp_path / "verify_claims" / f"{key_of(4)}.json"
    damaged.write_text("{")
    verdicts = open_verdicts(tmp_path)
    assert verdicts.line(key_of(1)) == line(1)
    with pytest.raises(ConfigurationError, match="not JSON") as raised:
        verdicts.line(key_of(4))
    assert str(raised.value).startswith(f"{damaged}: ")
    with pytest.raises(ConfigurationError, match="not JSON"):
        verdicts.judges()


def test_a_file_under_another_name_is_damage(tmp_path: Path) -> None:
    write_verdicts(tmp_path, [line(1)])
    file = tmp_path / "verify_claims" / f"{key_of(1)}.json"
    file.rename(moved := file.with_name(f"{key_of(2)}.json"))
    assert error_of(tmp_path).startswith(
        f"{moved}: it contains the verdict verify_claims/{key_of(1)}"
    )


def test_a_conflict_in_a_folder_says_to_keep_one_side(tmp_path: Path) -> None:
    write_verdicts(tmp_path, [line(1)])
    file = tmp_path / "verify_claims" / f"{key_of(1)}.json"
    half = file.read_text()
    file.write_text(
        half.replace('  "reply"', '<<<<<<< ours\n  "reply"') + "=======\n}\n>>>>>>> t\n"
    )
    assert error_of(tmp_path).startswith(f"{file}: git left a conflict here")


def test_one_key_in_two_folders_is_an_error_that_names_both(tmp_path: Path) -> None:
    write_verdicts(tmp_path / "a", [line(1, step="one")])
    write_verdicts(tmp_path / "b", [line(1, step="two")])
    (tmp_path / "b" / "two").rename(tmp_path / "a" / "two")
    with pytest.raises(ConfigurationError, match="two verdicts under one key") as raised:
        open_verdicts(tmp_path / "a")
    for step in ("one", "two"):
        assert str(tmp_path / "a" / step / f"{key_of(1)}.json") in str(raised.value)


def test_a_document_in_any_spelling_is_read(tmp_path: Path) -> None:
    write_verdicts(tmp_path, MANY)
    for one in MANY:
        place = tmp_path / one.step / f"{one.key}.json"
        members = reversed(json.loads(one.to_text()).items())
        spelled = json.dumps(dict(members), indent="\t").replace("\n", "\r\n")
        place.write_bytes(b"\xef\xbb\xbf" + spelled.encode())
    assert read(tmp_path) == in_order(MANY)
    assert open_verdicts(tmp_path).judges() == {JUDGE, "my-judge"}
