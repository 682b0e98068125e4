"""Reading in one language, in few words: for the tests of each language's words."""

from __future__ import annotations

from hypothesis import strategies as st

from pytest_ragassert.language.words.languages import language_table
from pytest_ragassert.language.words.numbers import Number
from pytest_ragassert.language.words.reader import Words, read_words

any_text = st.text(st.characters(codec=None), max_size=200)


def wordy(pieces: str, *, joint: str = " ") -> st.SearchStrategy[str]:
    """Texts of these pieces and of the marks that stand between sentences."""
    marks = ["\n"] if joint else [" ", "\n"]
    return st.lists(st.sampled_from([*pieces.split(), *marks]), max_size=25).map(joint.join)


class Language:
    """A language by its ISO 639-1 code."""

    def __init__(self, code: str) -> None:
        self._code = code
        self.stem = language_table(code).stem

    def read(self, text: str) -> Words:
        return read_words(text, self._code)

    def stems(self, *words: str) -> set[str]:
        return set(map(self.stem, words))

    def the_number(self, text: str) -> Number:
        numbers = self.read(text).numbers
        assert len(numbers) == 1, numbers
        return numbers[0]


def check_whole(words: Words) -> None:
    """What holds of any text read: each content word is negated or not, and can be found."""
    assert set(words.content) == words.negated | words.plain
    assert words.names <= set(words.content) <= words.available
    assert all(number.text for number in words.numbers)
