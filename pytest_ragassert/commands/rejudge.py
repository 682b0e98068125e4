"""`rejudge RESULTS --from A --to B`: asks another judge about the same answers, and compares."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..config.option_types import Chosen
from ..config.options import OFFLINE_ID
from ..errors import ConfigurationError
from ..language.number_format import plural, tokens
from ..usage import cost_of
from .option_names import in_own_words
from .output import FAILED, PASSED, screen_here
from .project import add_request_options, check_requests, in_project, request_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analysis.records.measurement import Measurement
    from ..analysis.records.results_file import UsageFigures
    from ..analysis.regression.rejudging import Rejudged
    from ..plugin.run import Run
    from ..report.terminal import Screen


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "rejudge", help="ask another judge about the answers in a results file, and compare"
    )
    parser.add_argument("results", metavar="RESULTS", type=Path, help="results_<run>.json")
    parser.add_argument(
        "--from",
        dest="before",
        metavar="A",
        required=True,
        help="the judge of the results, as named there",
    )
    parser.add_argument(
        "--to",
        dest="after",
        metavar="B",
        required=True,
        help="the judge to ask: offline, a judge from the project's hooks, or a model at the "
        "project's endpoint",
    )
    parser.add_argument("--yes", action="store_true", help="ask without confirming the cost")
    parser.add_argument("-v", "--verbose", action="store_true", help="show all cases")
    add_request_options(parser)
    parser.set_defaults(run=_rejudge)


def _rejudge(args: argparse.Namespace) -> int:
    from ..analysis.records.read_results import read_results
    from ..analysis.regression.rejudging import estimated, questions_of, rejudged
    from ..language.escaping import visible

    if args.before == "offline":
        args.before = OFFLINE_ID
    results = read_results(args.results)
    questions = questions_of(results, args.before)

    def work(run: Run) -> int:
        _choose(run, args.after)
        session = run.session()
        check_requests(args, [session.asker.judge])
        try:
            jobs = [question.job(session) for question in questions]
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"{args.results}: {error}") from None
        cases = plural(len({question.before.case for question in questions}), "case")
        asked = f"{plural(len(jobs), 'result')} of {args.before}, {cases}"
        print(f"{args.after} will be asked about {asked}")
        if session.asker.local:
            if args.yes:
                print(f"note: --yes has no effect: {session.asker.judge.id} costs nothing")
        else:
            print(_costs(estimated(results, questions), run, args.after))
            _confirm(yes=args.yes)
        found = rejudged(questions, session)
        for line in _lines(found, screen_here(), args):
            print(line)
        for notice in run.notices():
            print(f"note: {visible(in_own_words(args, notice))}")
        return FAILED if found.unmeasured else PASSED

    return in_project(work, request_options(args))


def _choose(run: Run, judge: str) -> None:
    """Make `judge` the judge of the run, before its session is created."""
    source = "command line"
    if judge in ("offline", OFFLINE_ID):
        run.chosen["judge"] = Chosen("offline", source)
    elif run.config.hook.pytest_ragassert_make_judge(config=run.config, name=judge) is not None:
        run.chosen["judge"] = Chosen(judge, source)
    else:
        run.chosen["judge"] = Chosen("openai", source)
        run.chosen["model"] = Chosen(tuple(part.strip() for part in judge.split(",")), source)
    # committed verdicts would make this a replay in CI, but the new judge must be asked
    run.chosen.setdefault("record_mode", Chosen("new_episodes", source))
    # and judges are compared by the verdicts they give when asked
    run.chosen["reuse"] = Chosen("exact", source)
    from ..plugin.checks import check_judge

    try:
        check_judge(run)
    except Exception as error:  # a pytest usage error would not be handled as the command's error
        raise ConfigurationError(str(error)) from None


def _costs(usage: UsageFigures, run: Run, model: str) -> str:
    # results of earlier versions do not count judgements
    asked = plural(usage.judgements, "judgement") if usage.judgements else None
    line = (
        f"at most {asked or plural(usage.questions, 'question')} that are not stored; tokens: "
        f"about {tokens(usage.prompt, usage.completion) or 0}"
    )
    cost = cost_of(model, usage.prompt, usage.completion, run.value("prices", ()))
    return line if cost is None else f"{line}, cost {cost:.4f}"


def _confirm(*, yes: bool) -> None:
    if yes:
        return
    if sys.stdin is None or not sys.stdin.isatty():
        raise ConfigurationError("nothing was asked; to ask, add --yes")
    if input("ask? [y/N] ").strip().lower() not in ("y", "yes"):
        raise ConfigurationError("nothing was asked")


def _lines(found: Rejudged, screen: Screen, args: argparse.Namespace) -> list[str]:
    from ..report.comparison_lines import comparison_lines

    lines = comparison_lines(
        found.comparison,
        screen,
        against=f"{args.results} (judge {args.before})",
        before="in the results",
        verbose=args.verbose,
    )
    lines += _minima("minimums that start failing", found.failing)
    lines += _minima("minimums that stop failing", found.passing)
    lines += _unmeasured(found.unmeasured)
    if found.unmeasured:
        return lines
    lines.append(
        f"to switch to {args.after}: run the tests with it and --ragassert-update-baseline to "
        "write its baseline"
    )
    return lines


def _unmeasured(errors: Sequence[str]) -> list[str]:
    """A line for each cause, with the first result that could not be measured because of it."""
    from ..language.escaping import visible

    causes: dict[str, list[str]] = {}
    for error in errors:
        causes.setdefault(error.partition(" not measured: ")[2] or error, []).append(error)
    return [
        f"not measured: {visible(own[0])}" + f" (and {len(own) - 1} more)" * (len(own) > 1)
        for own in causes.values()
    ]


def _minima(what: str, pairs: Sequence[tuple[Measurement, Measurement]]) -> list[str]:
    from ..language.escaping import visible
    from ..language.number_format import compared

    lines = [f"{what}: {len(pairs)}"]
    for before, after in pairs:
        said = compared(after.value, after.minimum)
        if after.minimum is None:
            said = f"{before.label} -> {after.label}"
        lines.append(
            f"  {visible(after.case)}  {after.metric} {said}, was {before.value:.2f}  "
            f"({visible(after.test)})"
        )
    return lines
