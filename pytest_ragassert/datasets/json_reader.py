"""JSON: a list of objects, or one object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from ..storage.files.committed_text import json_value
from ..storage.files.plain_files import text_of
from .case_reader import FileRow


class JsonReader:
    suffixes = (".json",)

    def accepts(self, head: bytes) -> bool:
        """Yes: it is tried last, and says of other files what is wrong with them."""
        return True

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        value = json_value(text_of(file.read()))
        for number, content in enumerate(value if isinstance(value, list) else [value], start=1):
            yield FileRow(number, f"case {number}", content)
