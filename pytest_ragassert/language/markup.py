"""Removes what a text has only for layout and reference: emphasis, links, tags, citation marks."""

from __future__ import annotations

import re

from .citations import without_citations

MAY_HOLD = re.compile(
    r"[*_`\[(<【（〔［⟦{¹²³⁰⁴-⁹⁽\ue200^①-⑳]|citeturn|(?:ce|le|en|ик|ки|源)s?\s?[:：]"
)
_MARKUP = re.compile(
    r"(?<![0-9A-Za-z])(?P<mark>\*{1,3}|__|`)(?=\S)(?P<marked>[^*_`\n]{1,300})(?P=mark)"
    r"(?![0-9A-Za-z])"
    r"|!?\[(?P<link>[^\]\[\n]{1,200})\]\([^)\s]{1,500}\)"
    r"|</?(?:b|i|u|em|strong|span|p|br|mark|small|sub|sup|code|kbd|a|cite|citation|ref|source)\b"
    r"[^>\n]{0,200}>",
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Return the text without emphasis, link targets, tags and citation marks; code is not
    changed.
    """
    if not MAY_HOLD.search(text):
        return text
    return _MARKUP.sub(lambda m: m["marked"] or m["link"] or "", without_citations(text))
