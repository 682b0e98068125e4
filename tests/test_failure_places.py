"""The line that an annotation stands at."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_ragassert.plugin.failure_places import line_of_def

FILE = """import pytest

@pytest.mark.parametrize(
    "name", ["a"]
)
@pytest.mark.slow
async def test_decorated(name):
    pass

class TestIt:
    @staticmethod
    def test_inside(): pass

    def test_plain(self): pass
"""


@pytest.mark.parametrize(
    ("first", "name"), [(3, 7), (11, 12), (14, 14), (10, 10), (1, 1), (99, 99)]
)
def test_the_line_of_a_name_below_its_decorators(tmp_path: Path, first: int, name: int) -> None:
    path = tmp_path / "test_it.py"
    path.write_text(FILE)
    assert line_of_def(path, first) == name


@pytest.mark.parametrize("content", [b"def f(:", b"\0", b"\xff"])
def test_of_a_file_that_is_no_python_the_line_stays(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "test_it.py"
    assert line_of_def(path, 3) == 3
    path.write_bytes(content)
    assert line_of_def(path, 3) == 3
