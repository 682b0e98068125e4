"""`generate`: makes test cases from documents."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from ..language.escaping import is_blank
from .generation_run import GenerationRun, target_of
from .measuring import INTERRUPTED, add_judge_options, check_measured, judge_options, whole_number
from .option_names import add_own, needs_a_model
from .project import in_project

if TYPE_CHECKING:
    from ..generation.candidates import Kind

_ABOUT = """\
Make test cases from documents (Markdown, text, HTML, PDF) and write them as JSON Lines, which
@pytest.mark.rag_cases runs. A judge writes each case: a question, its answer, and quotes that prove
the answer. The command keeps a case if its quotes are in the passages, the passages support each
claim of the answer, the question is clear without the passages, and no other case asks the same
thing. The judge's answers are stored, so a second run, or a run after an interruption, asks only
what is missing. The exit status is 1 if there are fewer cases than requested."""
_SHARES = "single=5,several=2,documents=2,unanswerable=1"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "generate",
        help="make test cases from documents",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "documents", metavar="DOCUMENTS", nargs="+", type=Path, help="a file, or a folder of files"
    )
    parser.add_argument(
        "--number", metavar="N", type=whole_number, default=50, help="how many cases (default: 50)"
    )
    parser.add_argument(
        "--output", metavar="FILE.jsonl", type=Path, help="write the cases to this file"
    )
    parser.add_argument(
        "--update",
        metavar="FILE.jsonl",
        type=Path,
        help="keep the cases of this file, with their ids and your changes, and make only those "
        "again whose passages changed; the result replaces this file, or is written to --output",
    )
    parser.add_argument(
        "--kinds",
        metavar="KIND=SHARE,…",
        help="the share of each kind: questions about a single passage, about several passages of "
        "a document, about several documents, and questions that the documents do not answer "
        f"(default: {_SHARES})",
    )
    parser.add_argument(
        "--persona",
        metavar="TEXT",
        action="append",
        help="a description of the person who asks; give the option several times for several "
        "people",
    )
    parser.add_argument(
        "--personas",
        metavar="N",
        type=whole_number,
        help="have the judge describe N people who ask, based on the headings of the documents",
    )
    parser.add_argument(
        "--language",
        metavar="LANGUAGE",
        help="the language of questions and answers, such as German or de (default: that of the "
        "documents)",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=int,
        default=0,
        help="a different number chooses different passages (default: 0)",
    )
    parser.add_argument(
        "--reject",
        metavar="ID",
        action="append",
        help="leave out the case with this id, and do not write it again; give the option several "
        "times for several cases",
    )
    parser.add_argument(
        "--keep-suspicious",
        action="store_true",
        help="also read documents that contain instructions to a model",
    )
    parser.add_argument(
        "--markdown",
        metavar="FILE",
        type=Path,
        help="write the cases with their passages and marked quotes to this file, for a review",
    )
    parser.add_argument(
        "--plan", action="store_true", help="show what would be asked, and ask nothing"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list all dropped cases and skipped files"
    )
    add_judge_options(parser)
    add_own(parser, "max-calls", "max-tokens-total")
    needs_a_model(parser)
    parser.add_argument("--max-calls", metavar="N", help="the maximum number of requests")
    parser.add_argument(
        "--max-tokens-total",
        metavar="N",
        help="send no further request after all have used this number of tokens",
    )
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    from ..corpus.reading import read_corpus

    _check(args)
    shares = _shares(_SHARES if args.kinds is None else args.kinds)
    try:
        corpus = read_corpus(args.documents, suspicious=args.keep_suspicious)
    except KeyboardInterrupt:
        print("interrupted while the documents were read; nothing was asked", file=sys.stderr)
        return INTERRUPTED
    return in_project(lambda run: GenerationRun(run, args, corpus, shares).status(), _options(args))


def _options(args: argparse.Namespace) -> list[str]:
    budgets = {"max-calls": args.max_calls, "max-tokens-total": args.max_tokens_total}
    given = [f"--ragassert-{name}={value}" for name, value in budgets.items() if value is not None]
    return [*judge_options(args), *given]


def _check(args: argparse.Namespace) -> None:
    """
    Raises:
        ConfigurationError: options do not fit together, or a file can't be written.
    """
    if args.output is None and args.update is None and not args.plan:
        raise ConfigurationError("name a file for the cases: --output cases.jsonl")
    if args.persona and args.personas:
        raise ConfigurationError(
            "--persona and --personas exclude each other: your own personas, or written ones"
        )
    for option, text in _texts(args):
        if is_blank(text):
            raise ConfigurationError(f"{option}: the text is empty; write one, or omit the option")
    target = target_of(args)
    if target is not None:
        if target.suffix.lower() != ".jsonl":
            option = "--update" if args.output is None else "--output"
            raise ConfigurationError(f"{option} {target}: the name must end in .jsonl")
        check_measured(target, *args.documents)
    _check_review_list(args)


def _texts(args: argparse.Namespace) -> list[tuple[str, str]]:
    """The options that take a text, and their texts."""
    given = [
        ("--kinds", args.kinds),
        ("--language", args.language),
        *(("--persona", text) for text in args.persona or ()),
    ]
    return [(option, text) for option, text in given if text is not None]


def _check_review_list(args: argparse.Namespace) -> None:
    """
    Raises:
        ConfigurationError: the list for a review would replace a file of the user's, or become a
            document itself.
    """
    from ..corpus.files import folder_that_reads
    from ..report.markdown.review_list import former_list

    path = args.markdown
    if path is None:
        return
    data_sets = [one for one in (args.output, args.update) if one is not None]
    check_measured(path, *args.documents, *data_sets, option="--markdown")
    folder = folder_that_reads(path, args.documents)
    if folder is not None:
        raise ConfigurationError(
            f"--markdown: {path} would be a document of the folder {folder}; name a file in "
            "another folder"
        )
    former_list(path)


def _shares(text: str) -> dict[Kind, float]:
    """
    Raises:
        ConfigurationError: a kind is unknown, a share is not a number from 0, or all are 0.
    """
    from ..generation.candidates import KINDS

    shares: dict[Kind, float] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, value = part.partition("=")
        kind = next((one for one in KINDS if one == name.strip()), None)
        try:
            share = float(value or "1")
        except ValueError:
            share = -1.0
        if kind is None or not 0 <= share < float("inf"):
            raise ConfigurationError(
                f"--kinds: {part!r} is not KIND=SHARE, with a share from 0; the kinds are "
                f"{', '.join(KINDS)}"
            )
        shares[kind] = share
    if not any(shares.values()):
        raise ConfigurationError(f"--kinds {text!r}: no kind has a share above 0")
    return shares
