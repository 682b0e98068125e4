"""Finds the files of a corpus, and gives each a name."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import ConfigurationError
from ..language.number_format import listed, plural
from ..language.suggestions import did_you_mean
from ..storage.files.plain_files import reason_of
from .passages import Skipped

# Suffixes of documents, and the format of each.
FORMATS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".rst": "text",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".jsonl": "records",
}
_NOT_WALKED = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True)
class SourceFile:
    """A file that is read.

    Attributes:
        path: how it is opened.
        name: the name of its document.
        format: one of the values of `FORMATS`.
        given: whether it was given itself, rather than its folder.
    """

    path: Path
    name: str
    format: str
    given: bool


def source_files(paths: Sequence[Path]) -> tuple[list[SourceFile], list[Skipped]]:
    """The files of some files and folders, sorted by name, and what is skipped of the folders.

    Raises:
        ConfigurationError: a path does not exist, can't be read, or is a file of another kind.
    """
    places: dict[str, _Place] = {}  # by real path, so that no file is read twice
    skipped: list[Skipped] = []
    for path in sorted(paths):
        for place in [_given(path)] if not _is_folder(path) else _walked(path, skipped):
            places.setdefault(os.path.realpath(place.path), place)
    named = _named([*places.values()])
    files = [
        SourceFile(place.path, name, _format(place.path), place.given)
        for name, place in named.items()
    ]
    return sorted(files, key=lambda file: file.name), skipped


def folder_that_reads(file: Path, paths: Iterable[Path]) -> Path | None:
    """Return the folder among some files and folders of which a file, existing or not, would be a
    document; None if there is none.
    """
    if file.suffix.lower() not in FORMATS:
        return None
    whole = Path(os.path.realpath(file))
    for path in paths:
        root = Path(os.path.realpath(path))
        if root in whole.parents and all(map(_is_walked, whole.relative_to(root).parts)):
            return path
    return None


def _is_walked(name: str) -> bool:
    return not name.startswith(".") and name not in _NOT_WALKED


@dataclass(frozen=True)
class _Place:
    """A file, and the folder below which it was found."""

    path: Path
    folder: Path
    given: bool


def _format(path: Path) -> str:
    return FORMATS.get(path.suffix.lower(), "text")


def _is_folder(path: Path) -> bool:
    """Raises: ConfigurationError: the path does not exist, or can't be read."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        raise ConfigurationError(_missing(path)) from None
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} can't be read: {reason_of(error)}") from None


def _missing(path: Path) -> str:
    if path.is_symlink():
        return f"{path} is a link to a file or folder that does not exist"
    try:
        beside = sorted(os.listdir(path.parent))
    except OSError:
        beside = []
    where = "" if path.is_absolute() else f" in the current folder {Path.cwd()}"
    return f"no file or folder {str(path)!r}{where}{did_you_mean(path.name, beside)}"


def _given(path: Path) -> _Place:
    if path.suffix and path.suffix.lower() not in FORMATS:
        raise ConfigurationError(
            f"{path}: not a kind of document that is read; documents are "
            f"{listed([*FORMATS], 'and')} files"
        )
    if not os.access(path, os.R_OK):
        raise ConfigurationError(f"{path} can't be read: {os.strerror(13)}")
    return _Place(path, path.absolute().parent, given=True)


def _walked(folder: Path, skipped: list[Skipped]) -> Iterator[_Place]:
    others: Counter[str] = Counter()
    for path in _files_below(folder, skipped):
        suffix = path.suffix.lower()
        if suffix in FORMATS:
            yield _Place(path, folder, given=False)
        else:
            others[suffix] += 1
    for suffix, count in sorted(others.items()):
        files = plural(count, "file") + (f" {suffix}" if suffix else " without a suffix")
        skipped.append(
            Skipped(f"{folder.name}/*{suffix}", f"{files}: not a kind of document that is read")
        )


def _files_below(folder: Path, skipped: list[Skipped]) -> Iterator[Path]:
    """Yield the files below a folder. A link leads to files only if they are below it as well."""
    root = os.path.realpath(folder)
    links: list[Path] = []
    walked: set[str] = set()
    open_folders = [folder]
    while open_folders or links:
        if not open_folders:
            # what a link leads to has usually been walked
            link = links.pop()
            target = os.path.realpath(link)
            if os.path.commonpath([root, target]) != root:
                skipped.append(Skipped(_name(link, folder), "a link that leads out of the folder"))
            elif target not in walked:
                if os.path.isdir(target):
                    open_folders.append(link)
                elif os.path.isfile(target):
                    walked.add(target)
                    yield link
            continue
        inside = open_folders.pop()
        walked.add(os.path.realpath(inside))
        for entry in _entries(inside, folder, skipped):
            path = Path(entry.path)
            if entry.is_symlink():
                links.append(path)
            elif entry.is_dir():
                if _is_walked(entry.name):
                    open_folders.append(path)
            elif entry.is_file():
                walked.add(os.path.realpath(path))
                yield path
        links.sort(reverse=True)


def _entries(inside: Path, folder: Path, skipped: list[Skipped]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(inside) as entries:
            return sorted(
                (one for one in entries if not one.name.startswith(".")), key=lambda one: one.name
            )
    except OSError as error:
        if inside == folder:
            raise ConfigurationError(f"{folder} can't be read: {reason_of(error)}") from None
        skipped.append(Skipped(_name(inside, folder), f"can't be read: {reason_of(error)}"))
        return []


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _named(places: Iterable[_Place]) -> dict[str, _Place]:
    """Return the places by unique names: the path below the folder, and above it if needed."""
    named: dict[str, list[_Place]] = {}
    for place in places:
        named.setdefault(_name_at(place, 0), []).append(place)
    depth = 0
    while any(len(same) > 1 for same in named.values()):
        depth += 1
        longer: dict[str, list[_Place]] = {}
        for name, same in named.items():
            for place in same:
                longer.setdefault(_name_at(place, depth) if len(same) > 1 else name, []).append(
                    place
                )
        named = longer
    return {name: same[0] for name, same in named.items()}


def _name_at(place: _Place, depth: int) -> str:
    """Return a file's path below a folder that is `depth` levels above the given one."""
    whole = Path(os.path.abspath(place.path))
    inner = len(whole.parts) - len(Path(os.path.abspath(place.folder)).parts)
    return "/".join(
        whole.parts[-inner - depth :] if inner + depth < len(whole.parts) else whole.parts
    )
