"""`verdicts merge`: committed verdicts of several places as one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine

from .conftest import Run
from .stored import line_of, override_line, question, write_lines

ONE = line_of(question())
OTHER = line_of(question("classify_answer"))
WRONG = line_of(question("classify_answer"), {"reason": None, "label": "WRONG"})


def lines_in(path: Path) -> list[VerdictLine]:
    return list(open_verdicts(path).lines())


def test_files_and_folders_become_one(run: Run, project: Path) -> None:
    write_lines(project / "a.jsonl", [ONE, override_line()])
    write_verdicts(project / "b", [OTHER, ONE])
    expected = sorted([ONE, OTHER, override_line()], key=lambda line: line.sort_key)
    said = run("merge", "a.jsonl", "b", "-o", "out.jsonl")
    assert (said.status, said.out) == (0, "3 verdicts written to out.jsonl\n")
    assert lines_in(project / "out.jsonl") == expected
    assert run("merge", "b", "a.jsonl", "-o", "out/").status == 0
    assert (project / "out").is_dir()
    assert lines_in(project / "out") == expected


def test_the_output_may_be_one_of_those_joined(run: Run, project: Path) -> None:
    write_lines(project / "a.jsonl", [ONE])
    write_lines(project / "b.jsonl", [OTHER])
    assert run("merge", "a.jsonl", "./b.jsonl", "-o", f"{project}/b.jsonl").status == 0
    assert len(lines_in(project / "b.jsonl")) == 2
    said = run("merge", "a.jsonl", "-o", "b.jsonl")
    assert said.status == 2
    assert "b.jsonl already exists and is not one of the inputs" in said.err
    assert len(lines_in(project / "b.jsonl")) == 2


def test_two_replies_are_an_error_that_names_both(run: Run, project: Path) -> None:
    write_lines(project / "a.jsonl", [ONE, OTHER])
    write_verdicts(project / "b", [WRONG])
    said = run("merge", "a.jsonl", "b", "-o", "out.jsonl")
    assert (said.status, said.out) == (1, "")
    file = Path("b", "classify_answer", f"{WRONG.key}.json")
    assert f"nothing was written: a.jsonl, line 2 and {file}: two different replies" in said.err
    assert "--prefer first" in said.err
    assert not (project / "out.jsonl").exists()


@pytest.mark.parametrize(("prefer", "kept"), [("first", OTHER), ("last", WRONG)])
def test_one_side_can_be_preferred(run: Run, project: Path, prefer: str, kept: VerdictLine) -> None:
    for name, lines in {"a": [OTHER], "b": [WRONG, ONE], "c": [kept]}.items():
        write_lines(project / f"{name}.jsonl", lines)
    said = run("merge", "a.jsonl", "b.jsonl", "c.jsonl", "-o", "o.jsonl", "--prefer", prefer)
    assert said.out == f"2 verdicts written to o.jsonl, 1 of them by --prefer {prefer}\n"
    assert set(lines_in(project / "o.jsonl")) == {ONE, kept}


def test_damage_and_missing_files_are_told(run: Run, project: Path) -> None:
    (project / "a.jsonl").write_text(f"{ONE.to_text()}\n<<<<<<< ours\n")
    said = run("merge", "a.jsonl", "-o", "out.jsonl")
    assert said.status == 1
    assert "a.jsonl, line 2: git left a conflict here" in said.err
    said = run("merge", "none.jsonl", "-o", "out.jsonl")
    assert said.status == 2
    assert "none.jsonl: no such file or folder" in said.err
    assert run("merge", "a.jsonl").status == 2
    assert not (project / "out.jsonl").exists()


def test_it_needs_no_project(run: Run, project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\nragassert_record_mode = nonsense\n")
    write_lines(project / "a.jsonl", [ONE])
    assert run("merge", "a.jsonl", "-o", "out.jsonl").status == 0


numbers = st.lists(st.integers(0, 10**6), unique=True, max_size=8)


@examples(
    deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(numbers.filter(bool), st.data(), st.sampled_from(["o.jsonl", "o/"]))
def test_the_order_of_disjoint_inputs_does_not_matter(
    run: Run,
    tmp_path_factory: pytest.TempPathFactory,
    numbers: list[int],
    data: st.DataObject,
    name: str,
) -> None:
    folder = tmp_path_factory.mktemp("merged")
    cut = data.draw(st.integers(0, len(numbers)))
    lines = [line_of(question("classify_answer", sample=number)) for number in numbers]
    paths = [
        str(write_lines(folder / "a.jsonl", lines[:cut])),
        str(write_lines(folder / "b.jsonl", lines[cut:])),
    ]
    for way, given_paths in (("one", paths), ("two", paths[::-1])):
        (folder / way).mkdir()
        assert run("merge", *given_paths, "-o", f"{folder}/{way}/{name}").status == 0
    one, two = (
        {file.relative_to(folder / way): file.read_bytes() for file in files if file.is_file()}
        for way in ("one", "two")
        for files in [(folder / way).rglob("*")]
    )
    assert one == two
