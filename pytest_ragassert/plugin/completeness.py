"""Decides whether a run is whole: which tests were left out or did not run."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ..storage.run_state.run_folder import RunFolder
from .recorder import fields_of

if TYPE_CHECKING:
    from .run import Run

_DESELECTED = "deselected"
_COLLECTING = (
    "testpaths",
    "norecursedirs",
    "python_files",
    "python_classes",
    "python_functions",
    "collect_imported_tests",
)
# pytest's own functions that deselect tests, by module and name, and the option behind each.
_BY_OPTION = {
    ("_pytest.mark", "deselect_by_keyword"): "keyword",
    ("_pytest.mark", "deselect_by_mark"): "markexpr",
    ("_pytest.main", "pytest_collection_modifyitems"): "deselect",
    ("_pytest.cacheprovider", "pytest_collection_modifyitems"): "lf",
    ("_pytest.stepwise", "pytest_collection_modifyitems"): "stepwise",
}
_FLAGS = {
    "keyword": "-k",
    "markexpr": "-m",
    "deselect": "--deselect",
    "lf": "--lf",
    "stepwise": "--sw",
}
_PROJECT, _SKIPPED_FILES = "the project", "files that --lf skips"


class Completeness:
    """Registered if the run reports on the whole; also on xdist workers, because they deselect
    tests.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._counts: Counter[str] = Counter()
        self._ran: set[str] = set()
        self._deselected: Counter[str] = Counter()
        self._interrupted = False
        # the variable selects tests for this run only, as the command line does; addopts in the ini
        # file applies to all runs
        variable = shlex.split(run.environ.get("PYTEST_ADDOPTS", ""))
        self._args = [*variable, *map(str, run.config.invocation_params.args)]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None, object, object]:
        before = len(items)
        outcome = yield
        silently = before - len(items) - self._deselected.total()
        if silently > 0:
            # a plugin that removes tests should call `pytest_deselected`, but may not
            self._deselected[self._who_may(config)] += silently
        skipped = getattr(config.pluginmanager.get_plugin("lfplugin"), "_skipped_files", 0)
        if skipped:
            self._deselected[_SKIPPED_FILES] = skipped
        if self._deselected:
            RunFolder(self._run.path).set_value(_DESELECTED, json.dumps(self._deselected))
        return outcome

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        if not items:
            return
        frame = sys._getframe(1)
        while frame.f_back is not None and _module(frame).partition(".")[0] == "pluggy":
            frame = frame.f_back
        module = _module(frame)
        who = _BY_OPTION.get((module, frame.f_code.co_name))
        if who is None:
            own = self._is_own(frame.f_code.co_filename) or module.startswith("pytest_ragassert")
            who = _PROJECT if own else module.partition(".")[0]
        self._deselected[who] += len(items)

    def _who_may(self, config: pytest.Config) -> str:
        """What may have removed tests without reporting it."""
        hooks = config.hook.pytest_collection_modifyitems.get_hookimpls()
        files = (getattr(impl.function, "__code__", None) for impl in hooks)
        own = any(code is not None and self._is_own(code.co_filename) for code in files)
        return _PROJECT if own else "a plugin"

    def _is_own(self, filename: str) -> bool:
        """Whether a file belongs to the project, and is not installed in its folder."""
        root, path = self._run.config.rootpath, Path(filename)
        return path.is_relative_to(root) and "site-packages" not in path.parts

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._counts["not collected"] += 1
        elif report.skipped:
            self._counts["skipped"] += 1

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._ran.add(report.nodeid)
        if report.failed:
            self._counts["failed" if report.when == "call" else "errored"] += 1
        elif report.skipped and not fields_of(report).get("known"):
            # a known failure ran to its end, although pytest counts it as skipped
            self._counts["skipped"] += 1

    def pytest_keyboard_interrupt(self) -> None:
        # also for `pytest.exit`, which may use any exit status
        self._interrupted = True

    def why_not(self, session: pytest.Session) -> str | None:
        """Why this run cannot tell which committed verdicts are unused; None: every test of the
        project ran to its end. Of a shard, every test that it was given.
        """
        if self._is_interrupted(session):
            return "the run was interrupted"
        part = self._sampled()
        if part is not None:
            return part
        counts = dict(self._counts)
        is_shard = self._run.shard is not None
        deselected = sum(n for who, n in self._left_out().items() if who != _SKIPPED_FILES)
        if deselected and not is_shard:
            counts[_DESELECTED] = deselected
        left = self._not_run(session)
        if left > 0:
            counts["not run"] = left
        if counts:
            each = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
            return f"not every test ran to its end: {each}"
        if session.shouldstop or session.shouldfail:
            return "the run was stopped"
        return None if is_shard else self._part_asked_for(_shown(session.config))

    def partial(self, session: pytest.Session) -> str | None:
        """Why the run is partial: a selection on the command line, a sample, or an early stop;
        None: it is whole, whether or not its tests passed. A shard is partial if not all tests that
        it was given ran.
        """
        if self._is_interrupted(session):
            return "the run was interrupted"
        uncollected = self._counts["not collected"]
        if uncollected:
            return f"{_many(uncollected, 'file')} could not be collected"
        left = self._not_run(session)
        if left > 0:
            stopped = session.shouldfail or session.shouldstop
            why = f" ({stopped})" if isinstance(stopped, str) else ""
            return f"the run was stopped, and {_many(left, 'test')} did not run{why}"
        part = self._sampled()
        if part is not None or self._run.shard is not None:
            return part
        options = _changed_options(session.config, self._args)
        for who, number in self._left_out().items():
            if who == _SKIPPED_FILES:
                if "lf" in options:
                    return f"--lf left {_many(number, 'file')} out"
            elif who in options:
                return f"{_FLAGS[who]} left {_many(number, 'test')} out"
            elif who not in (*_FLAGS, _PROJECT):
                return f"{who} left {_many(number, 'test')} out"
        return self._part_asked_for(options)

    def unchecked(self, session: pytest.Session) -> bool:
        """Whether some test was left out, skipped, or ended before its call."""
        ended_early = self._counts["skipped"] or self._counts["errored"]
        left_out = self._left_out() or self._run.shard is not None
        return bool(ended_early or left_out) or self.partial(session) is not None

    def _sampled(self) -> str | None:
        sample = self._run.sample()
        if sample is None or sample.taken >= sample.of:
            return None
        return f"this is a sample of {sample.taken} of {sample.of} cases"

    def _is_interrupted(self, session: pytest.Session) -> bool:
        ended = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        return self._interrupted or session.exitstatus not in ended

    def _not_run(self, session: pytest.Session) -> int:
        # xdist's controller only knows their number; copies of a test share one id
        ids = {item.nodeid for item in session.items}
        return len(ids - self._ran) if ids else session.testscollected - len(self._ran)

    def _left_out(self) -> Mapping[str, int]:
        """The number of deselected tests, by the option or plugin that deselected them."""
        text = RunFolder(self._run.path).value(_DESELECTED)
        found: dict[str, int] = {} if text is None else json.loads(text)
        return found

    def _part_asked_for(self, options: Mapping[str, Any]) -> str | None:
        """The options in use that leave tests out before collection."""
        config = self._run.config
        for name in ("ignore", "ignore_glob"):
            if options.get(name):
                return f"--{name.replace('_', '-')} leaves tests out"
        for ini in options.get("override_ini") or ():
            if ini.partition("=")[0].strip() in _COLLECTING:
                return f"-o {ini} may leave tests out"
        here, paths = config.invocation_params.dir.resolve(), options.get("file_or_dir") or ()
        asked = {(here / path).resolve() for path in paths} or {here}
        if all(asked.intersection((path, *path.parents)) for path in _whole(config, here)):
            return None
        if not paths:
            # paths in addopts of the ini file are the project's own choice
            named = config.args_source is pytest.Config.ArgsSource.ARGS
            return (
                None
                if named
                else f"only the tests in {here} were run; run pytest in {config.rootpath}"
            )
        return (
            f"only {' '.join(paths)} was run; run pytest without paths, or list them in testpaths "
            "in the ini file"
        )


def _whole(config: pytest.Config, here: Path) -> Iterable[Path]:
    """Where the project's tests are."""
    root = config.rootpath.resolve()
    found = [path.resolve() for text in config.getini("testpaths") for path in root.glob(text)]
    if found:
        return found
    # without an ini file, rootdir is the common ancestor of the given paths
    return [here if config.inipath is None and root.is_relative_to(here) else root]


def _changed_options(config: pytest.Config, args: list[str]) -> Mapping[str, Any]:
    """The options with values other than their defaults in command line arguments, by name."""
    parser = config._parser
    default = vars(parser.parse_known_args([]))
    namespace, rest = parser.parse_known_and_unknown_args(args)
    # before pytest 9, paths after options are among the rest
    paths = [*namespace.file_or_dir, *(word for word in rest if not word.startswith("-"))]
    options = {**vars(namespace), "file_or_dir": paths}
    return {name: value for name, value in options.items() if value and value != default.get(name)}


def _shown(config: pytest.Config) -> Mapping[str, Any]:
    """The options in effect, by name, whatever their source."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    return {**vars(config.option), "file_or_dir": config.args if named else []}


def _module(frame: Any) -> str:
    return str(frame.f_globals.get("__name__", ""))


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
