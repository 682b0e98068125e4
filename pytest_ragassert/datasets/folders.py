"""Which files of a folder hold cases."""

from __future__ import annotations

from pathlib import Path

from ..language.number_format import listed
from .readers import known_suffixes, readers_of, suffix_mistake
from .unpacking import inner_name

# Of files that have data, and that are not read: it is said of them.
_OTHER_DATA = (
    *(".xls", ".xlsb", ".ods"),
    *(".ndjson", ".txt", ".zip", ".bz2", ".xz", ".zst", ".gz", ".db", ".sqlite", ".pkl"),
)


def case_files(folder: Path) -> list[Path]:
    """A folder's files of cases, by name.

    Raises:
        FileNotFoundError: it has none.
    """
    files = sorted(file for file in folder.iterdir() if _is_read(file))
    if not files:
        raise FileNotFoundError(
            f"{folder}: the folder has no {listed(known_suffixes(), 'or')} file"
        )
    return files


def passed_over(folder: Path) -> list[Path]:
    """The files of a folder that are no case files, hidden ones left out."""
    files = sorted(file for file in folder.iterdir() if file.is_file())
    return [file for file in files if not _is_read(file) and not file.name.startswith(".")]


def other_data(folder: Path) -> str | None:
    """What to warn of where a folder has files of data that are not read."""
    names = [file.name for file in passed_over(folder) if file.suffix.lower() in _OTHER_DATA]
    return f"{folder}: passed over {', '.join(names[:10])}; {suffix_mistake()}" if names else None


def _is_read(file: Path) -> bool:
    """Whether a folder's file holds cases; not what systems and editors keep beside them."""
    if file.name.startswith((".", "#", "~")):
        return False
    return bool(readers_of(inner_name(file).suffix))
