"""Markdown as GitHub renders it, and what its filters and GitLab's then find in the page's text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

import cmarkgfm
from cmarkgfm.cmark import Options

# Elements that both services keep: html-pipeline's `SanitizationFilter` has these and more.
_OF_TABLES = {"table", "tr", "th", "td"}
KEPT = frozenset(
    {"h3", "h4", "p", "br", "b", "i", "ul", "li", "details", "summary", "code"} | _OF_TABLES
)
_VOID = frozenset({"br", "img", "hr", "input", "wbr"})
# Where no filter looks.
_PASSED_OVER = frozenset({"code", "pre", "a"})

# After html-pipeline's filters, GitHub's and GitLab's documentation of what is linked.
FILTERS = {
    "mention": r"(?:^|\W)@[a-z0-9]",
    "issue": r"(?:^|[^&\w])#[0-9]+\b|\w/\w+#\d",
    "GH-1": r"\b[a-z]+-\d",
    "commit": r"\b[0-9a-f]{7,40}\b",
    "shortcode": r":[\w+-]+:",
    "address": r"\w://|\bwww\.|\w@\w|(?:mailto|xmpp):\w",
    "mathematics": r"\$",
    "merge request": r"!\d",
    "epic": r"&\d",
    "label": r"~[\w\"]",
    "milestone": r"%[\w\"]",
    "iteration": r"\*iteration:",
    "brackets": r"\[\[|\[\w+:",
}


@dataclass
class Page:
    """
    Attributes:
        elements: in the order of their beginnings; those that a parser finds no end of too.
        attributes: all of them.
        text: all of it, line breaks as such.
        loose: texts that filters look through, each between two tags.
        unclosed: elements without an end, and ends without a beginning.
    """

    elements: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str | None]] = field(default_factory=list)
    text: str = ""
    loose: list[str] = field(default_factory=list)
    unclosed: list[str] = field(default_factory=list)

    @property
    def outline(self) -> list[str]:
        """The elements without those that a text's own words and lines are in."""
        return [name for name in self.elements if name not in ("code", "br")]

    def found(self) -> list[tuple[str, str]]:
        """What filters find in the texts."""
        return [
            (name, text)
            for name, pattern in FILTERS.items()
            for text in self.loose
            if re.search(pattern, text, re.IGNORECASE)
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.page.elements.append(tag)
        self.page.attributes += attrs
        if tag == "br":
            self.page.text += "\n"
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()
        else:
            self.page.unclosed.append(tag)

    def handle_data(self, data: str) -> None:
        self.page.text += data
        if _PASSED_OVER.isdisjoint(self._open):
            self.page.loose.append(data)

    def handle_comment(self, data: str) -> None:
        self.page.elements.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        self.page.elements.append(f"<!{decl}")

    def handle_pi(self, data: str) -> None:
        self.page.elements.append(f"<?{data}")

    def unknown_decl(self, data: str) -> None:
        self.page.elements.append(f"<![{data}")

    def close(self) -> None:
        super().close()
        self.page.unclosed += self._open


def html_of(markdown: str) -> str:
    """By GitHub's own library, raw HTML let through as on GitHub, which sanitizes it later."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    return str(cmarkgfm.github_flavored_markdown_to_html(markdown, options))


def page_of(markdown: str) -> Page:
    reader = _Reader()
    reader.feed(html_of(markdown))
    reader.close()
    return reader.page
