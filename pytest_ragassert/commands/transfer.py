"""`verdicts export` and `verdicts import`: copy verdicts between the store and files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..errors import ConfigurationError
from ..language.number_format import plural
from ..runtime.canonical_json import canonical_json
from ..runtime.ci_log import inert_json
from ..steps.catalogue import STEPS
from ..steps.stored_step import stored_step
from ..storage.answers import Answer, Embedding, embedding_text
from ..storage.committed.committed_verdicts import check_writable, write_verdicts
from ..storage.committed.verdict_line import (
    EMBED_TEXT,
    OVERRIDE,
    VerdictLine,
    line_of_record,
    one_of,
)
from ..storage.contents import content_of
from ..storage.keys import FORMAT, FORMATS, Question, now
from ..storage.store import Store
from .foreign_lines import embedder_of, is_of_whole_question, lines_in, place_of, problem_of
from .locations import Places, add_action
from .lookup import store_in
from .output import Failed, say, short

_EXPORT = """\
Write the store's content as committed verdicts, one JSON line each: the answers to this version's
prompts, with the hashes of their passages, and vectors; not the passages themselves. FILE must not
exist yet; it may be a folder, if its name ends in a slash or has no suffix. To add the exported
verdicts to existing ones: python -m pytest_ragassert verdicts merge."""
_IMPORT = """\
Import committed verdicts, as written by export, into the store. Each reply must match the schema
of its step. If one does not, or differs from the store's reply, nothing is imported."""

# maximum number of differing replies in a message: each one is searched in its file
_MOST_LISTED = 10


def add_to(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = add_action(
        actions, "export", "write the store as committed verdicts", _EXPORT, _export
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        default="-",
        help="the file to write (default: -, stdout)",
    )
    parser.add_argument(
        "--judge",
        metavar="NAME",
        help="only verdicts of this judge: its full name, its id or its model",
    )
    steps = (*STEPS, EMBED_TEXT)
    parser.add_argument(
        "--step", metavar="STEP", help=f"only verdicts of this step: {', '.join(steps)}"
    )

    parser = add_action(
        actions, "import", "import committed verdicts into the store", _IMPORT, _import
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a file or folder of verdicts")
    parser.add_argument(
        "--replace",
        action="store_true",
        help="if the store has a different reply, replace it with the file's",
    )


# -- export ----------------------------------------------------------------------------------------


def _export(args: argparse.Namespace, places: Places) -> int:
    if args.file != "-":
        check_writable(args.file, "FILE")
    if args.file != "-" and os.path.exists(args.file):
        raise Failed(
            f"{args.file} already exists; export to another file and merge them with: python -m "
            f"pytest_ragassert verdicts merge {args.file} OTHER -o {args.file}"
        )
    with store_in(places) as store:
        if not store.exists():
            raise Failed(
                f"there is no store at {places.store.shown}; name another with --cache-dir, or run "
                "the tests to fill it"
            )
        lines = list(_exported(store, args.judge, args.step))
    if args.step is not None and args.step not in (known := (*STEPS, EMBED_TEXT)) and not lines:
        raise ConfigurationError(
            f"--step: unknown step {args.step!r}; known steps are {', '.join(known)}, and the "
            "project's own steps with answers in the store"
        )
    lines.sort(key=lambda line: line.sort_key)
    if args.file == "-":
        _print_lines(lines)
    else:
        if not lines:
            raise Failed(f"nothing was written to {args.file}: the store has no such verdicts")
        write_verdicts(args.file, lines, "FILE")
        say(f"{plural(len(lines), 'verdict')} written to {args.file}")
    return 0


def _exported(store: Store, judge: str | None, step: str | None) -> Iterator[VerdictLine]:
    for row in store.rows():
        content = content_of(row)
        if content.kind not in ("answer", "vector"):
            continue
        line = line_of_record(content.key, content.record)
        if step in (None, line.step) and (judge is None or _is_by(line.judge, judge)):
            yield line


def _is_by(judge: str, name: str) -> bool:
    return judge == name or judge.startswith(f"{name} ") or judge.endswith(f" {name}")


def _print_lines(lines: Iterable[VerdictLine]) -> None:
    # UTF-8 on every machine, since the output is meant for a file
    for line in lines:
        sys.stdout.buffer.write(f"{inert_json(line.to_text())}\n".encode())
    sys.stdout.buffer.flush()


# -- import ----------------------------------------------------------------------------------------


def _import(args: argparse.Namespace, places: Places) -> int:
    lines = _checked(args.files)
    notices: list[str] = []
    with store_in(places, notices.append) as store:
        # a shared store first: if it can't be written, the folder does not change either
        parts = [(part, _compared(lines, part)) for part in reversed(store.parts())]
        other = {key for _, found in parts for key in found.other}
        if other and not args.replace:
            raise Failed(_differing([lines[key] for key in sorted(other)]))
        # what one part lacks, and for which another has a better verdict
        stored = {key: text for _, found in parts for key, text in found.kept.items()}
        for part, found in parts:
            wanted = sorted((*found.new, *found.better, *found.other))
            _store([(key, stored.get(key) or _text_of(lines[key][0])) for key in wanted], part)
            if notices:
                raise Failed(notices[0])
    replaced = other.union(*(found.better for _, found in parts))
    new = {key for _, found in parts for key in found.new} - replaced
    say(
        f"{plural(len(new), 'verdict')} imported into {places.store.shown}, "
        f"{len(replaced)} replaced, {len(lines) - len(new) - len(replaced)} there already"
    )
    return 0


def _differing(lines: Sequence[tuple[VerdictLine, str]]) -> str:
    several = [
        f"{place_of(path, line)}: {line.step} {short(line.key)}"
        for line, path in lines[:_MOST_LISTED]
    ]
    if len(lines) > _MOST_LISTED:
        several.append(f"and {len(lines) - _MOST_LISTED} more")
    return (
        "nothing was imported: the store has different replies than\n  "
        + "\n  ".join(several)
        + "\nTo replace the store's replies with those of the files, add --replace"
    )


def _checked(paths: Sequence[str]) -> dict[str, tuple[VerdictLine, str]]:
    """The line of each key, and the file or folder with it.

    Raises:
        ConfigurationError: a file does not exist.
        Failed: a line does not fit, or two differ.
    """
    found: dict[str, tuple[VerdictLine, str]] = {}
    for path in paths:
        for line in lines_in(path):
            problem = problem_of(line)
            if line.step == OVERRIDE:
                problem = (
                    "an override is not a judge's answer and cannot be in the store; keep it with "
                    "the committed verdicts: python -m pytest_ragassert verdicts merge"
                )
            if problem is not None:
                raise Failed(f"nothing was imported: {place_of(path, line)}: {problem}")
            known, source = found.setdefault(line.key, (line, path))
            chosen = one_of(known, line) or _one_of(known, line)
            if chosen is not None:
                found[line.key] = (known, source) if chosen is known else (line, path)
            else:
                raise Failed(
                    f"nothing was imported: {place_of(source, known)} and {place_of(path, line)}: "
                    f"two replies for the same key {short(line.key)}; keep one of them"
                )
    return found


class _Compared(NamedTuple):
    """The keys of lines, by what a store has.

    Attributes:
        new: it has no verdict.
        better: the line takes precedence over its verdict.
        other: its reply is different.
        kept: its verdict takes precedence over the line; with its text.
    """

    new: list[str]
    better: list[str]
    other: list[str]
    kept: dict[str, str]


def _compared(lines: dict[str, tuple[VerdictLine, str]], store: Store) -> _Compared:
    found = _Compared([], [], [], {})
    lacking = dict.fromkeys(lines)
    for row in store.rows_under(list(lines)):
        content, line = content_of(row), lines[row.key][0]
        if content.kind not in ("answer", "vector"):
            continue
        del lacking[row.key]
        stored = line_of_record(row.key, content.record)
        chosen = _one_of(stored, line)
        if chosen is None:
            found.other.append(row.key)
        elif chosen is not stored:
            found.better.append(row.key)
        elif _one_of(line, stored) is not line:
            found.kept[row.key] = row.text or ""
    found.new.extend(lacking)
    return found


def _one_of(known: VerdictLine, line: VerdictLine) -> VerdictLine | None:
    """Which of two lines with one key takes precedence; None if their replies differ."""
    # 1, 1.0 and true are equal in Python
    same = canonical_json(known.reply) == canonical_json(line.reply)
    if same and known.source == line.source:
        return known
    return one_of(known, line)


def _store(texts: Sequence[tuple[str, str]], store: Store) -> None:
    if texts:
        store.replace_many(texts)


def _text_of(line: VerdictLine) -> str:
    if line.step == EMBED_TEXT:
        embedder, model = embedder_of(line) or (line.judge, "")
        embedding = Embedding(line.key, line.reply["vector"])
        return embedding_text(embedding, line.about, embedder, model)
    # a line has the judge's id and model as one name, without a known boundary
    step = stored_step(line.step)
    assert step is not None  # already checked
    asked = _Imported(step, {"line": line}, line.judge, "", {})
    answer = Answer(line.reply, when=now(), carried=line.source)
    return answer.to_text(asked, of_format=FORMATS[0] if is_of_whole_question(line) else FORMAT)


class _Imported(Question):
    """A question known only from a line."""

    @property
    def key(self) -> str:
        return str(self._line.key)

    @property
    def about(self) -> str:
        return str(self._line.about)

    @property
    def asked(self) -> str:
        return str(self._line.asked)

    @property
    def passages(self) -> list[str]:
        return list(self._line.passages)

    @property
    def _line(self) -> VerdictLine:
        line: VerdictLine = self.input["line"]
        return line
