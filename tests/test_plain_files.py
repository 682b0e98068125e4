"""Only plain files are read and replaced; nothing else is waited for, or lost."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_ragassert import load_cases
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.analysis.records.baseline_file import read_baseline
from pytest_ragassert.analysis.records.history_file import append, entry_of, read_history
from pytest_ragassert.analysis.records.read_results import read_results
from pytest_ragassert.commands.command_line import main
from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.files.atomic import update_whole, write_whole
from pytest_ragassert.storage.files.plain_files import check_output, open_plain, target_of

from .committed_lines import line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kinds of files of POSIX")

KINDS = ["pipe", "socket", "device", "folder", "a link to a pipe", "a link to a device"]


@pytest.fixture(params=KINDS)
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """Something that is not a plain file."""
    kind = request.param.rpartition(" ")[2]
    path = tmp_path / "odd.jsonl"
    real = tmp_path / "real" if request.param.startswith("a link") else path
    with socket.socket(socket.AF_UNIX) as server, tempfile.TemporaryDirectory() as short:
        if kind == "pipe":
            os.mkfifo(real)
        elif kind == "socket":
            server.bind(f"{short}/s")  # such a path must be short
            path.symlink_to(f"{short}/s")
        elif kind == "folder":
            path.mkdir()
        else:
            path.symlink_to(os.devnull)
            real = path
        if real != path:
            path.symlink_to(real)
        yield path


def state(path: Path) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_dev, status.st_ino, stat.S_IFMT(status.st_mode)


WHY = "not a plain file|Is a directory"


def test_none_is_replaced(odd: Path) -> None:
    before, names = state(odd), sorted(odd.parent.iterdir())
    with pytest.raises(OSError, match=WHY):
        write_whole(odd, ["x"])
    with pytest.raises(OSError, match=WHY):
        update_whole(odd, lambda: b"x")
    with pytest.raises(ConfigurationError, match=rf"--out: {odd} can't be written: .*({WHY})"):
        check_output(odd, "--out")
    if not odd.is_dir():  # a folder of verdicts is one of their two forms
        with pytest.raises(ConfigurationError, match=rf"--ragassert-verdicts: {odd} can't be writ"):
            write_verdicts(odd, [line(1)])
    with pytest.raises(ConfigurationError, match=rf"--ragassert-history: {odd} can't be written"):
        append(odd, entry_of({}, date=None, commit=None, judge="j"))
    assert (state(odd), sorted(odd.parent.iterdir())) == (before, names)


def test_none_is_waited_for_where_a_file_is_read(odd: Path) -> None:
    with pytest.raises(OSError, match=WHY):
        open_plain(odd)
    if not odd.is_dir():
        with pytest.raises(ConfigurationError, match=f"{odd} can't be read: it is .*not a plain"):
            open_verdicts(odd)
        with pytest.raises(ValueError, match=rf"{odd}: it can't be read: it is .*not a plain file"):
            load_cases(odd)
    for read in (read_baseline, read_history, read_results, lambda path: LabelledFiles([path])):
        with pytest.raises(ConfigurationError, match=rf"{odd} can't be read: .*({WHY})"):
            read(odd)


def test_one_in_a_folder_of_cases_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"question": "q"}\n')
    os.mkfifo(tmp_path / "b.jsonl")
    with pytest.raises(ValueError, match=r"b\.jsonl: it can't be read: it is a named pipe"):
        load_cases(tmp_path)


def test_one_in_a_folder_of_verdicts_stays(tmp_path: Path) -> None:
    write_verdicts(tmp_path / "v", [line(1)])
    pipe = tmp_path / "v" / line(2).step / f"{line(2).key}.json"
    os.mkfifo(pipe)
    assert list(open_verdicts(tmp_path / "v").lines()) == [line(1)]
    with pytest.raises(ConfigurationError, match=r"can't be written: it is a named pipe"):
        write_verdicts(tmp_path / "v", [line(1), line(2)])
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/null", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_what_leads_to_the_system_s_files_is_no_output(tmp_path: Path, name: str) -> None:
    """Also where standard output is a file: it would be replaced under the one who writes to it."""
    if not os.path.exists(name):
        pytest.skip("not on this system")
    link = tmp_path / "link.jsonl"
    link.symlink_to(name)
    code = (
        "import sys\nfrom pytest_ragassert.storage.files.plain_files import target_of\n"
        "for path in sys.argv[1:]:\n"
        "    try: print(target_of(path), file=sys.stderr)\n"
        "    except OSError: print('refused')\n"
    )
    out = tmp_path / "out"
    with out.open("wb") as stdout:
        subprocess.run([sys.executable, "-c", code, name, str(link)], stdout=stdout, check=True)
    assert out.read_text() == "refused\nrefused\n"


def test_plain_files_below_dev_are_files() -> None:
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("no such folder here")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        write_whole(Path(folder, "f"), ["x"])
        assert Path(folder, "f").read_text() == "x"


def test_links_that_lead_in_a_circle_and_paths_that_none_can_be(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "file").touch()
    for name in ("a", "nul\0l", "n" * 300, "file/below", "file/below/deep"):
        with pytest.raises(ConfigurationError, match=r"^--out: .* can't be written: "):
            check_output(tmp_path / name, "--out")
        for use in (target_of, open_plain):
            with pytest.raises(OSError, match=f"{WHY}|null|Too many|too long|Not a dir"):
                use(tmp_path / name)


# -- permissions -----------------------------------------------------------------------------------

NOT_ROOT = """
import os, sys
from pytest_ragassert.storage.files.plain_files import check_output
from pytest_ragassert.errors import ConfigurationError
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
for path in sys.argv[1:]:
    try: check_output(path, "--out")
    except ConfigurationError as error: print(error)
    else: print("fine")
"""


def test_what_takes_nothing_is_told_plainly() -> None:
    # others than root can't go into the tests' own folder for temporary files
    with tempfile.TemporaryDirectory(dir="/tmp") as top:
        os.chmod(top, 0o755)
        closed, opened = Path(top, "closed"), Path(top, "opened")
        for folder in (closed, opened):
            folder.mkdir()
            for name, bits in (("writable", 0o666), ("read-only", 0o444)):
                (folder / name).touch()
                (folder / name).chmod(bits)
        opened.chmod(0o777)
        closed.chmod(0o555)
        paths = [opened / "writable", opened / "read-only", opened / "new", opened / "n" / "ew"]
        paths += [closed / "writable", closed / "new", closed / "n" / "ew"]
        done = subprocess.run(
            [sys.executable, "-c", NOT_ROOT, *map(str, paths)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parent.parent,
        )
        closed.chmod(0o755)
    why = f"no permission to write in the folder {closed}"
    assert done.stdout.splitlines() == [
        "fine",
        f"--out: {opened / 'read-only'} can't be written: it is read-only",
        "fine",
        "fine",
        *(f"--out: {path} can't be written: {why}" for path in paths[4:]),
    ]


# -- commands --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["join", "r.json", "--out=OUT"], "--out"),
        (["calibrate", "c.jsonl", "--output=OUT"], "--output"),
        (["verdicts", "export", "OUT"], "FILE"),
        (["verdicts", "merge", "v.jsonl", "-o", "OUT"], "--output"),
        (
            ["verdicts", "override", "abcdef", "supported", "--reason=r", "--verdicts=OUT"],
            "--verdicts",
        ),
        (["verdicts", "override", "abcdef", "--remove", "--verdicts=OUT"], "--verdicts"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else value,
)
@pytest.mark.parametrize("out", [os.devnull, "pipe.jsonl"])
def test_a_command_refuses_an_output_before_it_reads_anything(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    option: str,
    out: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    Path("pytest.ini").write_text("[pytest]\n")
    os.mkfifo("pipe.jsonl")
    assert main([text.replace("OUT", out) for text in arguments]) == 2
    assert f"{option}: " in (told := capsys.readouterr().err)
    assert "not a plain file" in told
    assert stat.S_ISFIFO(os.stat("pipe.jsonl").st_mode)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize(
    "arguments",
    [
        ["join", "pipe"],
        ["results", "compare", "pipe", "pipe"],
        ["rejudge", "pipe", "--from=a", "--to=b"],
        ["history", "pipe"],
        ["calibrate", "pipe"],
        ["verdicts", "import", "pipe"],
        ["verdicts", "merge", "pipe", "-o", "out"],
        ["verdicts", "verify", "--verdicts=pipe"],
        ["verdicts", "info", "--verdicts=pipe"],
        ["verdicts", "show", "abcdef", "--verdicts=pipe"],
    ],
    ids=" ".join,
)
def test_a_command_does_not_wait_for_a_pipe(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    Path("pytest.ini").write_text("[pytest]\n")
    os.mkfifo("pipe")
    assert main(arguments) in (1, 2)
    assert "it is a named pipe, not a plain file" in capsys.readouterr().err


def test_an_output_does_not_take_its_input_s_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = tmp_path / "c.jsonl"
    cases.write_text('{"answer": "a", "retrieved_contexts": ["c"], "label": "correct"}\n')
    (tmp_path / "link.jsonl").symlink_to(cases)
    before = cases.read_bytes()
    assert main(["calibrate", str(cases), f"--output={tmp_path / 'link.jsonl'}"]) == 2
    assert "it is also an input; name another file" in capsys.readouterr().err
    assert cases.read_bytes() == before
