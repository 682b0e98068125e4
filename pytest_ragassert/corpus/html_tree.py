"""Parses HTML with Beautiful Soup, in time that grows linearly with the size of the page."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

from bs4 import BeautifulSoup, ParserRejectedMarkup
from bs4.element import CData, NavigableString, PreformattedString, Tag

from ..language.words.language import word_set
from ..storage.files.encodings import decoded

# What is not part of a page's text, or not visible.
_DROPPED = word_set(
    "script style nav aside form template noscript svg math iframe object embed canvas audio video"
    " title button select textarea input datalist dialog rp rt map area frameset"
)
# Of the page itself; those of an article belong to its text.
_OF_PAGE = frozenset({"header", "footer"})
_ARTICLES = frozenset({"article", "main", "section"})
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:^|;)\s*(?:font-size|opacity)\s*:"
    r"\s*0(?![.\d])",
    re.IGNORECASE,
)
_OPENING = re.compile(r"<[A-Za-z/!?]")

# An encoding other than Unicode that a page states, as browsers know them.
_CHARSET = re.compile(
    rb"<meta[^>]{1,300}?charset\s*=\s*[\"']?\s*(iso-8859-\d{1,2}|latin-?1|us-ascii|windows-125\d"
    rb"|koi8-[ru]|gb(?:k|2312|18030)|big5|shift_jis|euc-(?:jp|kr))\b",
    re.IGNORECASE,
)
# As in browsers, Latin-1 is the larger encoding of Windows.
_LATIN = frozenset({"iso-8859-1", "latin1", "latin-1", "us-ascii"})
_HEAD = 4096  # bytes
# The parser needs about 1.5 kB of memory for a tag, and half as much for an attribute.
_MOST_TAGS, _MOST_ATTRIBUTES = 300_000, 300_000
_BETWEEN_ATTRIBUTES = re.compile(r"[\s/\"'][^\s/\"'=]")

Event = tuple[str, Tag, str]  # "enter" and "leave" a tag; "text" in a tag


def decoded_page(raw: bytes) -> str:
    """Decode UTF-8, UTF-16, or the encoding that the page states.

    Raises:
        ValueError: it has another encoding, or is damaged.
    """
    try:
        return decoded(raw)
    except ValueError:
        stated = _CHARSET.search(raw, 0, _HEAD)
        if stated is None:
            raise
        encoding = stated[1].decode().lower()
        try:
            return raw.decode("windows-1252" if encoding in _LATIN else encoding)
        except (LookupError, ValueError):
            raise ValueError(f"not {encoding}, the encoding that it states") from None


def parsed(source: str) -> BeautifulSoup:
    """The tree of a page.

    Raises:
        ValueError: the parser rejects it, or it would need too much memory.
    """
    source = _closed(source)
    _check_tags(source)
    with warnings.catch_warnings():
        # it suspects a URL or a path in short texts
        warnings.simplefilter("ignore")
        try:
            return BeautifulSoup(source, "html.parser")
        except ParserRejectedMarkup:
            raise ValueError("damaged HTML: a declaration can't be parsed") from None


def _closed(source: str) -> str:
    """Return a page without what is open at its end, which browsers ignore as well.

    Python's parser looks for the end of each of many open comments, up to the end of the page.
    """
    for begin, end in (("<!--", "-->"), ("<![", "]>")):
        last = source.rfind(end) + 1
        open_at = source.find(begin, last)
        source = source if open_at < 0 else source[:open_at]
    last = source.rfind(">") + 1
    open_tag = _OPENING.search(source, last)
    return source[: open_tag.start()] if open_tag else source


def _check_tags(source: str) -> None:
    if source.count("<") > _MOST_TAGS:
        raise ValueError(f"more than {_MOST_TAGS:,} tags")
    for tag in source.split(">"):
        if len(tag) > _MOST_ATTRIBUTES:
            begins = tag.rfind("<")
            attributes = (
                sum(1 for _ in _BETWEEN_ATTRIBUTES.finditer(tag, begins)) if begins >= 0 else 0
            )
            if attributes > _MOST_ATTRIBUTES:
                raise ValueError(f"a tag with more than {_MOST_ATTRIBUTES:,} attributes")


def title_of_page(page: BeautifulSoup) -> str | None:
    title = page.find("title")
    text = title.get_text() if isinstance(title, Tag) else ""
    return " ".join(text.split()) or None


def visible_events(page: BeautifulSoup) -> Iterator[Event]:
    """Yield what is visible of a page, in order, without recursion."""
    articles = 0
    opened: list[tuple[Tag, Iterator[object]]] = [(page, iter(page.contents))]
    while opened:
        tag, inside = opened[-1]
        child = next(inside, None)
        if child is None:
            opened.pop()
            articles -= tag.name in _ARTICLES
            yield "leave", tag, ""
        elif isinstance(child, Tag):
            if not _is_visible(child, articles):
                continue
            articles += child.name in _ARTICLES
            yield "enter", child, ""
            opened.append((child, iter(child.contents)))
        elif isinstance(child, NavigableString) and (
            not isinstance(child, PreformattedString) or isinstance(child, CData)
        ):
            yield "text", tag, str(child)


def _is_visible(tag: Tag, articles: int) -> bool:
    if tag.name in _DROPPED or (tag.name in _OF_PAGE and not articles):
        return False
    if not tag.attrs:
        return True
    if tag.has_attr("hidden") or str(tag.get("aria-hidden", "")).lower() == "true":
        return False
    style = tag.get("style")
    return not (isinstance(style, str) and _HIDING.search(style))
