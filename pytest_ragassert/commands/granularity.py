"""`granularity`: measures how evenly a judge splits the same answers into claims."""

from __future__ import annotations

import argparse
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from .. import __version__
from ..errors import ConfigurationError
from .measuring import (
    INTERRUPTED,
    Progress,
    add_judge_options,
    check_measured,
    judge_options,
    reading_cases,
    whole_number,
    write_measured,
)
from .option_names import in_own_words
from .project import check_requests, in_project

if TYPE_CHECKING:
    from ..analysis.calibration.granularity import GranularityFile
    from ..case import EvalCase
    from ..plugin.run import Run


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "granularity",
        help="measure how evenly a judge splits the same answers into claims",
        description="Extract the claims of each case's answer several times, and print how much "
        "their number differs between extractions. If a case lists false details of its answer in "
        'metadata["wrong"], also print how much the score of that answer differs. Each '
        "extraction is a separate sample and is stored, so a second run asks nothing. The exit "
        "status is 1 if an answer could not be measured.",
    )
    parser.add_argument("file", metavar="CASES.jsonl", type=Path, help="a case file, or a folder")
    parser.add_argument(
        "--extractions",
        metavar="N",
        type=whole_number,
        default=3,
        help="number of extractions of each answer, 2 to 50 (default: 3)",
    )
    parser.add_argument(
        "--output", metavar="FILE.json", type=Path, help="write all figures and claims to this file"
    )
    add_judge_options(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    status: int = in_project(lambda run: _measure(run, args), judge_options(args))
    return status


def _measure(run: Run, args: argparse.Namespace) -> int:
    from ..language.escaping import visible
    from ..report.granularity_lines import lines
    from ..report.terminal import Screen

    cases = _cases(args)
    check_measured(args.output, args.file)
    try:
        made = _measured(run, args, cases)
    except KeyboardInterrupt:
        print(
            "interrupted; the answers so far are stored: run the command again to continue",
            file=sys.stderr,
        )
        return INTERRUPTED
    screen = Screen(encoding=sys.stdout.encoding or "ascii")
    notes = [f"note: {visible(note)}" for note in [*run.unused_keys, *run.notices()]]
    for line in [*lines(made), *notes]:
        print(screen.safe(in_own_words(args, line)))
    if args.output is not None:
        write_measured(args.output, made.to_text(), "figures and claims")
    return int(any(one.error is not None for one in made.answers))


def _cases(args: argparse.Namespace) -> list[EvalCase]:
    """The cases with an answer.

    Raises:
        ConfigurationError: the cases cannot be read, or there are none; or the number of
            extractions is out of range.
    """
    from ..analysis.calibration.granularity import FEWEST, MOST, check_details
    from ..datasets.loading import load_cases
    from ..language.escaping import is_blank

    if not FEWEST <= args.extractions <= MOST:
        raise ConfigurationError(
            f"--extractions: {args.extractions} is not a number from {FEWEST} to {MOST}"
        )
    with reading_cases(args.file):
        cases = load_cases(args.file)
    answered = [case for case in cases if not is_blank(case.answer)]
    if not answered:
        raise ConfigurationError(f"{args.file}: no case has an answer")
    check_details(answered)
    return answered


def _measured(run: Run, args: argparse.Namespace, cases: list[EvalCase]) -> GranularityFile:
    from ..analysis.calibration.granularity import (
        Extractions,
        GranularityFile,
        extracted,
        mean_spread,
    )
    from ..engine.runner import judge_label

    # committed verdicts belong to the tests, and the judge is asked here even in CI
    settings = run.settings(verdicts=None, record_mode=run.value("record_mode", "new_episodes"))
    session = run.session_of(settings, [*run.hooks.metrics(), Extractions()])
    judge = judge_label(session.asker, settings.model)
    progress = Progress(sys.stderr, len(cases), "answer")
    try:
        check_requests(args, [session.asker.judge])
        answers = extracted(
            session, cases, args.extractions, lambda done: progress.show(judge, done)
        )
    finally:
        progress.end()
        session.close()
    return GranularityFile(
        made=datetime.now(timezone.utc),
        tool_version=__version__,
        judge=judge,
        extractions=args.extractions,
        answers=answers,
        spread=mean_spread([one.spread for one in answers if one.spread is not None]),
        score_spread=mean_spread(
            [one.score_spread for one in answers if one.score_spread is not None]
        ),
    )
