"""`calibrate`: measures one or two judges on claims that people labelled."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..errors import ConfigurationError
from .measuring import (
    INTERRUPTED,
    Progress,
    add_judge_options,
    check_measured,
    judge_options,
    whole_number,
    write_measured,
)
from .option_names import in_own_words
from .project import check_requests, in_project

if TYPE_CHECKING:
    from ..analysis.calibration.collected_verdicts import Judged
    from ..analysis.calibration.labelled_claims import LabelledFiles
    from ..analysis.records.calibration_file import CalibrationFile
    from ..engine.session import Session
    from ..judging.judges.judge import Judge
    from ..plugin.run import Run

_DEFAULT_GROUPS = "lang,source"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "calibrate",
        help="measure a judge on human-labelled claims",
        description="Measure a judge on claims with human labels: JSON Lines with claim, context "
        "(a list of texts) and label (supported, unsupported, neutral, contradicted); or on "
        "criteria, with criterion, answer and label (YES, NO, UNCLEAR, true, false). Verdicts "
        "are stored as usual, so a second run, or one after an interruption, only asks what is "
        "missing. The exit status is 1 if a claim could not be measured.",
    )
    parser.add_argument(
        "files",
        metavar="LABELLED.jsonl",
        nargs="+",
        type=Path,
        help="a file of claims or criteria with labels",
    )
    add_judge_options(parser)
    parser.add_argument(
        "--against", metavar="NAME", help="a second judge, measured on the same claims"
    )
    parser.add_argument("--against-model", metavar="M", help="the second judge's model")
    parser.add_argument(
        "--by",
        metavar="NAME,…",
        help=f"also show figures by each value of these fields (default: {_DEFAULT_GROUPS}); '' "
        "for none",
    )
    parser.add_argument(
        "--limit", metavar="N", type=whole_number, help="use only the first N rows of each file"
    )
    parser.add_argument(
        "--output",
        metavar="FILE.json",
        type=Path,
        help="write all figures and verdicts to this file",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    status: int = in_project(lambda run: _calibrate(run, args), judge_options(args))
    return status


def _calibrate(run: Run, args: argparse.Namespace) -> int:
    from ..analysis.calibration.labelled_claims import LabelledFiles
    from ..language.escaping import visible
    from ..report.calibration_lines import lines
    from ..report.terminal import Screen

    by = _names(_DEFAULT_GROUPS if args.by is None else args.by)
    check_measured(args.output, *args.files)
    with LabelledFiles(args.files, by, args.limit) as data:
        if args.by is not None:
            _check_names(data, by)
        try:
            made, notes = _measured(run, args, data, by)
        except KeyboardInterrupt:
            message = (
                "interrupted; the answers so far are stored: run the command again to continue"
            )
            print(message, file=sys.stderr)
            return INTERRUPTED
    screen = Screen(encoding=sys.stdout.encoding or "ascii")
    notes = [in_own_words(args, note) for note in [*run.unused_keys, *notes, *run.notices()]]
    for line in [*lines(made), *(f"note: {visible(note)}" for note in notes)]:
        print(screen.safe(line))
    if args.output is not None:
        write_measured(args.output, made.to_text(), "figures and verdicts")
    return int(any(judge.errors for judge in made.judges))


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _check_names(data: LabelledFiles, by: Sequence[str]) -> None:
    for place, name in enumerate(by):
        if all(row.groups[place] is None for row in data.rows):
            raise ConfigurationError(f"--by: no row has the field {name!r}")


def _measured(
    run: Run, args: argparse.Namespace, data: LabelledFiles, by: Sequence[str]
) -> tuple[CalibrationFile, list[str]]:
    """Calibrate; return the calibration, and notes on what could not be measured."""
    from ..analysis.calibration.calibration_figures import (
        calibrated_claims,
        comparison,
        judge_figures,
    )
    from ..analysis.records.calibration_file import CalibrationFile

    sessions = _sessions(run, args)
    all_judged: list[Judged] = []
    try:
        all_judged += [_judged(session, data) for session in sessions]
    finally:
        for session in sessions:
            session.close()
    rows = data.rows
    made = CalibrationFile(
        made=datetime.now(timezone.utc),
        tool_version=__version__,
        files=data.counts(),
        judges=[
            judge_figures(judged, rows, by, session.settings)
            for judged, session in zip(all_judged, sessions, strict=True)
        ],
        comparison=comparison(all_judged[0], all_judged[1], rows) if len(all_judged) > 1 else None,
        claims=calibrated_claims(all_judged, rows),
    )
    return made, [line for judged in all_judged for line in _troubles(judged)]


def _sessions(run: Run, args: argparse.Namespace) -> list[Session]:
    """A session for each judge.

    Raises:
        ConfigurationError: a judge cannot be asked, both are the same, or an option has no effect
            on them.
    """
    from ..analysis.calibration.collected_verdicts import ClaimAsGiven

    # committed verdicts belong to the tests, and the judge is asked here even in CI
    mode = run.value("record_mode", "new_episodes")
    # and a judge is measured by the verdicts it gives when asked
    changes: dict[str, Any] = {"verdicts": None, "record_mode": mode, "reuse": "exact"}
    settings = [run.settings(**changes)]
    if args.against is not None:
        changes["judge"] = args.against
    if args.against_model is not None:
        changes["model"] = (args.against_model,)
    if args.against is not None or args.against_model is not None:
        settings.append(run.settings(**changes))
    sessions = [run.session_of(each, [*run.hooks.metrics(), ClaimAsGiven()]) for each in settings]
    judges = [session.asker.judge for session in sessions]
    _check_models(args, judges)
    same = len({_who_judges(session) for session in sessions})
    if same < len(sessions):
        raise ConfigurationError(
            "both judges are the same; choose another with --against NAME or --against-model MODEL"
        )
    check_requests(args, judges)
    _check_folder(args, sessions)
    return sessions


def _check_models(args: argparse.Namespace, judges: Sequence[Judge]) -> None:
    """
    Raises:
        ConfigurationError: a model is given, but the judge does not take one.
    """
    second = judges[1:]
    named = (("--model", args.model, judges), ("--against-model", args.against_model, second))
    for option, model, whose in named:
        if model is not None and not any(judge.uses_model for judge in whose):
            name = "--judge" if option == "--model" else "--against"
            raise ConfigurationError(
                f"{option} {model}: judge {' and '.join(judge.id for judge in whose)} takes no "
                f"model; remove the option, or ask the model itself: {name} openai"
            )


def _check_folder(args: argparse.Namespace, sessions: Sequence[Session]) -> None:
    """
    Raises:
        ConfigurationError: a folder of stored verdicts is given, but nothing is stored.
    """
    if args.cache_dir is None or any(session.stores for session in sessions):
        return
    why = (
        f"judge {' and '.join(session.asker.judge.id for session in sessions)} is always asked "
        "directly"
    )
    if any(session.settings.record_mode == "off" for session in sessions):
        why = "record-mode off stores nothing"
    raise ConfigurationError(f"--cache-dir {args.cache_dir}: {why}; remove the option")


def _who_judges(session: Session) -> tuple[str, ...]:
    judge = session.asker.judge
    return (judge.id, *(session.settings.model if judge.uses_model else ()))


def _judged(session: Session, data: LabelledFiles) -> Judged:
    from ..analysis.calibration.collected_verdicts import judged

    progress = Progress(sys.stderr, len(data.rows), "claim" if _are_claims(data) else "check")
    try:
        return judged(
            session,
            data.rows,
            data.text,
            lambda so_far: progress.show(so_far.judge, so_far.done, len(so_far.errors)),
        )
    finally:
        progress.end()


def _are_claims(data: LabelledFiles) -> bool:
    return not any(row.is_criterion for row in data.rows)


def _troubles(judged: Judged) -> list[str]:
    """The first error of each kind, and why not everything was asked."""
    first: dict[str, Exception] = {}
    for error in judged.errors.values():
        first.setdefault(getattr(error, "kind", type(error).__name__), error)
    messages = [str(error) for error in first.values()]
    if judged.ended is not None:
        messages.append(
            "judging ended there; the answers so far are stored: run the command again to continue"
        )
    return messages
