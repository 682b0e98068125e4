"""Escapes untrusted text for GitHub's and GitLab's Markdown, so that it is shown literally.

Three things read a comment. First, the Markdown renderer: the text here is inside HTML blocks,
which it ignores, and Markdown characters are written as entities as well. Second, the filters of
the service, which search the text of the rendered page for what they turn into links, pictures and
notifications (such as `MentionFilter` of html-pipeline, or `Banzai` of GitLab); at that point an
entity is the character itself again. All of them skip `<code>`, so a word that one of them might
match is put into `<code>`. This keeps its text unchanged, unlike a zero-width character inside it.
Third, bots that search the source of a comment for lines such as `/close` or `@name`: no line here
begins with a case's text, and an `@` is an entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from ...language.escaping import escaped, shortened, visible
from ...language.number_format import plural
from ...runtime.redaction import redact

# What a filter might match in a word: mentions, issues, merge requests, labels, milestones, epics,
# snippets, commits, tickets with custom prefixes, shortcodes, addresses, mathematics; and Markdown
# characters, for renderers that look for them in HTML.
_FOUND = re.compile(
    r"""[@\#$~^*_`\[\]{}|\\]
    | [%](?=[\w"']) | [!&](?=\d)
    | :[\w+-]+: | :(?=[^\W\d]) | (?<!\d):(?=\d) | // | www\.
    | (?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])
    | [a-z]-\d""",
    re.VERBOSE | re.IGNORECASE,
)
# Adjacent words that a filter might match become one element.
_WORD = re.compile(r"\S+")
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Characters that are written as entities. Names of metrics and tests stay unchanged, so that they
# can be searched in the file, as do the brackets of a test parameter, unless an address follows.
_MARKS = re.compile(
    r"""(?P<parameter>(?<=\w)\[[a-z0-9]+(?:[._-][a-z0-9]+)*\](?![(\[:]))
    | (?<![a-z0-9])_ | _(?![a-z0-9])
    | [^\w\s.,;?!()+='"/:%-]
    | (?<=/)/ | /(?=/)
    | (?<=www)\.""",
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)


def line(text: str) -> str:
    """A text on one line, with runs of spaces collapsed and active characters escaped."""
    return _shown(visible(redact(text)))


def lines(text: str, most: int, spans: Iterable[tuple[int, int]] = ()) -> str:
    """A text with its line breaks.

    Args:
        most: maximum number of characters; a longer text is cut, and the number of omitted
            characters is shown.
        spans: half-open offsets of spans to set in bold.
    """
    hidden = redact(text)
    bold = [False] * min(len(hidden), most)
    if hidden == text:
        for start, end in spans:
            end = min(end, len(bold))
            bold[start:end] = [True] * (end - start)
    parts, at = [], 0
    for is_bold, run in groupby(bold):
        end = at + len(list(run))
        part = "<br>".join(_on_a_line(one) for one in _LINE_END.split(hidden[at:end]))
        parts.append(f"<b>{part}</b>" if is_bold else part)
        at = end
    if len(hidden) > most:
        parts.append(f" <i>… {plural(len(hidden) - most, 'more character')}</i>")
    return "".join(parts)


def _on_a_line(text: str) -> str:
    return _shown(escaped(text.replace("\t", " ").replace("\x1f", " ")))


def cut(text: str, most: int) -> str:
    """Like `line`, with a long text cut."""
    return _shown(shortened(visible(redact(text)), most))


def _shown(text: str) -> str:
    parts: list[str] = []
    at, code = 0, False
    for word in _WORD.finditer(text):
        found = _FOUND.search(word[0]) is not None
        if code and not found:
            parts.append("</code>")
        parts.append(text[at : word.start()])
        if found and not code:
            parts.append("<code>")
        parts.append(_MARKS.sub(_entity, word[0]) if found else _plain(word[0]))
        at, code = word.end(), found
    if code:
        parts.append("</code>")
    return "".join([*parts, text[at:]])


def _plain(word: str) -> str:
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        word = word.replace(character, entity)
    return word


def _entity(mark: re.Match[str]) -> str:
    # letters of other scripts have no special meaning
    if mark["parameter"] or not mark[0].isascii():
        return mark[0]
    return f"&#{ord(mark[0])};"


def whole_code(text: str, most: int) -> str | None:
    """Like `code`, for copying; None if the text is too long or cannot be shown literally."""
    return code(text, most) if len(text) <= most and visible(redact(text)) == text else None


def code(text: str, most: int) -> str:
    """A text on one line as code, with a long text cut."""
    text = shortened(visible(redact(text)), most)
    return f"<code>{_MARKS.sub(_entity, text)}</code>"
