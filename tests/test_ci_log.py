"""Lines for a CI log: whatever they hold, a model of the services' parsers finds no command."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, JudgeError, MetricResult, RagAssertWarning, load_cases
from pytest_ragassert.runtime import ci_log

# What .NET calls white space or ends a line with, and what a comparison by culture passes over.
_SPACE = " \t\r\n\x0b\x0c\x85\xa0\u2028\u2029\u3000"
_PASSED_OVER = re.compile("\x1b\\[[0-9;]*m|[\x00-\x08\x0e-\x1b\x7f\xad\u200b-\u200f\u202e\ufeff]")
FRAGMENTS = [
    *"::##[]: #\\",
    *("::", "##[", "##vso[", "##teamcity[", "group]", "stop-commands::", "add-mask::", "task.x]"),
    *_SPACE,
    *("\x1b[31m", "\x1b[0m", "\x1b", "\x00", "\x1c", "\x1f", "\u200b", "\ufeff", "\xad", "\u202e"),
    *("a", "\uff1a", "\uff03", "9"),
]
hostile = st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join)


def commands(text: str) -> list[str]:
    """The lines of a log in which a service finds a command, in its own way or a more lenient."""
    lines = re.split("\r\n|[\r\n]", text) + text.splitlines()
    lines += [_PASSED_OVER.sub("", line) for line in lines]
    return [line for line in lines if _of_github(line) or prefixes(line)]


def _of_github(line: str) -> bool:
    """`ActionCommand.TryParseV2`; any name, as a stop token may be any."""
    begun = line.lstrip(_SPACE)
    return begun.startswith("::") and "::" in begun[2:]


def prefixes(line: str) -> bool:
    """`ActionCommand.TryParse`, the Azure agent's `Command.TryParse`, TeamCity's messages."""
    return any(
        prefix in line and "]" in line[line.index(prefix) :]
        for prefix in ("##[", "##vso[", "##teamcity[")
    )


@pytest.fixture
def in_ci() -> Iterator[None]:
    undo = ci_log.decide({"GITHUB_ACTIONS": "true"})
    yield
    undo()


@pytest.fixture
def outside() -> Iterator[None]:
    undo = ci_log.decide({})
    yield
    undo()


@given(text=hostile)
def test_no_service_finds_a_command_in_any_line(text: str) -> None:
    shown = ci_log.without_commands(text)
    assert commands(shown) == []
    assert ci_log.without_commands(shown) == shown
    # nothing is lost or hidden: only backslashes are added
    assert shown.replace("\\", "") == text.replace("\\", "")


@given(text=hostile, width=st.integers(1, 20))
def test_nor_where_a_text_is_wrapped(text: str, width: int) -> None:
    undo = ci_log.decide({"GITHUB_ACTIONS": "true"})
    shown = ci_log.inert_wrapped(text)
    undo()
    assert shown.replace("\\", "") == text.replace("\\", "")
    for start in range(len(shown)):
        assert not _of_github(_PASSED_OVER.sub("", shown[start : start + width]))
    assert not prefixes(shown)


@given(pieces=st.lists(st.tuples(hostile, st.booleans()), max_size=8))
def test_a_stream_writes_the_same_in_whatever_pieces(pieces: list[tuple[str, bool]]) -> None:
    undo = ci_log.decide({"TF_BUILD": "True"})
    written = io.StringIO(newline="")
    stream = ci_log.InertStream(written)
    for text, flushed in pieces:
        stream.write(text)
        if flushed:
            stream.flush()
    stream.end()
    undo()
    whole = "".join(text for text, _ in pieces)
    assert written.getvalue() == "\n".join(map(ci_log.without_commands, whole.split("\n")))
    assert commands(written.getvalue()) == []


@given(text=hostile)
def test_json_keeps_its_values(text: str) -> None:
    undo = ci_log.decide({"GITHUB_ACTIONS": "true"})
    line = ci_log.inert_json(json.dumps({"about": text}, ensure_ascii=False))
    undo()
    assert json.loads(line) == {"about": text}
    assert not prefixes(line)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::stop-commands::x", r":\:stop-commands::x"),
        (" \t::add-mask::x", " \t" r":\:add-mask::x"),
        ("said\r::debug::x", "said\r" r":\:debug::x"),
        ("E   ##[group]x", r"E   ##\[group]x"),
        ("##vso[task.setvariable a]1", r"##vso\[task.setvariable a]1"),
        ("std::vector and ## [1]", "std::vector and ## [1]"),
        ("\uff1a\uff1astop\uff1a\uff1a", "\uff1a\uff1astop\uff1a\uff1a"),
    ],
)
def test_a_backslash_is_all_that_is_added(in_ci: None, text: str, shown: str) -> None:
    assert ci_log.inert(text) == shown


@pytest.mark.parametrize(
    "environ", [{}, {"GITHUB_ACTIONS": ""}, {"CI": "true"}, {"GITLAB_CI": "true"}]
)
def test_elsewhere_texts_are_as_they_are(environ: dict[str, str]) -> None:
    undo = ci_log.decide(environ)
    assert ci_log.inert("::stop-commands::x ##[group]") == "::stop-commands::x ##[group]"
    undo()


def test_what_leaves_to_the_user_is_inert(in_ci: None) -> None:
    error = JudgeError("::stop-commands::x ##[group]y").about("case ##[endgroup]")
    assert commands(str(error)) == []
    assert error.message == "case ##[endgroup]: ::stop-commands::x ##[group]y"
    assert commands(str(RagAssertWarning("::debug::x"))) == []
    case = EvalCase(id="##[group]x", answer="##vso[task.complete]")
    assert commands(repr(case)) == []
    assert case.answer == "##vso[task.complete]"
    result = MetricResult(metric="##[group]m", score=0.5, reason="##[endgroup]")
    assert commands(result.pretty()) == []
    with pytest.raises(ValueError, match="unknown field") as caught:
        EvalCase(id="##[group]x", **{"##[endgroup]": 1})
    assert commands(str(caught.value)) == []


def test_so_are_mistakes_in_case_files(in_ci: None, tmp_path: Path) -> None:
    file = tmp_path / "##[group]cases.jsonl"
    file.write_text('{"id": "##[group]x"}\n' * 2)
    with pytest.raises(ValueError, match="two cases have the id") as caught:
        load_cases(file)
    assert commands(str(caught.value)) == []


def test_outside_of_ci_they_are_as_they_are(outside: None) -> None:
    assert str(JudgeError("::stop-commands::x ##[group]y")) == "::stop-commands::x ##[group]y"
    assert "##[group]x" in repr(EvalCase(id="##[group]x"))
