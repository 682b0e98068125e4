"""HTML pages as passages."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from pytest_ragassert.corpus.html_pages import html_outline
from pytest_ragassert.errors import ConfigurationError

from .documents import CHILDREN, SEASON, read

PAGE = f"""<!doctype html><html><head><title>Fares &ndash; Ferry</title><style>p {{}}</style>
<body><header><h1>The ferry</h1></header><nav><a href="/">Home page</a></nav>
<main><header><h1>Fares &amp; tickets<a class="headerlink" href="#">¶</a></h1></header>
<h2>Children</h2><p>{CHILDREN}</p>
<h2>Season</h2><p>{SEASON}</p></main>
<footer>All rights reserved</footer><script>alert("x")</script></body></html>"""


def test_a_page_has_the_passages_of_its_sections(tmp_path: Path) -> None:
    document = read(tmp_path, PAGE, "fares.html")
    assert document.title == "Fares & tickets"
    children, season = document.passages
    assert children.id == "fares.html#children"
    assert children.headings == season.headings == ("Fares & tickets",)
    assert children.text == f"Children\n\n{CHILDREN}".strip()


def test_a_page_without_a_first_heading_has_the_title_of_its_head(tmp_path: Path) -> None:
    document = read(tmp_path, PAGE.replace("h1", "p"), "fares.html")
    assert document.title == "Fares – Ferry"
    assert document.passages[-1].headings == ("Fares – Ferry",)


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>secret</p>",
        '<p aria-hidden="true">secret</p>',
        '<p style="color: red; DISPLAY : none">secret</p>',
        '<p style="visibility:hidden">secret</p>',
        '<p style="font-size:0">secret</p>',
        "<!-- secret -->",
        "<template>secret</template>",
        "<script>secret</script>",
        "<form><p>secret</form>",
        "<aside><p>secret</p></aside>",
        "<nav><div hidden><p>x</div>secret</nav>",
        "<footer>secret</footer>",
        "<svg><text>secret</text></svg>",
        "<!-- secret",
        "<p title='secret",
    ],
)
def test_what_nobody_sees_is_not_read(hidden: str) -> None:
    text = html_outline(f"<body><p>Before.</p>{hidden}").text
    assert text == "Before."


def test_lists_tables_and_code_are_lines() -> None:
    outline = html_outline(
        "<ul><li>One<li>Two <b>bold</b><ul><li>inner</li></ul></ul>"
        "<ol><li><p>first</p></li><li>second</li></ol>"
        "<table><tr><th>Who</th><th>Price</th></tr><tr><td>Child<td>4 <p>crowns</p></tr></table>"
        "<pre>def x():\n    return 1\n</pre><p>a<br>b&nbsp;c</p>"
    )
    assert outline.text == (
        "- One\n- Two bold\n  - inner\n\n1. first\n2. second\n\nWho | Price\nChild | 4 crowns\n\n"
        "def x():\n    return 1\n\na\nb c"
    )
    assert [outline.text[one.start : one.end] for one in outline.blocks if one.leads] == [
        "Who | Price"
    ]


def test_a_table_that_arranges_a_page_is_no_row() -> None:
    outline = html_outline(f"<table><tr><td><h1>Fares</h1><p>{CHILDREN}</table>")
    assert outline.text == f"Fares\n\n{CHILDREN}".strip()
    assert outline.blocks[0].level == 1


def test_the_encoding_that_a_page_states(tmp_path: Path) -> None:
    page = f"<meta charset='iso-8859-1'><p>Fähre – {CHILDREN}"
    document = read(tmp_path, page.encode("windows-1252"), "fares.html")
    assert document.passages[0].text.startswith("Fähre – Children")


@pytest.mark.parametrize(
    "repeated",
    [
        "<div>",
        "<b>",
        "<ul><li>",
        "<table><tr><td>",
        "<!--",
        "<![",
        "<!",
        "<a b='",
        "<",
        "&#x",
        "</b",
    ],
)
def test_deep_and_broken_pages_take_seconds(repeated: str) -> None:
    begun = time.process_time()
    html_outline(repeated * 100_000 + "text")
    assert time.process_time() - begun < 30


def test_pages_that_need_too_much_memory_are_skipped(tmp_path: Path) -> None:
    for page, reason in (
        ("<b>" * 300_001, "more than 300,000 tags"),
        ("<p " + "a=1 " * 300_002 + ">x", "a tag with more than 300,000 attributes"),
        ("<![x]>", "damaged HTML"),
    ):
        with pytest.raises(ConfigurationError, match=reason):
            read(tmp_path, page, "bomb.html")
