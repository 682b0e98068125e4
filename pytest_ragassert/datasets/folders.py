"""Finds the files of a folder that have cases."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..language.number_format import listed
from ..runtime.printable import printable
from .readers import known_suffixes, readers_of, suffix_mistake
from .unpacking import inner_name

# Suffixes of data files that are not read; a warning names such files.
_OTHER_DATA = (
    *(".xls", ".xlsb", ".ods"),
    *(".ndjson", ".txt", ".zip", ".bz2", ".xz", ".zst", ".gz", ".db", ".sqlite", ".pkl"),
)


def case_files(folder: Path) -> list[Path]:
    """The case files of a folder, by name.

    Raises:
        FileNotFoundError: there are none.
    """
    files = sorted(file for file in folder.iterdir() if _is_read(file))
    if not files:
        raise FileNotFoundError(
            f"{folder}: the folder has no {listed(known_suffixes(), 'or')} file"
        )
    return files


def similar_file(name: str, folders: Iterable[Path]) -> str | None:
    """The name of a file in the folders that is most like a missing file's; None if none is."""
    from ..language.suggestions import nearest

    beside = [one.name for folder in folders if folder.is_dir() for one in folder.iterdir()]
    return nearest(name, beside)


def check_exists(path: Path) -> None:
    """Check that a relative path exists.

    Raises:
        FileNotFoundError: it does not; the message names the folder and a similar name in it.
    """
    if path.is_absolute():
        return
    try:
        # a link to nothing is not a wrong name
        path.lstat()
    except FileNotFoundError:
        pass
    except (OSError, ValueError):
        # reading it says what is wrong with it
        return
    else:
        return
    near = similar_file(path.name, [path.parent])
    hint = f" (did you mean {near!r}?)" if near else ""
    raise FileNotFoundError(
        printable(
            f"no file {str(path)!r} in the current folder {Path.cwd()}{hint}; load_cases starts "
            "from the current folder, and @pytest.mark.rag_cases(path) from the folder of the test "
            "file"
        )
    )


def passed_over(folder: Path) -> list[Path]:
    """The files of a folder that are not case files, without hidden ones."""
    files = sorted(file for file in folder.iterdir() if file.is_file())
    return [file for file in files if not _is_read(file) and not file.name.startswith(".")]


def other_data(folder: Path) -> str | None:
    """The warning if a folder has data files that are not read."""
    names = [file.name for file in passed_over(folder) if file.suffix.lower() in _OTHER_DATA]
    return f"{folder}: skipped {', '.join(names[:10])}; {suffix_mistake()}" if names else None


def _is_read(file: Path) -> bool:
    """Whether a file has cases, and is not one that systems and editors leave in folders."""
    if file.name.startswith((".", "#", "~")):
        return False
    return bool(readers_of(inner_name(file).suffix))
