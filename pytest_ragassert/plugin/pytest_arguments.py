"""Splits a pytest command line into options with their values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..config.options import OPTIONS
from ..runtime.urls import MASK

# Options of pytest that decide a run's files, ini values and plugins; each takes a value.
_OF_PYTEST = {
    "-o": "ini",
    "--override-ini": "ini",
    "-c": "config",
    "--config-file": "config",
    "--rootdir": "rootdir",
    "-p": "plugin",
}
_NEVER_SHOWN = frozenset(option.field for option in OPTIONS if option.never_shown)
_BY_FLAG = {f"--ragassert-{option.name}": option for option in OPTIONS}


class OptionPart(NamedTuple):
    """One option with its value, or any other word.

    Attributes:
        words: the words as written.
        name: the field of an option of this plugin, given as an option or as an ini value; or
            `ini`, `config`, `rootdir` or `plugin`; empty for any other word.
    """

    words: tuple[str, ...]
    name: str = ""
    value: str = ""

    @property
    def shown(self) -> tuple[str, ...]:
        """The words without secrets, for printing."""
        if self.name not in _NEVER_SHOWN or not self.value:
            return self.words
        *before, last = self.words
        return (*before, last[: last.index(self.value)] + MASK)


def parts_of(args: Sequence[object]) -> Iterator[OptionPart]:
    words = list(map(str, args))
    while words:
        word = words.pop(0)
        if word == "--":
            yield from (OptionPart((rest,)) for rest in (word, *words))
            return
        flag, equals, value = word.partition("=")
        option = _BY_FLAG.get(flag)
        short = word[:2] if word[:1] == "-" and word[:2] in _OF_PYTEST else ""
        if short and word != short:
            yield _part((word,), short, word[2:].removeprefix("="))
        elif equals and (option is not None or flag in _OF_PYTEST):
            yield _part((word,), flag, value)
        elif option is not None and option.flags:
            yield OptionPart((word,), option.field, option.flags[0])
        elif option is not None and option.alone is not None and words[:1] and words[0][:1] == "-":
            yield OptionPart((word,), option.field, option.alone)
        elif (option is not None or word in _OF_PYTEST) and words:
            value = words.pop(0)
            yield _part((word, value), word, value)
        else:
            yield OptionPart((word,))


def _part(words: tuple[str, ...], flag: str, value: str) -> OptionPart:
    if flag in _BY_FLAG:
        return OptionPart(words, _BY_FLAG[flag].field, value)
    name = _OF_PYTEST[flag]
    ini, equals, ini_value = value.partition("=")
    field = ini.strip().removeprefix("ragassert_")
    if name == "ini" and equals and field != ini.strip():
        return OptionPart(words, field, ini_value.strip())
    return OptionPart(words, name, value)
