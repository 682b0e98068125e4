"""Builds values from the events of a YAML parser, within bounds.

PyYAML's own constructors keep the last of two equal keys, and expand aliases of aliases without a
limit. Here only the parser is PyYAML's, and a tag is only the name of a type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import yaml

from ..language.suggestions import shown_value
from .yaml_scalars import plain_scalar

Event: TypeAlias = Any  # PyYAML has no types

MOST_DEPTH = 100
# Limits of what aliases may expand to: a number of bytes, or a multiple of what is written.
_ALWAYS, _TIMES = 64 * 2**20, 100
_NODE = 64  # bytes that a value takes besides its text
_CORE = "tag:yaml.org,2002:"
_TEXTS = frozenset({"!", f"{_CORE}str"})
_PLAIN = frozenset(f"{_CORE}{name}" for name in ("null", "bool", "int", "float"))


class Mapping(dict[str, Any]):
    """A mapping, with the line on which it begins."""

    line = 0


class _Anchored(NamedTuple):
    value: Any
    weight: int


class Nodes:
    """Builds the values of one file.

    Args:
        events: the parser's events; building a node consumes its events.
        size: the size of the file.

    Attributes:
        mistake: the first error of a value that could not be built and was left out; whoever
            reports it sets it to None.
    """

    def __init__(self, events: Iterator[Event], size: int) -> None:
        self._events = events
        self._limit = max(_ALWAYS, _TIMES * size)
        self._weight = 0
        # None: the anchor's node is not complete yet
        self._anchors: dict[str, _Anchored | None] = {}
        self.mistake: ValueError | None = None

    def forget_anchors(self) -> None:
        """Begin another document, which can't refer to the previous one."""
        self._anchors.clear()

    def value(self, event: Event, depth: int = 1) -> Any:
        """Build the value of the node that begins with an event.

        Raises:
            ValueError: nothing can be read from here on.
        """
        if isinstance(event, yaml.AliasEvent):
            return self._aliased(event)
        if depth > MOST_DEPTH:
            raise ValueError(f"line {line_of(event)} nests deeper than {MOST_DEPTH} levels")
        before = self._weight
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._weigh(_NODE, event)
        value: Any
        if isinstance(event, yaml.ScalarEvent):
            self._weigh(len(event.value), event)
            value = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._check_tag(event, "seq")
            value = [self.value(item, depth + 1) for item in self.items()]
        else:
            self._check_tag(event, "map")
            value = self._mapping(event, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, self._weight - before)
        return value

    def items(self) -> Iterator[Event]:
        """The first event of each item, up to the end of the current list or mapping."""
        for event in self._events:
            if isinstance(event, yaml.CollectionEndEvent):
                return
            yield event

    def _mapping(self, begin: Event, depth: int) -> Mapping:
        mapping = Mapping()
        mapping.line = line_of(begin)
        for event in self.items():
            key = self._key(event, depth)
            value = self.value(next(self._events), depth + 1)
            if key in mapping:
                self._note(event, f"the key {shown_value(key)} occurs twice in one mapping")
            mapping[key] = value
        merged = mapping.pop("<<", [])
        for one in merged if isinstance(merged, list) else [merged]:
            if not isinstance(one, Mapping):
                self._note(begin, "<< takes a mapping, or a list of them")
                break
            for key, value in one.items():
                mapping.setdefault(key, value)
        return mapping

    def _key(self, event: Event, depth: int) -> str:
        key = None
        if isinstance(event, yaml.ScalarEvent):
            self.value(event, depth + 1)  # it may have an anchor
            key = event.value
        elif isinstance(event, yaml.AliasEvent):
            key = self._aliased(event)
        if not isinstance(key, str):
            raise ValueError(f"line {line_of(event)} has a key that is not a text")
        return str(key)

    def _aliased(self, event: Event) -> Any:
        name, line = shown_value(event.anchor), line_of(event)
        if event.anchor not in self._anchors:
            raise ValueError(f"line {line}: there is no anchor {name} before its alias")
        anchored = self._anchors[event.anchor]
        if anchored is None:
            raise ValueError(f"line {line}: the anchor {name} has an alias within itself")
        self._weigh(anchored.weight, event)
        return anchored.value

    def _weigh(self, weight: int, event: Event) -> None:
        self._weight += weight
        if self._weight > self._limit:
            raise ValueError(
                f"its aliases expand to more than {self._limit // 2**20} MiB, first in line "
                f"{line_of(event)}, which is too much for a file of its size"
            )

    def _scalar(self, event: Event) -> Any:
        plain = event.implicit[0] or event.tag in _PLAIN
        if not plain and not event.implicit[1] and event.tag not in _TEXTS:
            self._check_tag(event, "str")
            return None
        return plain_scalar(event.value) if plain else event.value

    def _check_tag(self, event: Event, name: str) -> None:
        if event.tag not in (None, "!", f"{_CORE}{name}"):
            tag = shown_value(event.tag.replace(_CORE, "!!"))
            self._note(
                event,
                f"the tag {tag} is not supported: cases are texts, numbers, lists and mappings",
            )

    def _note(self, event: Event, mistake: str) -> None:
        if self.mistake is None:
            self.mistake = ValueError(f"{mistake} (line {line_of(event)})")


def line_of(event: Event) -> int:
    """The line on which a node begins, from 1."""
    line: int = event.start_mark.line + 1
    return line
