"""Compare the output that a page shows with what was printed.

A line `...` on the page stands for any lines, `[...]` for any characters of one line. Times and the
lengths of ruled lines differ from run to run; both texts are compared without them.
"""

from __future__ import annotations

import re

_VARYING = (
    (re.compile(r"[ \t]+$", re.M), ""),
    (re.compile(r"\b\d+(\.\d+)? ?(s|ms|seconds)\b"), "0s"),
    (re.compile(r"([=_-])\1{4,}"), r"\1" * 5),
    (re.compile(r'time="[\d.]+"'), 'time="0"'),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "time"),
    # ids of judgements, which depend on the endpoint's address
    (
        re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{64})(?![0-9A-Za-z])"),
        "id",
    ),
    (re.compile(r"^(platform|plugins:|cachedir:) .*$", re.M), r"\1 …"),
    (re.compile(r"^created: \d+/\d+ workers$", re.M), "created: workers"),
)


def has_elision(shown: str) -> bool:
    return re.search(r"^\.\.\.$|\[\.\.\.\]", shown, re.M) is not None


def same(shown: str, printed: str) -> bool:
    """Whether all that was printed is what the page shows."""
    return re.fullmatch(_pattern(shown), _lines(printed)) is not None


def part(shown: str, printed: str) -> bool:
    """Whether whole lines of what was printed are what the page shows."""
    return re.search(r"(?m:^)" + _pattern(shown), _lines(printed)) is not None


def _lines(text: str) -> str:
    for varying, instead in _VARYING:
        text = varying.sub(instead, text)
    return text.strip("\n") + "\n"


def _pattern(shown: str) -> str:
    pattern = ""
    for line in _lines(shown).splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += "[^\n]*".join(re.escape(one) for one in line.split("[...]")) + "\n"
    return pattern
