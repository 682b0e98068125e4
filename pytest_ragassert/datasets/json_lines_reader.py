"""Reads JSON Lines: one object on each line."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..storage.files.committed_text import json_value
from ..storage.files.encodings import encoding_of
from ..storage.files.json_lines import lines_of
from .case_reader import FileRow
from .file_contents import LONGEST_LINE, check_json, head_of, read_whole
from .table_text import table_text


class JsonLinesReader:
    format = "jsonl"
    suffixes = (".jsonl", ".json")

    def accepts(self, head: bytes) -> bool:
        """Whether the first line is an object, and another line follows."""
        first, _, rest = head.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
        if not rest.lstrip().startswith(b"{"):
            return False
        try:
            return isinstance(json.loads(first), dict)
        except (ValueError, RecursionError):
            return False

    def read(self, file: BinaryIO) -> Iterator[FileRow]:
        begins, is_plain = file.tell() == 0, True
        if begins:
            check_json(file)
            if encoding_of(head_of(file)) is not None:
                # lines of a decoded copy have no offsets in the file itself
                file, is_plain = io.BytesIO(table_text(read_whole(file)).encode()), False
        for number, offset, raw in lines_of(file, LONGEST_LINE):
            # otherwise every line would be a separate mistake
            if begins and _ARRAY.match(raw):
                raise ValueError(
                    "it is a JSON array, but a JSON Lines file has one object on each line; "
                    "give it a name that ends in .json"
                )
            if begins and raw.removeprefix(codecs.BOM_UTF8).strip() == b"{":
                raise ValueError(
                    "it is a JSON object on several lines, but a JSON Lines file has one object on "
                    "each line; give it a name that ends in .json"
                )
            begins = False
            yield FileRow(number, f"line {number}", _content(raw), offset if is_plain else None)


_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*(?:\{|$)")  # of objects


def _content(raw: bytes) -> Any:
    try:
        # files with byte order marks may have been joined
        return json_value(raw.decode().lstrip("\ufeff").rstrip("\r\n"))
    except ValueError as error:
        if "Extra data" in str(error):
            return ValueError(f"{error}; JSON Lines have one object on each line")
        return error
