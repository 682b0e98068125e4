"""What the processes of one run share, with or without a store: answers, errors, the end of
judging.

It is a private temporary folder named by the run's id. Each fact is one file, written completely
and never changed, so a killed process leaves nothing incomplete. A notice for the summary is a
line.

The place for temporary folders is shared with everyone on the machine. A folder of that name that
does not belong to this user is neither read, nor written, nor removed. What a killed run left is
for the system to clear away: nothing here could determine for sure whose an old folder is and that
no run still uses it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import threading
import uuid
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import JudgeError
from ...runtime.canonical_json import canonical_json
from ...runtime.redaction import redact
from ..files.atomic import write_private
from ..files.locks import LOCKS, LockFile, leave_lock_file, lock_file
from ..files.private import private
from ..store_folder import check_own, is_own, make_private

if TYPE_CHECKING:
    from ...usage import Usage

_ANSWERS, _ERRORS, _NOTICES = "answers", "errors", "notices"
_CONVERTED, _BESIDE = "converted", "beside"
_VERBOSE_NOTICES = "verbose-notices"
SHARED_STORE = "shared-store"  # the value that says that it is not used, and its notice
_AHEAD = "ahead"
JUDGING, EMBEDDING, _INTERRUPT = "judging", "embedding", "interrupt"


# If the disk accepts nothing, at least this process remembers, by folder, since others open it too.
_MEMORY: dict[str, dict[tuple[str, str], str]] = {}
_MAKING = threading.Lock()


class InUse(Exception):
    """Another process or thread is making what is to be made once."""


class RunFolder:
    """The folder at `path`, created when it is first used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._made = self._own = False
        self._answers = os.path.join(path, _ANSWERS, "")
        self._memory = _MEMORY.setdefault(str(path), {})

    def answer(self, key: str) -> str | None:
        """Return the text of an answer made in this run."""
        return self._read(_ANSWERS, key)

    def keep_answer(self, key: str, text: str) -> None:
        self._write(_ANSWERS, key, text)

    def converted(self, key: str) -> str | None:
        """Return the text of an answer that existed before in another form and was not asked
        for.
        """
        return self._read(_CONVERTED, key)

    def keep_converted(self, key: str, text: str) -> None:
        self._write(_CONVERTED, key, text)

    def keep_together(self, texts: Sequence[tuple[str, str]]) -> None:
        """Keep what accompanies answers in one file, which only `texts` reads.

        Args:
            texts: pairs of key and text.
        """
        self._write(_BESIDE, texts[0][0], canonical_json(texts))

    def texts(self) -> dict[str, str]:
        """Return all answers made in this run, and what accompanies them, by key."""
        found = {name: self._read(_ANSWERS, name) for name in self._names(_ANSWERS)}
        beside = (self._read(_BESIDE, name) for name in self._names(_BESIDE))
        return {
            **{name: text for name, text in found.items() if text is not None},
            **{key: text for all in beside if all is not None for key, text in json.loads(all)},
        }

    def paid(self, but: Collection[str]) -> dict[str, Usage]:
        """Return the cost of answers made in this run, by key.

        Args:
            but: keys of answers that are left out.
        """
        from ...usage import read_usage

        found = {}
        for key in self._names(_ANSWERS) - set(but):
            # a part of an answer cost nothing by itself, and a hook's answer has no usage
            with contextlib.suppress(ValueError, KeyError, TypeError):
                usage = read_usage(json.loads(self._read(_ANSWERS, key) or "")["usage"])
                if usage.requests:
                    found[key] = usage
        return found

    def answered(self, keys: Iterable[str]) -> set[str]:
        """Return the keys whose answers were made in this run."""
        there = self._is_own()
        return {
            key
            for key in keys
            if (_ANSWERS, key) in self._memory or (there and os.path.exists(self._answers + key))
        }

    def error(self, key: str) -> JudgeError | None:
        """Return the error kept under a key: the operation that it names failed with it in this
        run.
        """
        return self._read_error(_ERRORS, key)

    def keep_error(self, key: str, error: JudgeError, paid: Usage | None = None) -> None:
        """Keep an error under a key.

        Args:
            paid: its cost, if that is to be counted with the test that meets the error.
        """
        self._write(_ERRORS, key, _error_text(error, paid))

    def note_ahead(self, key: str, usage: Usage) -> None:
        """Note a question that was sent for a test that was still to come."""
        line = canonical_json([key, asdict(usage)])
        try:
            self._append(_AHEAD, line)
        except OSError:
            self._memory[_AHEAD, key] = line

    def asked_ahead(self) -> dict[str, Usage]:
        """Return the cost of such questions, by key."""
        lines = [line for (kind, _), line in list(self._memory.items()) if kind == _AHEAD]
        with contextlib.suppress(OSError):
            if self._is_own():
                lines += (self.path / _AHEAD).read_text(encoding="utf-8").splitlines()
        found = {}
        for line in lines:
            # the last line of a process that was killed may be cut off
            with contextlib.suppress(ValueError):
                key, usage = json.loads(line)
                found[key] = _usage_of(usage)
        return found

    def ended(self, what: str) -> JudgeError | None:
        """Return why no process of this run asks the judge, or the embedder, any more."""
        return self._read_error("", f"{what}-ended")

    def end(self, what: str, error: JudgeError) -> None:
        """End judging or embedding for all processes of the run.

        Args:
            what: `JUDGING` or `EMBEDDING`.
        """
        self._write("", f"{what}-ended", _error_text(error))

    def end_by_interrupt(self) -> None:
        """End everything that any process of the run asks or waits for."""
        error = JudgeError(
            "the run was interrupted: nothing more is asked", kind="connection", ends_judging=True
        )
        for what in (JUDGING, EMBEDDING, _INTERRUPT):
            self.end(what, error)

    def interrupt(self) -> JudgeError | None:
        """Return the error of what was in flight when the run was interrupted; None: it was not."""
        return self.ended(_INTERRUPT)

    def add_notice(
        self, line: str, *, verbose_only: bool = False, place: str | None = None
    ) -> None:
        """Add a line to the summary; the same line from several processes is printed once.

        Args:
            verbose_only: print it only with `-v`.
            place: of several lines with the same place, the last is printed; default: each is
                printed.
        """
        text = redact(line).encode("utf-8", "backslashreplace").decode()
        kind = _VERBOSE_NOTICES if verbose_only else _NOTICES
        self._write(kind, place or uuid.uuid5(uuid.NAMESPACE_OID, text).hex, text)

    def set_value(self, name: str, text: str) -> None:
        """Set a value that every process of the run can read."""
        self._write("", name, text)

    def delete_value(self, name: str) -> None:
        self._memory.pop(("", name), None)
        with contextlib.suppress(OSError):
            if self._is_own():
                os.unlink(self.path / name)

    def value(self, name: str) -> str | None:
        """Return the value that a process of the run has set, or None."""
        return self._read("", name)

    def notices(self, *, verbose: bool = False) -> list[str]:
        kinds = (_NOTICES, _VERBOSE_NOTICES) if verbose else (_NOTICES,)
        return [line for kind in kinds for line in self._lines(kind)]

    def _lines(self, kind: str) -> list[str]:
        return sorted(filter(None, (self._read(kind, name) for name in self._names(kind))))

    def _names(self, kind: str) -> set[str]:
        names = {name for of, name in list(self._memory) if of == kind}
        with contextlib.suppress(OSError):
            if self._is_own():
                names.update(os.listdir(self.path / kind))
        return names

    def once(
        self, name: str, make: Callable[[], dict[str, Any]], sleep: Callable[[float], None]
    ) -> dict[str, Any]:
        """Return the result of `make`, called by one process of the run and read by the others.

        An error of `make` is raised to its caller, and the next process that asks tries again.
        """
        key = hashlib.sha256(name.encode()).hexdigest()
        with self._alone(key, sleep):
            text = self.answer(key)
            if text is None:
                text = canonical_json(make())
                self.keep_answer(key, text)
            made: dict[str, Any] = json.loads(text)
            return made

    async def once_if_free(
        self, name: str, make: Callable[[], Awaitable[dict[str, Any]]]
    ) -> dict[str, Any]:
        """Do the same on a loop, if no other process or thread is doing it.

        Raises:
            InUse: another one is.
        """
        key = hashlib.sha256(name.encode()).hexdigest()
        with self._alone(key, _give_up):
            text = self.answer(key)
            if text is None:
                text = canonical_json(await make())
                self.keep_answer(key, text)
            made: dict[str, Any] = json.loads(text)
            return made

    @contextlib.contextmanager
    def _alone(self, key: str, sleep: Callable[[float], None]) -> Iterator[None]:
        """Exclude other threads from this key, and other processes if there can be a lock."""
        locks = self.locks()
        if locks is None:
            while not _MAKING.acquire(blocking=False):
                sleep(0.005)
            try:
                yield
            finally:
                _MAKING.release()
            return
        try:
            while not locks.acquire(key):
                sleep(0.005)
            try:
                yield
            finally:
                locks.release(key)
        finally:
            leave_lock_file(locks)

    def locks(self) -> LockFile | None:
        """Return the run's lock file, which the caller gives back; None if there can be none."""
        with contextlib.suppress(OSError):
            return lock_file(self.make() / LOCKS)
        return None

    def remove(self) -> None:
        _MEMORY.pop(str(self.path), None)
        if is_own(self.path):
            shutil.rmtree(self.path, ignore_errors=True)

    def make(self) -> Path:
        """Create the folder, private to the user, if it does not exist, and return its path.

        Raises:
            OSError: it can't be created, or the existing one does not belong to this user.
        """
        if not self._made:
            make_private(self.path)
            check_own(self.path)
            for name in (_ANSWERS, _BESIDE, _CONVERTED, _ERRORS, _NOTICES, _VERBOSE_NOTICES):
                make_private(self.path / name)
            self._made = self._own = True
        return self.path

    def _is_own(self) -> bool:
        """Whether the folder exists and belongs to this user: only then is it trusted."""
        self._own = self._own or is_own(self.path)
        return self._own

    def _read(self, kind: str, name: str) -> str | None:
        path = os.path.join(self.path, kind, name)
        with contextlib.suppress(OSError):
            if self._is_own():
                with open(path, encoding="utf-8") as file:
                    return file.read()
        return self._memory.get((kind, name))

    def _write(self, kind: str, name: str, text: str) -> None:
        try:
            path = os.path.join(self.make(), kind, name)
            write_private(path, text, os.path.join(self.path, f"{uuid.uuid4().hex}.new"))
        except OSError as error:
            self._memory[kind, name] = text
            line = (
                f"the run's folder {self.path} can't be written ({error.strerror or error}); what "
                "this run asks is kept in memory, and its processes may ask the same question "
                "twice. Set TMPDIR to a writable folder"
            )
            self._memory[_NOTICES, ""] = line

    def _append(self, name: str, line: str) -> None:
        """Add a line to a file that all processes of the run write to.

        Raises:
            OSError: it can't be written.
        """
        descriptor = private(self.make() / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            # in one call, so that lines of several processes stay whole; an incomplete one ends
            # here
            os.write(descriptor, f"\n{line}\n".encode())
        finally:
            os.close(descriptor)

    def _read_error(self, kind: str, name: str) -> JudgeError | None:
        text = self._read(kind, name)
        if text is None:
            return None
        record: dict[str, Any] = json.loads(text)
        error = JudgeError(
            record["message"], kind=record["kind"], ends_judging=record["ends_judging"]
        )
        if record["paid"] is not None:
            error.usage = _usage_of(record["paid"])
        return error


def _usage_of(record: dict[str, int]) -> Usage:
    # not if nothing was asked: its imports take longer than the run's folder
    from ...usage import Usage

    return Usage(**record)


def _give_up(_: float) -> None:
    raise InUse


def _error_text(error: JudgeError, paid: Usage | None = None) -> str:
    return canonical_json(
        {
            "message": error.message,
            "kind": error.kind,
            "ends_judging": error.ends_judging,
            "paid": None if paid is None else asdict(paid),
        }
    )
