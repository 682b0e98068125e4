"""Untrusted texts as they are shown: nothing acts or hides, and every script stays readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.errors import JudgeError
from pytest_ragassert.language.escaping import escaped_lines, visible

SPELLED = [
    "می\u200cخواهم",  # Persian: the joiner is spelling
    "क्\u200dष and क्\u200cष",  # Hindi
    "ශ්\u200dරී",  # Sinhala
    "ភាសា\u200bខ្មែរ",  # Khmer: where a line may break
    "ภาษา\u200bไทย",
    "👩\u200d👩\u200d👧, 🏳\ufe0f\u200d🌈, 👨🏽\u200d💻, ❤\ufe0f\u200d🔥",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # Scotland's flag
    "שלום, مرحبا, Straße, naïve, 東京, e\u0301",
]
HIDING = [
    ("a\u200bb", "a\\u200bb"),
    ("a\u200cb", "a\\u200cb"),
    ("a\u200db", "a\\u200db"),
    ("\u200bid", "\\u200bid"),
    ("東\u200b京", "東\\u200b京"),
    ("и\u200dд", "и\\u200dд"),
    ("\ufeffid", "\\ufeffid"),
    ("a\u2060b\u2063c", "a\\u2060b\\u2063c"),
    ("a\u3164", "a\\u3164"),
    ("a\u202eb\u2066c\u2069", "a\\u202eb\\u2066c\\u2069"),
    ("x\U000e0041\U000e0042", "x\\U000e0041\\U000e0042"),  # tags that spell AB unseen
    ("\x1b[31m\x07\x9b", "\\x1b[31m\\x07\\x9b"),
    ("\ud83d", "\\ud83d"),
]


@pytest.mark.parametrize("text", SPELLED)
def test_what_a_script_or_an_emoji_needs_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(("text", "shown"), HIDING, ids=ascii)
def test_what_hides_or_acts_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(codec=None)))
def test_two_shown_alike_differ_in_nothing_that_acts(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert visible(shown) == shown
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in shown)
    assert not set(shown) & set(
        "\ufeff\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068"
    )


def test_a_text_of_several_lines_keeps_them() -> None:
    assert escaped_lines("a\n\tb\x1b\r\ud83d") == "a\n\tb\\x1b\\x0d\\ud83d"


@given(st.text(st.characters(codec=None)))
def test_an_error_of_any_text_can_be_printed(text: str) -> None:
    said = JudgeError(text).about(text)
    for shown in (str(said), said.message, *said.args):
        shown.encode("utf-8")
        assert not set(shown) & set("\x00\x07\x1b\r\x9b\u202e")
