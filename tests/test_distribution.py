"""What is uploaded to PyPI: the sdist builds and tests itself; the wheel has the package alone."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://github.com/pytest-ragassert/pytest-ragassert"
# names that the tools of developers make, none of which is under version control
_MADE = re.compile(
    r"(^|/)(__pycache__|\.[a-z]+_cache|\.hypothesis|\.ragassert|\.venv|build|dist)(/|$)"
)


def _build(root: Path, target: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sdist, unpacked in an empty folder."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(_build(ROOT, "sdist", folder / "built")) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (root,) = (folder / "unpacked").iterdir()
    return root


@pytest.fixture(scope="module")
def wheel(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel that is built from the sdist."""
    return zipfile.ZipFile(_build(unpacked, "wheel", tmp_path_factory.mktemp("wheel") / "built"))


def _metadata(wheel: zipfile.ZipFile) -> Message:
    (name,) = (one for one in wheel.namelist() if one.endswith(".dist-info/METADATA"))
    return Parser().parsestr(wheel.read(name).decode())


def test_the_sdist_has_what_its_tests_read(unpacked: Path) -> None:
    for folder in (".ci", "docs", "example_project", "pytest_ragassert", "tests"):
        missing = [
            name
            for path in (ROOT / folder).rglob("*")
            if path.is_file()
            and not _MADE.search(name := path.relative_to(ROOT).as_posix())
            and not (unpacked / name).is_file()
        ]
        assert not missing
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "pyproject.toml"):
        assert (unpacked / name).read_bytes() == (ROOT / name).read_bytes()
    assert not [path for path in unpacked.rglob("*") if _MADE.search(path.name)]


def test_the_wheel_has_the_whole_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    package = {
        name
        for path in (ROOT / "pytest_ragassert").rglob("*")
        if path.is_file() and not _MADE.search(name := path.relative_to(ROOT).as_posix())
    }
    names = set(wheel.namelist())
    assert "pytest_ragassert/py.typed" in package
    assert {name for name in names if ".dist-info/" not in name} == package
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_metadata_lead_to_the_project(wheel: zipfile.ZipFile) -> None:
    metadata = _metadata(wheel)
    urls = dict(one.split(", ") for one in metadata.get_all("Project-URL", []))
    assert set(urls) == {"Homepage", "Documentation", "Repository", "Issues", "Changelog"}
    assert urls["Repository"] == REPOSITORY
    assert {"Typing :: Typed", "Framework :: Pytest"} <= set(metadata.get_all("Classifier", []))


def test_links_of_the_readme_work_on_pypi(wheel: zipfile.ZipFile) -> None:
    """PyPI has none of the files that the README links to by a relative path."""
    text = str(_metadata(wheel).get_payload())
    targets = re.findall(r"\]\(([^)\s]+)", text)
    assert targets
    assert not [one for one in targets if not one.startswith(("https://", "#"))]
    linked = [
        re.sub("^(blob|raw)/main/", "", one.removeprefix(f"{REPOSITORY}/")).partition("#")[0]
        for one in targets
        if one.startswith((f"{REPOSITORY}/blob/", f"{REPOSITORY}/raw/"))
    ]
    assert linked
    assert not [name for name in linked if not (ROOT / name).exists()]


def test_each_extra_for_users_is_documented(wheel: zipfile.ZipFile) -> None:
    page = (ROOT / "docs" / "reference" / "extras.md").read_text(encoding="utf-8")
    extras = set(_metadata(wheel).get_all("Provides-Extra", []))
    documented = re.findall(r"^\| `([a-z0-9-]+)` \| \S", page, re.M)
    assert sorted(documented) == sorted(extras - {"bench", "dev", "docs"})
