"""Texts in Markdown: whatever they hold, they are shown as they are, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_ragassert.language.escaping import escaped, visible
from pytest_ragassert.report.markdown import inline

from .rendered import FILTERS, KEPT, html_of, page_of

# What GitHub or GitLab makes something of, one of each kind.
HOSTILE = [
    "@someone",
    "a@someone",
    "@org/team",
    "(@all)",
    "@dependabot rebase",
    "#12",
    "owner/repo#1",
    "owner/repo@c0ffee1",
    "GH-1",
    "JIRA-123",
    "fixes #12",
    "c0ffee1234567",
    "1234567",
    "!123",
    "$1",
    "%milestone",
    '%"a milestone"',
    "~label",
    '~"a label"',
    "&1",
    "[[x]]",
    "[[a b]]",
    "[vulnerability:1]",
    "*iteration:1",
    ":smile:",
    ":+1:",
    ":100:",
    "www.example.com",
    "http://example.com/a_b",
    "ftp://x",
    "user@example.com",
    "mailto:a@b.c",
    "xmpp:a@b.c",
    "[a](http://x)",
    "![a](x)",
    "<http://x>",
    "[x]: http://x",
    "[^1]",
    "[^1]: note",
    "<b>bold</b>",
    "</details>",
    "</summary></details><script>alert(1)</script>",
    "</code>",
    "<!-- comment",
    "-->",
    "<![CDATA[x",
    "<?php",
    "<a href=x>y</a>",
    "&lt;b&gt;",
    "&#64;someone",
    "&commat;someone",
    "*a* _b_ **c** __d__ ~~e~~",
    "`code`",
    "```\nfence\n```",
    "~~~",
    "# heading",
    "heading\n===",
    "- [ ] task",
    "1. one",
    "> quote",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "$a$ and $$b$$",
    "$`x`$",
    "\\@someone",
    "a\n\nb",
    "a\r\n\r\n    b",
    "/close",
    "\n/close\n/assign @someone",
    "    indented",
    "---",
    "***",
    "::error::x",
    "::stop-commands::x",
    "##[group]x",
    "\x00\x1b[31m\x85\u2028\u202e\ud800",
    "@\u200bsomeone",
    "\uff20someone",
    "it costs 3.5% more a decade, 10:30 to 11:00 (R&D), 'x' \"y\" and/or z!",
    "Die Fähre fährt alle 40 Minuten — 9 €.",
    "渡轮每40分钟一班。",
]
LINE_END = "\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]"
words = st.sampled_from(HOSTILE)
texts = st.one_of(
    st.lists(words | st.text(max_size=5), min_size=1, max_size=6).map(" ".join),
    st.lists(words | st.sampled_from([*"@#:/&<>[]()!~$%`*_|\\ \n\t.a1-"]), max_size=12).map(
        "".join
    ),
    st.text(max_size=40),
)


@given(text=texts)
@example(text="\n".join(HOSTILE))
def test_a_text_is_shown_as_it_is(text: str) -> None:
    page = page_of(f"<p>{inline.lines(text, 100_000)}</p>\n")
    assert set(page.elements) <= {"p", "code", "br"}
    assert page.outline == ["p"]
    assert page.attributes == []
    assert page.unclosed == []
    assert page.found() == []
    each = (escaped(re.sub("[\t\x1f]", " ", line)) for line in re.split(LINE_END, text))
    assert page.text.removesuffix("\n") == "\n".join(each)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_on_one_line_is_shown_as_it_is(text: str) -> None:
    for shown in inline.line(text), inline.cut(text, 1000), inline.code(text, 1000):
        page = page_of(f"<p>{shown}</p>\n")
        assert set(page.elements) <= {"p", "code"}
        assert page.found() == []
        assert page.text.removesuffix("\n") == visible(text)


@given(text=texts)
def test_not_even_where_a_renderer_looks_for_markdown(text: str) -> None:
    page = page_of(f"x {inline.lines(text, 100_000)}\n")
    # a paragraph of Markdown, not a block of HTML, in which only addresses of mail would be links
    assert set(page.elements) <= {"p", "code", "br", "a"}
    assert all("@" in str(link) and "//" not in str(link) for _, link in page.attributes)
    assert page.found() == []


@given(text=texts, spans=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=4))
def test_what_is_set_in_bold_changes_no_text(text: str, spans: list[tuple[int, int]]) -> None:
    bold = [(start, end) for start, end in spans if start < end <= len(text)]
    page = page_of(f"<p>{inline.lines(text, 100_000, bold)}</p>\n")
    assert set(page.elements) <= {"p", "code", "br", "b"}
    assert page.found() == []
    assert page.unclosed == []
    assert page.elements.count("b") <= len(bold)


def test_bold_is_what_the_spans_say() -> None:
    shown = inline.lines("One. Two. Three.", 100, [(5, 9), (0, 4), (6, 9)])
    assert shown == "<b>One.</b> <b>Two.</b> Three."
    assert inline.lines("One.\nTwo.", 100, [(0, 9)]) == "<b>One.<br>Two.</b>"


def test_everyday_prose_is_no_code() -> None:
    for text in HOSTILE[-3:]:
        assert "<code>" not in inline.lines(text, 1000)


def test_what_is_left_out_is_said() -> None:
    assert inline.lines("x" * 12, 10) == f"{'x' * 10} <i>… 2 more characters</i>"
    assert inline.cut("x" * 12, 10) == f"{'x' * 9}…"


def test_the_filters_find_each_kind_where_nothing_is_done_about_it() -> None:
    """Else the tests above could not fail."""
    plain = [re.sub("[<&\0\ud800]", "", text) for text in HOSTILE]
    found = {name for text in plain for name, _ in page_of(f"<p>{text} &1</p>\n").found()}
    assert found == FILTERS.keys()
    assert "<a href=" in html_of("www.example.com a@b.cd")
    assert page_of("*a* `b`\n\n| a |\n|---|\n").outline != ["p"]


def test_only_elements_that_the_services_keep() -> None:
    for text in HOSTILE:
        assert set(page_of(f"<p>{inline.lines(text, 1000, [(0, 1)])}</p>").elements) <= KEPT
