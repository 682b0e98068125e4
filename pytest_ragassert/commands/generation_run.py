"""The work of `generate` in a project: asks the judge, and writes the files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from ..language.escaping import visible
from .measuring import INTERRUPTED, Progress, write_measured
from .option_names import in_own_words
from .output import FAILED, PASSED, Failed
from .project import check_requests

if TYPE_CHECKING:
    from ..corpus.passages import Corpus
    from ..engine.session import Session
    from ..generation.candidates import Kind
    from ..generation.case_lines import CaseLine
    from ..generation.data_set import DataSet
    from ..generation.generator import DoAll, Generated, Wanted
    from ..plugin.run import Run
    from ..report.terminal import Screen

_REQUESTS = 8  # what a case takes at most, as a rule
_ON = "run the command again to continue; the answers so far are stored"


def target_of(args: argparse.Namespace) -> Path | None:
    """The file that the cases are written to; None for a plan without one."""
    target: Path | None = args.output or args.update
    return target


class GenerationRun:
    """A run of `generate`.

    Args:
        args: the command's arguments, checked.
    """

    def __init__(
        self, run: Run, args: argparse.Namespace, corpus: Corpus, shares: Mapping[Kind, float]
    ) -> None:
        self._run = run
        self._args = args
        self._corpus = corpus
        self._shares = shares
        self._target = target_of(args)

    def status(self) -> int:
        """Generate the cases, write them, print what happened, and return the exit status.

        Raises:
            ConfigurationError: the judge can't be asked, or a file can't be read or written.
            Failed: no case could be generated.
        """
        from ..report.generation_lines import corpus_lines

        read = corpus_lines(self._corpus, verbose=self._args.verbose)
        self._say([*read, *self._unchecked_language()])
        data_set = self._data_set()
        session = self._session()
        try:
            if self._args.plan:
                self._say(self._plan(session, data_set))
                return PASSED
            return self._generated(session, data_set)
        except KeyboardInterrupt:
            print(f"interrupted: {_ON}", file=sys.stderr)
            return INTERRUPTED
        finally:
            session.close()

    @cached_property
    def _screen(self) -> Screen:
        from ..report.terminal import Screen

        return Screen(encoding=sys.stdout.encoding or "ascii")

    def _say(self, lines: Iterable[str]) -> None:
        """Print lines, which contain what documents and replies say."""
        for line in lines:
            print(self._screen.safe(line))

    def _named(self, message: str) -> str:
        return in_own_words(self._args, message)

    def _unchecked_language(self) -> list[str]:
        from ..language.language_names import language_code

        language = self._args.language
        if language is None or language_code(language) is not None:
            return []
        return [
            f"note: --language {visible(language)}: it is not known which words this language has, "
            "so the language of the cases is not checked"
        ]

    def _data_set(self) -> DataSet:
        from ..generation.data_set import DataSet

        if self._args.update is not None:
            rejected = frozenset(self._args.reject or ())
            return DataSet.updating(self._args.update, self._corpus, rejected)
        return DataSet() if self._target is None else DataSet.replacing(self._target)

    def _session(self) -> Session:
        """
        Raises:
            ConfigurationError: the judge can't write cases, or can't be asked.
        """
        run = self._run
        # committed verdicts belong to the tests, and the judge is asked here even in CI
        changes: dict[str, Any] = {
            "verdicts": None,
            "record_mode": run.value("record_mode", "new_episodes"),
        }
        if self._args.plan and run.judge == "openai" and not run.has_key:
            # it sends no requests, so it needs no key
            changes["api_key"] = "none"
        session = run.session_of(run.settings(**changes), run.hooks.metrics())
        if session.asker.local:
            session.close()
            raise ConfigurationError(
                f"the judge {session.asker.judge.id} compares words, so it can't write questions; "
                "name a model: --judge openai --model MODEL (and --base-url URL for an endpoint "
                "other than OpenAI's), with its key in OPENAI_API_KEY, or ragassert_model and "
                "ragassert_base_url in the project's ini file"
            )
        check_requests(self._args, [session.asker.judge])
        return session

    def _plan(self, session: Session, data_set: DataSet) -> list[str]:
        from ..engine.request_estimate import Plan
        from ..engine.work import plan_through
        from ..report.generation_lines import earlier_lines, planned_lines
        from ..report.plan_lines import plan_lines

        plan, settings = Plan(), session.settings
        session.asker.keep_nothing()
        made, wanted = self._generate(
            partial(plan_through, session, plan), data_set, lambda _: None
        )
        session.asker.leave_thread()
        return [
            *earlier_lines(data_set),
            f"judge {_judge(session)}; nothing is asked",
            *plan_lines(
                plan,
                {},
                past={},
                concurrency=settings.concurrency,
                per_minute=settings.requests_per_minute,
                prices=settings.prices,
            ),
            *planned_lines(made, wanted, data_set),
        ]

    def _generated(self, session: Session, data_set: DataSet) -> int:
        from ..engine.work import work_through
        from ..report.generation_lines import generated_lines, is_enough, spent_lines

        progress = Progress(sys.stderr, self._args.number, "case")
        name = _judge(session)
        try:
            made, wanted = self._generate(
                partial(work_through, session, at_once=_at_once(session)),
                data_set,
                lambda have: progress.show(name, min(have, self._args.number)),
            )
        finally:
            progress.end()
        lines = data_set.with_new(
            [one.draft for one in made.kept],
            {"judge": name, "seed": wanted.seed},
            made.rejected,
        )
        verbose = self._args.verbose or not lines
        self._say(
            generated_lines(
                made,
                wanted,
                data_set,
                lines,
                self._corpus,
                verbose=verbose,
                named=self._named,
            )
        )
        self._say([f"judge {name}", *spent_lines(made.asked, session.settings.prices)])
        self._say(f"note: {visible(self._named(note))}" for note in self._run.notices())
        if not lines:
            raise Failed("no case could be generated, so no file was written")
        if made.ended is not None and data_set.replaced > len(lines):
            raise Failed(
                f"{self._target} has {data_set.replaced} cases from an earlier run, more than the "
                f"{len(lines)} of this one, so it was kept; {_ON}"
            )
        self._write(lines)
        return PASSED if is_enough(wanted, lines) else FAILED

    def _write(self, lines: Sequence[CaseLine]) -> None:
        from ..report.markdown.review_list import former_list, review_list

        if self._target is not None:
            write_measured(self._target, "".join(f"{line.text}\n" for line in lines), "cases")
        if self._args.markdown is not None:
            # read only now, because a reviewer may tick cases while the command runs
            text = review_list(lines, former_list(self._args.markdown))
            write_measured(self._args.markdown, text, "a list for a review", "--markdown")

    def _generate(
        self, do_all: DoAll, data_set: DataSet, on_progress: Callable[[int], None]
    ) -> tuple[Generated, Wanted]:
        from ..generation.generator import Generator, Wanted

        args = self._args
        wanted = Wanted(
            args.number,
            self._shares,
            self._personas(do_all, data_set),
            args.language,
            args.seed,
            data_set.rejected.union(args.reject or ()),
        )
        generator = Generator(do_all, self._corpus, wanted, data_set.earlier, on_progress)
        return generator.run(), wanted

    def _personas(self, do_all: DoAll, data_set: DataSet) -> tuple[str, ...]:
        """
        Raises:
            Failed: the judge gave none.
        """
        from ..generation.personas import personas_for

        args = self._args
        if not args.personas:
            return tuple(args.persona or ())
        if data_set.personas:
            return data_set.personas
        (done,) = do_all(
            [lambda ask: personas_for(ask, self._corpus, args.personas, args.language)],
            lambda _: None,
        )
        if done is None:
            return ()
        if done.error is not None:
            raise Failed(f"--personas: {done.error}")
        return done.value or ()


def _at_once(session: Session) -> int | None:
    """How many cases are begun at once: with a budget, few, so that some are finished."""
    budget = session.settings.max_calls
    return None if budget is None else max(1, budget // _REQUESTS)


def _judge(session: Session) -> str:
    from ..engine.runner import judge_label

    return judge_label(session.asker, session.settings.model[:1])
