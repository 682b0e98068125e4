"""Hostile and broken files of cases: a clear error, or the right cases, within bounds."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml  # else pytester forgets it, and loads its errors anew, beside those of its C part
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.commands.command_line import main
from pytest_ragassert.datasets.loading import read_cases
from pytest_ragassert.datasets.readers import known_suffixes
from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.language.escaping import escaped_lines

from .hostile_files import FILES, LARGE, PLACES, Expected

assert yaml.YAMLError
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kinds of files of POSIX")

MOST_MEMORY, MOST_SECONDS = 2**31, 60
LONGEST_MESSAGE = 2000  # beside the file's name

# Reads each file that its input names, and says what came of it.
READ = """
import json, os, resource, signal, sys, warnings
from pytest_ragassert import load_cases

warnings.simplefilter("ignore")
most_memory, most_seconds, user = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_AS, (most_memory, most_memory))
signal.signal(signal.SIGPROF, lambda *_: sys.exit("too long"))
for name in json.load(sys.stdin):
    if user:
        os.seteuid(user if "locked" in name else 0)
    # of the processor, as others may use it too
    signal.setitimer(signal.ITIMER_PROF, most_seconds)
    try:
        told = [case.id for case in load_cases(name)]
    except (ValueError, FileNotFoundError) as error:
        told = str(error)
    except BaseException as error:
        told = {type(error).__name__: str(error)}
    print(json.dumps([name, told]), flush=True)
"""


def read_all(folder: Path, names: list[str]) -> dict[str, Any]:
    """What comes of each file, read in one process of little memory."""
    # a user from whom files can be locked
    user = 65534 if os.geteuid() == 0 else 0
    done = subprocess.run(
        [sys.executable, "-c", READ, str(MOST_MEMORY), str(MOST_SECONDS), str(user)],
        input=json.dumps(names),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=600,
    )
    told = dict(map(json.loads, done.stdout.splitlines()))
    after = names[len(told)] if len(told) < len(names) else None
    assert (done.returncode, after, done.stderr) == (0, None, "")
    return told


def unlike(expected: Mapping[str, Expected], told: Mapping[str, Any]) -> dict[str, Any]:
    """What came of the files of which it is not what was expected."""
    return {name: found for name, found in told.items() if not is_as(expected[name], name, found)}


def is_as(expected: Expected, name: str, found: Any) -> bool:
    if isinstance(expected, list) or not isinstance(found, str):
        return bool(found == expected)
    # one line each, of which no terminal acts on any, however long the text that it shows
    is_plain = all(line.isprintable() for line in found.split("\n"))
    return (
        is_plain
        and len(found) < LONGEST_MESSAGE + len(name)
        and re.search(expected, found) is not None
        and (escaped_lines(name) in found or repr(name)[1:-1] in found)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """An empty folder that everybody may read."""
    for one in (tmp_path, *tmp_path.parents):
        if one.stat().st_uid == os.geteuid() and one.stat().st_mode & 0o777 == 0o700:
            one.chmod(0o711)
    yield tmp_path
    assert not (tmp_path / "RUN").exists(), "something of a file was run"


def test_each_file_gives_its_cases_or_a_clear_error(folder: Path) -> None:
    for name, (content, _) in FILES.items():
        (folder / name).write_bytes(content)
    for name, (make, _) in PLACES.items():
        make(folder / name)
    expected = {name: told for name, (_, told) in [*FILES.items(), *PLACES.items()]}
    assert unlike(expected, read_all(folder, list(expected))) == {}


@pytest.mark.parametrize("some", range(3))
def test_each_large_file_does_so_in_bounded_memory(folder: Path, some: int) -> None:
    expected = {}
    for name in list(LARGE)[some::3]:
        make, expected[name] = LARGE[name]
        (folder / name).write_bytes(make())
    assert unlike(expected, read_all(folder, list(expected))) == {}
    for name in expected:
        (folder / name).unlink()


SOME = dict(list(FILES.items())[::3])


def test_the_command_says_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name, (content, expected) in SOME.items():
        Path(name).write_bytes(content)
        status = main(["cases", name])
        out, err = capsys.readouterr()
        if isinstance(expected, list):
            assert (name, status, err) == (name, 0 if expected else 1, "")
        else:
            assert (name, status, out) == (name, 2, "")
            assert is_as(expected, name, err.removeprefix("error: ").removesuffix("\n")), err


ERROR = re.compile(r"^_+ ERROR collecting (\S+) _+\n(.*?)(?=\n[_=]{9})", re.DOTALL | re.MULTILINE)
BY_MARKER = """
import pytest

@pytest.mark.rag_cases({name!r})
def test_case(rag_case):
    assert rag_case.answer is None or rag_case.answer
"""
BY_CALL = """
import pytest
from pytest_ragassert import load_cases

CASES = load_cases({name!r})
"""


def test_collecting_says_the_same_without_a_traceback_of_ours(
    pytester: pytest.Pytester, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini("[pytest]\nfilterwarnings = ignore:.*has no cases")
    modules: dict[str, tuple[str, Expected]] = {}
    for number, (name, (content, expected)) in enumerate(SOME.items()):
        (pytester.path / name).write_bytes(content)
        for kind, text in (("marker", BY_MARKER), ("call", BY_CALL)):
            module = f"test_{kind}_{number}.py"
            (pytester.path / module).write_text(text.format(name=name))
            modules[module] = (name, expected or "no case in" if kind == "marker" else expected)
    output = pytester.runpytest_inprocess("-p", "ragassert", "-q", "--tb=short").stdout.str()
    told = dict(ERROR.findall(output))
    assert set(told) == {module for module, (_, text) in modules.items() if isinstance(text, str)}
    assert "Traceback" not in output
    for module, message in told.items():
        name, expected = modules[module]
        _, _, text = message.partition("rag_cases: " if "marker" in module else "ValueError: ")
        assert is_as(expected, name, re.sub("^E   ", "", text, flags=re.MULTILINE)), message
        # the user's own line at most
        assert message.count(".py:") == 1


def test_calibrate_says_what_is_wrong_too(folder: Path) -> None:
    for name, (content, _) in FILES.items():
        (folder / name).write_bytes(content)
        with pytest.raises(ConfigurationError) as raised, LabelledFiles([folder / name]):
            pass
        assert is_as("", name, str(raised.value))


# -- any files -------------------------------------------------------------------------------------

PARTS = (
    *(b'{"id":', b'"a"', b"}", b"[", b"]", b"{}", b",", b";", b"\t", b"\n", b"\r", b'"', b"'"),
    *(b"id", b"answer", b"contexts", b"metadata", b"anwser", b"NaN", b"-1e999", b"\\ud800"),
    *(b"null", b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\xe9", b"sep=;", b"- id: ", b"&a "),
    *(b"*a", b"<<: ", b"!!python/name:os", b": ", b"  ", b"---", b"|"),
)
contents = st.binary(max_size=60) | st.lists(st.sampled_from(PARTS), max_size=30).map(b"".join)


@given(
    content=contents | contents.map(gzip.compress),
    suffix=st.sampled_from([*known_suffixes(), ""]),
    end=st.sampled_from(["", ".gz"]),
)
def test_any_bytes_give_cases_or_an_error_that_names_the_file(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str, end: str
) -> None:
    path = tmp_path_factory.mktemp("any") / f"any{suffix}{end}"
    path.write_bytes(content)
    told: str | list[EvalCase]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            told = load_cases(path)
        except ValueError as error:
            told = str(error)
    assert isinstance(told, list) or is_as("", path.name, told)


# earlier releases write some line ends without quotes
NOT_WRITTEN = "\0" if sys.version_info >= (3, 13) else "\0\r\n"
cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=NOT_WRITTEN)).map(
    lambda text: f"x{text}"
)


@given(
    rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=5),
    delimiter=st.sampled_from(",;\t|"),
    lineterminator=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]),
    suffix=st.sampled_from([".csv", ".tsv", ""]),
)
def test_a_table_that_a_program_writes_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str]],
    encoding: str,
    suffix: str,
    **dialect: Any,
) -> None:
    path = tmp_path_factory.mktemp("table") / f"a{suffix}"
    with open(path, "w", newline="", encoding=encoding) as file:
        writer = csv.writer(file, **dialect)
        writer.writerow(["id", "question", "answer"])
        writer.writerows((number, *row) for number, row in enumerate(rows))
    assert [(case.question, case.answer) for case in load_cases(path)] == rows


def test_a_file_that_is_cut_while_it_is_read_has_the_cases_that_were_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": "a"}\n' + b" " * 2**20 + b'\n{"id": "b"}\n')

    def cutting(cases: Iterable[EvalCase]) -> list[EvalCase]:
        kept = []
        for case in cases:
            os.truncate(path, 5)
            kept.append(case)
        return kept

    assert [case.id for case in read_cases(path, choose=cutting).cases] == ["a"]


def test_a_folder_of_such_files_names_them_all(folder: Path) -> None:
    some = {"b.jsonl": b"{}\n{", "c.csv": b"id\na,b\n", "d.json": b"[", "e.tsv": b"\xe9"}
    for name, content in some.items():
        (folder / name).write_bytes(content)
    (folder / "a.json").mkdir()
    os.mkfifo(folder / "f.csv")
    with pytest.raises(ValueError, match="6 mistakes") as raised:
        load_cases(folder)
    listed = [line.strip().partition(":")[0] for line in str(raised.value).splitlines()[1:]]
    assert listed == ["a.json", "b.jsonl, line 2", "c.csv, line 2", "d.json", "e.tsv", "f.csv"]
