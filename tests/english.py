"""Phrases that have to be read twice, and what to write instead.

    python -m tests.english [PATH…]

prints each occurrence in the documentation and in the texts of the package, as file:line.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "pytest_ragassert"
# Their strings are words of languages, not sentences of ours.
WORD_TABLES = ("language/words", "language/phrases")
# What a judge is sent, and the judge that a committed override names.
_FIXED = re.compile("INSTRUCTIONS|wanted_proof|BY_HAND")


class Rule(NamedTuple):
    """A pattern to avoid, in a sentence that it catches and one that it does not.

    White space in the text is one space each. Case is ignored.
    """

    pattern: str
    instead: str
    catches: str
    passes: str


_BE = "(?:is|are|was|were|be|been|being)"

RULES = (
    Rule(
        r"(?:stand|stands|stood|standing) (?:in|on|at|above|below|beside|with|without|there|under"
        r"|before|after|between|behind)",
        "is in, appears in, is supported by, follows",
        "The claim stands in the second passage.",
        "The letter n stands for the number of claims.",
    ),
    Rule(
        r"(?:tell|tells|told|telling) of",
        "reports, describes, names",
        "The summary tells of the outage.",
        "The summary tells users why the run ended.",
    ),
    Rule(
        rf"{_BE} (?:not |never |once |only )?told(?! apart)",
        "is shown, is reported, gets a message",
        "The user is told once.",
        "The message told them to retry.",
    ),
    Rule(
        rf"{_BE} told apart",
        "are distinguished",
        "Both files are told apart by their suffix.",
        "Nobody can tell them apart.",
    ),
    Rule(
        r"(?:hear|hears|heard|hearing) (?:of|from)",
        "receives, gets, is notified of",
        "The worker hears of the end of judging.",
        "People hear the sound of the bell.",
    ),
    Rule(
        r"but for",
        "except, except for",
        "All tests but for the last one pass.",
        "Everything but the last test passes.",
    ),
    Rule(
        r"(?:go|goes|went|going) before",
        "takes precedence over, precedes, comes first",
        "The override goes before the judge's verdict.",
        "The report goes to the terminal before the run ends.",
    ),
    Rule(
        r"(?:is|are|was|were) of (?!course|use|interest|type)[a-z]+",
        "belongs to, comes from, has",
        "The file is of another run.",
        "The label is of type str, of course.",
    ),
    Rule(
        r"none twice",
        "each only once, without duplicates",
        "It asks all questions, none twice.",
        "None of them is asked twice.",
    ),
    Rule(
        r"(?:bear|bears|bore|bearing) on",
        "is relevant to, affects",
        "The contexts bear on the question.",
        "The contexts bear the mark of their source.",
    ),
    Rule(
        r"what (?:[\w`'-]+ ){1,8}[\w`'-]+, (?:is|are|was|were|has|have|goes|comes|counts|gets)",
        "name the subject: 'missing files are reported'",
        "What is missing, is reported.",
        "What is missing is reported.",
    ),
    Rule(
        r", (?:or )?else(?= (?:the|a|an|by|from|in|to|it|as|on|with|of|what|none|that)\b)",
        "otherwise",
        "The label is that of the case, else the one of the judge.",
        "Nobody else knows, or the name is something else, the user says.",
    ),
    Rule(
        r"so that none",
        "so that no … , so nothing",
        "A lock is taken so that none asks again.",
        "A lock is taken so that nobody asks again.",
    ),
    Rule(
        r"so many(?! that)",
        "that many, this number of",
        "It stops after so many requests.",
        "There are so many that the list is cut.",
    ),
    Rule(
        rf"{_BE} (?:not |never |once |only |also |then )?said",
        "is reported, is stated; of a word: 'describes'",
        "It is said once per run.",
        "The person who said it is known.",
    ),
    Rule(
        r"said (?:of|so)|(?:says|say) so(?! far)",
        "describes; reports it",
        "The header says so.",
        "What the judge said is often right.",
    ),
    Rule(
        r"in the place of",
        "instead of",
        "The quote is used in the place of the reason.",
        "The quote is in its place.",
    ),
    Rule(
        r"anew",
        "again",
        "The file is written anew.",
        "The file is written in a new folder.",
    ),
    Rule(
        r"by hand",
        "manually; of a verdict: 'overridden', 'a person's'",
        "The verdict was given by hand.",
        "The handler is removed by the hand-off.",
    ),
    Rule(
        r"(?:hold|holds|held|holding) against",
        "is compared with, is checked against",
        "The run is held against its baseline.",
        "The run is compared with its baseline.",
    ),
    Rule(
        r"(?:hold|holds|held|holding) (?:of|for)(?! (?:\d|up|a (?:second|minute)))",
        "is true of, applies to",
        "The condition must hold of the answer.",
        "The lock is held by one process, for 5 seconds.",
    ),
    Rule(
        r"(?<!there )(?:is|are)"
        r" (?:(?-i:none)|no (?!longer|more|less|other|better|need|way|evidence)[a-z]+)",
        "is not a, has no",
        "The value is no number.",
        "There is no number, and it is no longer read.",
    ),
    Rule(
        r"(?:lie|lies|lay|lying) (?:below|under|above|in|within|between|beside|at)",
        "is below, is in",
        "The score lies below the minimum.",
        "The score is below the minimum.",
    ),
    Rule(
        r"(?:whereof|whereupon|thereof|thereon|therein|wherein|hereby|thereto|therefrom|whither)",
        "a plain word",
        "It lists the files and the parts thereof.",
        "It lists the files and their parts.",
    ),
    Rule(
        r"""(?<=[,"”]) (?:says|said|asks|shows|means|knows) (?:the|a|an) \w+(?=[.,;:])""",
        "the subject first: 'the page says'",
        "The score is too low, says the page.",
        "The score is too low, and the page says why.",
    ),
    Rule(
        r"(?:is|are|was|were) (?:learned|learnt)",
        "is detected, is remembered",
        "The refusal is learned once per run.",
        "The refusal is remembered for the run.",
    ),
    Rule(
        r"each of (?:which|whom) the",
        "split the sentence",
        "It has parts, each of which the user can set.",
        "It has parts. The user can set each.",
    ),
)


class Text(NamedTuple):
    """A docstring, a message, a comment or a page, with the line on which it begins."""

    line: int
    text: str
    last_line: int


Texts = Iterable[Text]


class Hit(NamedTuple):
    """A phrase to rewrite."""

    file: str
    line: int
    phrase: str
    instead: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.phrase!r}: write {self.instead}"


def phrases(text: str, rules: Iterable[Rule] = RULES) -> Iterator[tuple[Rule, str, int]]:
    """Each phrase that a rule catches: the rule, the phrase, and the line breaks before it."""
    words = list(re.finditer(r"\S+", text))
    starts = list(accumulate((len(word[0]) + 1 for word in words), initial=0))
    spaced = " ".join(word[0] for word in words)
    for rule in rules:
        for found in re.finditer(rf"(?:(?<!\w)|(?=\W))(?:{rule.pattern})(?!\w)", spaced, re.I):
            first = words[bisect_right(starts, found.start()) - 1]
            yield rule, found[0], text.count("\n", 0, first.start())


def texts_of_page(source: str) -> Iterator[Text]:
    """A Markdown page without its code and its comments."""

    def blank(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    text = re.sub(r"^ *(`{3,}).*?^ *\1`*$|<!--.*?-->", blank, source, flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "`x`", text)
    # blocks apart, so that no phrase spans two of them
    line = 1
    for block in re.split(r"(\n\s*\n)", text):
        yield Text(line, block, line + block.count("\n"))
        line += block.count("\n")


def _shown(node: ast.Constant | ast.JoinedStr) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
    )


def _unseen_in(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of an f-string, which are one text, and texts that stored verdicts depend on."""
    if isinstance(node, ast.JoinedStr):
        yield from (inner for inner in ast.walk(node) if inner is not node)
    elif isinstance(node, ast.Assign) and _FIXED.search(ast.unparse(node.targets[0])):
        yield from ast.walk(node.value)


def texts_of_module(source: str, *, strings: bool = True) -> Iterator[Text]:
    """Docstrings, comments and strings with spaces; not the instructions that a judge gets."""
    nodes = list(ast.walk(ast.parse(source)))
    skipped = {id(inner) for node in nodes for inner in _unseen_in(node)}
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in skipped:
            shown = _shown(node)
            if shown is not None and " " in shown.strip() and (strings or id(node) in docstrings):
                yield Text(node.lineno, shown, node.end_lineno or node.lineno)
    yield from _comments(source)


def _comments(source: str) -> Iterator[Text]:
    """Comments, those of consecutive lines as one text."""
    lines: list[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if lines and token.start[0] != last + 1:
            yield Text(last - len(lines) + 1, "\n".join(lines), last)
            lines = []
        lines.append(token.string.lstrip("# "))
        last = token.start[0]
    if lines:
        yield Text(last - len(lines) + 1, "\n".join(lines), last)


def hits(file: Path) -> list[Hit]:
    """The phrases to rewrite in one page or module, in the order of lines."""
    source = file.read_text(encoding="utf-8")
    name = file.relative_to(ROOT).as_posix()
    if file.suffix == ".md":
        texts = texts_of_page(source)
    else:
        texts = texts_of_module(source, strings=not any(table in name for table in WORD_TABLES))
    found = [
        Hit(name, min(text.line + breaks, text.last_line), phrase, rule.instead)
        for text in texts
        for rule, phrase, breaks in phrases(text.text)
    ]
    return sorted(found, key=lambda hit: hit.line)


def written() -> list[Path]:
    """The pages and modules that are checked."""
    pages = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    pages += [ROOT / "example_project" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return pages + sorted(PACKAGE.rglob("*.py"))


def main(paths: list[str]) -> None:
    """Print the hits of all files, or of those below the paths."""
    below = [Path(path).resolve() for path in paths] or [ROOT]
    for file in written():
        if any(file.is_relative_to(path) for path in below):
            for hit in hits(file):
                print(hit)


if __name__ == "__main__":
    main(sys.argv[1:])
