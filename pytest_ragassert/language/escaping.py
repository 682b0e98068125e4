"""Makes untrusted text harmless for terminals by escaping control characters; detects blank
texts.
"""

from __future__ import annotations

import re
import unicodedata

# C0 and C1 controls, line and paragraph separators, bidirectional controls, lone surrogates.
_CONTROLS = (
    "\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff"
)
# Characters without width, which make two texts look alike: operators, fillers, marks, tags.
_HIDDEN = "\u180e\u2060-\u2065\u206a-\u206f\u3164\uffa0\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
# In scripts without spaces, from Thai to Khmer, the zero width space is part of the spelling, and
# so are the joiners from Arabic to the scripts of India; they also join emoji. Elsewhere they hide.
_SPACING = "(?<![\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\uaa7f])"
_EMOJI = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_JOINING = (
    f"(?<![\u0590-\u18af\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff{_EMOJI}])"
)
# The flag of a part of a country, such as Scotland's, is a black flag and tags.
_FLAG = "\U0001f3f4[\U000e0030-\U000e007a]{1,16}\U000e007f"
_ACTING = re.compile(f"{_FLAG}|[{_CONTROLS}{_HIDDEN}]|{_SPACING}\u200b|{_JOINING}[\u200c\u200d]")
_SPACE = re.compile(r"\s+")


def visible(text: str) -> str:
    """Return the text on one line: runs of spaces become one, and active characters are escaped."""
    return escaped(_SPACE.sub(" ", text).strip())


def visible_part(text: str) -> str:
    """Do the same for a part of a text, keeping the space at its ends."""
    return escaped(_SPACE.sub(" ", text))


def escaped(text: str) -> str:
    """Return the text with its spaces, and with active characters escaped."""
    return _ACTING.sub(_escape, text)


def escaped_lines(text: str) -> str:
    """Do the same for a text that may have several lines, and tabs."""
    if text.isascii() and text.isprintable():
        return text
    return "\n".join("\t".join(map(escaped, line.split("\t"))) for line in text.split("\n"))


def shortened(text: str, most: int) -> str:
    """Return the text or, if it is longer than `most` characters, its beginning."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


# Invisible letters, symbols and marks: fillers, the blank Braille pattern, joiners.
_UNSEEN = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u180b\u180c\u180d\ufe0e\ufe0f")


def is_blank(text: str | None) -> bool:
    """Whether it contains only space and invisible characters."""
    if text and text[0].isascii() and text[0].isalnum():
        return False  # most texts, at once
    return text is None or all(
        char.isspace() or char in _UNSEEN or unicodedata.category(char) in ("Cf", "Cc")
        for char in text
    )


def _escape(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) > 1:
        return found
    code = ord(found)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Return the text in a form of the same length that every encoding accepts."""
    return SURROGATE.sub("\ufffd", text)
