"""Untrusted text for GitHub's and GitLab's Markdown: shown as it is, and nothing else.

Three things read a comment. The Markdown renderer: what is here stands in blocks of HTML, in which
it looks for nothing, and the characters of Markdown are written as entities besides. Then the
filters of the service, which look through the text of the rendered page for what they turn into
links, pictures and notifications; an entity is the character itself again by then (`MentionFilter`
of html-pipeline and its like, `Banzai` of GitLab). All of them pass over what stands in `<code>`.
So a word in which one of them might find something is put there: its text stays what it is, which a
zero-width character in its midst would change. Last, bots that read the source of a comment for
lines such as `/close` or `@name`: no line here begins with a case's text, and an `@` is an entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from ...language.escaping import escaped, shortened, visible
from ...language.number_format import plural
from ...runtime.redaction import redact

# What a filter might find in a word: mentions, issues, merge requests, labels, milestones, epics,
# snippets, commits, tickets of custom prefixes, shortcodes, addresses, mathematics; marks of
# Markdown too, for renderers that look for them in HTML.
_FOUND = re.compile(
    r"""[@\#$~^*_`\[\]{}|\\]
    | [%](?=[\w"']) | [!&](?=\d)
    | :[\w+-]+: | :(?=[^\W\d]) | (?<!\d):(?=\d) | // | www\.
    | (?<![0-9a-z])[0-9a-f]{7,}(?![0-9a-z])
    | [a-z]-\d""",
    re.VERBOSE | re.IGNORECASE,
)
# Words next to each other that a filter might read become one element.
_WORD = re.compile(r"\S+")
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Marks that are written as entities. Names of metrics and tests stay as they are, so that they are
# found in the file; of brackets those of a parameter, which no address follows.
_MARKS = re.compile(
    r"""(?P<parameter>(?<=\w)\[[a-z0-9]+(?:[._-][a-z0-9]+)*\](?![(\[:]))
    | (?<![a-z0-9])_ | _(?![a-z0-9])
    | [^\w\s.,;?!()+='"/:%-]
    | (?<=/)/ | /(?=/)
    | (?<=www)\.""",
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)


def line(text: str) -> str:
    """A text on one line; space runs are one space, what would act is shown as an escape."""
    return _shown(visible(redact(text)))


def lines(text: str, most: int, spans: Iterable[tuple[int, int]] = ()) -> str:
    """A text with its line ends.

    Args:
        most: characters, beyond which it is cut, and how much is left out is said.
        spans: half-open offsets of what is set in bold.
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
    """As `line`; of a longer text its beginning."""
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
    # letters of other scripts are no marks of anything
    if mark["parameter"] or not mark[0].isascii():
        return mark[0]
    return f"&#{ord(mark[0])};"


def whole_code(text: str, most: int) -> str | None:
    """As `code`, to be copied from; None where it is too long, or can't be shown as it is."""
    return code(text, most) if len(text) <= most and visible(redact(text)) == text else None


def code(text: str, most: int) -> str:
    """A text on one line as code; of a longer text its beginning."""
    text = shortened(visible(redact(text)), most)
    return f"<code>{_MARKS.sub(_entity, text)}</code>"
