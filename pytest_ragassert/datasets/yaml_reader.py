"""Reads YAML: a list of mappings, a mapping with one such list, or a mapping; several documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from ..case import CASE_NAMES
from ..storage.files.committed_text import has_conflict
from .case_reader import FileRow
from .file_contents import read_whole
from .json_reader import records_in
from .table_text import table_text

if TYPE_CHECKING:
    from .yaml_nodes import Event, Nodes

# The first key of a mapping or of a list's item, after anything a document may begin with.
_FIRST = re.compile(r"""(?:\s*(?:#.*|%.*|---.*)?\n)*\s*(-\s+)?["']?(\w+)["']?:(?:\s|$)""")
_FIRST_OF_A_LIST = re.compile(r"""\w+:\s*\n(?:\s*(?:#.*)?\n)*\s*-\s+["']?(\w+)["']?:(?:\s|$)""")


class YamlReader:
    format = "yaml"
    suffixes = (".yaml", ".yml")

    def accepts(self, head: bytes) -> bool:
        """Whether the first key is a field of cases, or has a list of mappings that begin so."""
        try:
            text = table_text(head, is_whole=False) + "\n"
        except ValueError:
            return False
        first = _FIRST.match(text)
        if first is None:
            return False
        nested = None if first[1] else _FIRST_OF_A_LIST.match(text, first.start(2))
        return first[2] in CASE_NAMES or (nested is not None and nested[1] in CASE_NAMES)

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        text = table_text(read_whole(file))
        for number, (line, content) in enumerate(_contents(text), start=1):
            yield FileRow(number, f"line {line}", content, is_yaml=True)


def _contents(text: str) -> Iterator[tuple[int, Any]]:
    """Each case and its line."""
    # imported here: that takes as long as the rest of this package, and few files are YAML
    import yaml

    from .yaml_nodes import Nodes, line_of

    events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    nodes = Nodes(events, len(text))
    try:
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                nodes.forget_anchors()
            elif isinstance(event, yaml.SequenceStartEvent):
                for item in nodes.items():
                    yield line_of(item), _checked(nodes.value(item), nodes)
            elif isinstance(event, yaml.NodeEvent):
                yield from _records(event, nodes)
    except yaml.YAMLError as error:
        raise ValueError(_message(error, text)) from None


def _records(event: Event, nodes: Nodes) -> Iterator[tuple[int, Any]]:
    """The records of a document that is not a list."""
    from .yaml_nodes import line_of

    value = nodes.value(event)
    if value is None and nodes.mistake is None:
        return  # a document that has only comments
    checked = _checked(value, nodes)
    if isinstance(checked, ValueError):
        yield line_of(event), checked
    else:
        for record in records_in(value):
            # for a merged mapping, the line of the document
            yield getattr(record, "line", line_of(event)), record


def _checked(value: Any, nodes: Nodes) -> Any:
    """The value, or what is wrong with it."""
    mistake, nodes.mistake = nodes.mistake, None
    if mistake is not None or isinstance(value, dict):
        return mistake or value
    kind = "a list" if isinstance(value, list) else "nothing" if value is None else "a text"
    return ValueError(f"a case must be a mapping, such as 'question: Why?', but this is {kind}")


def _message(error: Any, text: str) -> str:
    """PyYAML's message in one line, with advice."""
    if any(map(has_conflict, text.splitlines())):
        return "git left a conflict here; resolve it and delete its markers"
    if not hasattr(error, "problem"):
        character: int = error.character
        line = text.count("\n", 0, text.find(chr(character))) + 1
        code = f"{character:04x}"
        return f'not YAML: line {line} has U+{code.upper()}; in double quotes it is "\\u{code}"'
    place = error.problem_mark or error.context_mark
    where = f"line {place.line + 1}, column {place.column + 1}"
    begun = error.context_mark
    context = f" {error.context} from line {begun.line + 1} on" if error.context and begun else ""
    return f"not YAML: {error.problem}{context} ({where}){_hint(error.problem)}"


def _hint(problem: str) -> str:
    if "mapping values are not allowed" in problem:
        return '; write a text that has ": " in quotes'
    if "cannot start any token" in problem or "tab" in problem:
        return "; indent lines with spaces, and quote a text that begins with @, % or `"
    return ""
