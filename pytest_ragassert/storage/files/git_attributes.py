"""Reads from `.gitattributes` whether git merges both sides of a file."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path

UNION = "merge=union"


def is_union_merged(path: Path) -> bool:
    """Return whether a `.gitattributes` file in the file's folder, or above it in the same
    repository, gives it `merge=union`.

    A pattern without a slash matches the file's name in any folder; another one matches its path
    from the folder of `.gitattributes`. A file that cannot be read counts as empty.
    """
    whole = path.absolute()
    for folder in whole.parents:
        try:
            lines = (folder / ".gitattributes").read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            lines = []
        below = whole.relative_to(folder).as_posix()
        if any(_gives_union(line, below) for line in lines):
            return True
        if (folder / ".git").exists():
            break
    return False


def pattern_of(name: str) -> str:
    """Return a file name as a git pattern, quoted because a pattern ends at a space."""
    return name if name.isascii() and " " not in name else json.dumps(name, ensure_ascii=False)


def _gives_union(line: str, below: str) -> bool:
    pattern, attributes = _parts(line.strip())
    if UNION not in attributes or pattern.startswith("#"):
        return False
    if "/" not in pattern:
        return fnmatchcase(below.rpartition("/")[2], pattern)
    return fnmatchcase(below, pattern.removeprefix("/"))


def _parts(line: str) -> tuple[str, list[str]]:
    """The pattern of a line and its attributes."""
    if line.startswith('"'):
        try:
            pattern, end = json.JSONDecoder().raw_decode(line)
        except ValueError:
            return "", []
        return str(pattern), line[end:].split()
    pattern, *attributes = line.split() or [""]
    return pattern, attributes
