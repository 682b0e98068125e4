"""Chooses the results files of a run's shards, and finds the shards without one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import ConfigurationError
from ..language.number_format import listed, plural
from .records.results_file import ResultsFile, ShardRecord

# Settings that change results, except the minimums.
_SETTINGS = (
    "embedder",
    "embedding_model",
    "temperature",
    "vote_temperature",
    "top_p",
    "seed",
    "votes",
    "reuse",
    "evidence_gate",
    "no_claims",
)
_ENDED = (0, 1, 5)  # exit statuses of pytest: passed, failed, no tests


@dataclass(frozen=True)
class Shards:
    """The shards of one run.

    Attributes:
        files: the results file of each shard, by path.
        missing: which shards have none, in a sentence that says what to do; None: all have one.
        number_missing: their number.
        number_interrupted: the number of shards that were interrupted.
        partial: why some tests of the shards did not run; None: all of them ran.
        incomplete: why the shards cannot tell which committed verdicts and results are unused;
            None: they can.
        notes: lines on files that do not count, and on differences between the shards.
    """

    files: Mapping[str, ResultsFile]
    missing: str | None = None
    number_missing: int = 0
    number_interrupted: int = 0
    partial: str | None = None
    incomplete: str | None = None
    notes: Sequence[str] = ()

    @property
    def lacking(self) -> str | None:
        """Which shards have no file, without why; None: all have one."""
        return None if self.missing is None else self.missing.partition(":")[0]


def shards_of(files: Mapping[str, ResultsFile], expected: int | None = None) -> Shards:
    """Choose the files that count: of several files of one shard, the one that ended last.

    Args:
        files: results files, by path.
        expected: the number of shards; None: what the files say.

    Raises:
        ConfigurationError: there is no file, the files come from runs that were split in different
            ways, there are more shards than expected, or a file is a joined run that lacks shards.
    """
    if not files:
        raise ConfigurationError("there is no results file")
    paths = dict[str, str]()
    for path, one in files.items():
        paths.setdefault(one.run, path)
    of_runs = {path: files[path] for path in paths.values()}
    marked = {path: one.shard for path, one in of_runs.items() if one.shard is not None}
    if not marked:
        return _unmarked(of_runs, expected)
    _check_one_split(of_runs, marked, expected)
    return _marked(of_runs, marked)


def _unmarked(files: Mapping[str, ResultsFile], expected: int | None) -> Shards:
    """The shards of files that do not name one."""
    for path, one in files.items():
        if one.outcome is not None and one.outcome.missing_shards:
            raise ConfigurationError(
                f"{path} is a joined run in which shards are missing; join the files of all shards "
                "at once"
            )
    lacking = 0 if expected is None else expected - len(files)
    if lacking < 0:
        raise ConfigurationError(
            f"there are {len(files)} results files, but --shards is {expected}; leave out the "
            "files of other runs"
        )
    missing = None
    if lacking:
        missing = (
            f"{lacking} of {plural(expected or 0, 'shard')} {_are(lacking)} missing; to see which, "
            "give each shard --ragassert-shard=I/N"
        )
    return Shards(
        files,
        missing=missing,
        number_missing=lacking,
        incomplete="the shards have no numbers (--ragassert-shard=I/N)",
        notes=list(_differences(files)),
    )


def _check_one_split(
    files: Mapping[str, ResultsFile], marked: Mapping[str, ShardRecord], expected: int | None
) -> None:
    (first, shard), *more = marked.items()
    for path in files:
        if path not in marked:
            raise ConfigurationError(
                f"{first} is {shard}, but {path} is not a shard; leave out the files of other runs"
            )
    for path, other in more:
        if other.of != shard.of:
            raise ConfigurationError(
                f"{first} is {shard}, but {path} is {other}; leave out the files of other runs"
            )
    if expected not in (None, shard.of):
        raise ConfigurationError(f"{first} is {shard}, but --shards is {expected}")


def _marked(files: Mapping[str, ResultsFile], marked: Mapping[str, ShardRecord]) -> Shards:
    """The shards of files that name them."""
    ended = sorted(marked, key=lambda path: files[path].ended)
    last = {marked[path].number: path for path in ended}
    chosen = [last[number] for number in sorted(last)]
    notes = [
        f"{marked[path]} ran more than once: {last[marked[path].number]} counts, because it ended "
        f"last; {path} does not"
        for path in ended
        if path not in chosen
    ]
    notes += _differences({str(marked[path].number): files[path] for path in chosen})
    of = marked[chosen[0]].of
    lacking = [number for number in range(1, of + 1) if number not in last]
    return Shards(
        {path: files[path] for path in chosen},
        missing=_missing(lacking, of) if lacking else None,
        number_missing=len(lacking),
        number_interrupted=sum(files[path].exit_status not in _ENDED for path in chosen),
        partial="; ".join(_said((marked[path], files[path].partial) for path in chosen)) or None,
        incomplete=next(_said((marked[path], marked[path].incomplete) for path in chosen), None),
        notes=notes,
    )


def _said(texts: Iterable[tuple[ShardRecord, str | None]]) -> Iterator[str]:
    """Each text with the shard that it is about."""
    return (f"{shard}: {text}" for shard, text in texts if text is not None)


def _missing(numbers: Sequence[int], of: int) -> str:
    names = listed(list(map(str, numbers)), "and")
    if len(numbers) == 1:
        why = "is missing: its job failed before it wrote results; run it again"
    else:
        why = "are missing: their jobs failed before they wrote results; run them again"
    return f"shard{'s' * (len(numbers) > 1)} {names} of {of} {why}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _differences(runs: Mapping[str, ResultsFile]) -> Iterator[str]:
    """A line for each property in which shards differ; they are given by the name in the line."""
    properties = {name: dict(_properties(run)) for name, run in runs.items()}
    # the settings of a run that measured nothing change no result
    measured = {name for name, run in runs.items() if run.results}
    for what in dict.fromkeys(what for own in properties.values() for what in own):
        found: dict[str, list[str]] = {}
        for name, own in properties.items():
            if what in own or name in measured:
                found.setdefault(own.get(what, "not set"), []).append(name)
        if len(found) > 1:
            each = "; ".join(f"{value} in {', '.join(names)}" for value, names in found.items())
            yield f"the shards differ in {what}: {each}"


def _properties(run: ResultsFile) -> Iterator[tuple[str, str]]:
    yield "the version of pytest-ragassert", run.tool_version
    yield "the version of pytest", run.pytest_version
    if not run.results:
        return
    yield "the judge", run.judge
    settings: Mapping[str, Any] = run.settings
    for name in _SETTINGS:
        if settings.get(name) is not None:
            yield f"the option {name.replace('_', '-')}", str(settings[name])
    minimums = settings.get("minimums")
    for metric, least in minimums.items() if isinstance(minimums, dict) else ():
        yield f"the minimum of {metric}", str(least)
