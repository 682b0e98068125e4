"""Renders the page: the template's HTML with inlined style, script and data; nothing is fetched."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ...analysis.run_record import RunRecord
from ...language.escaping import escaped_lines
from .page_data import in_address, link_of, page_data

if TYPE_CHECKING:
    from jinja2 import Environment

# In this order: each uses definitions from those before it.
_SCRIPTS = ("dom", "cases", "marks", "claims", "changes", "case", "start")
_COMPRESSED_FROM = 50_000  # number of characters of data
_SPLIT = "<!-- texts -->"
_MARKS = ("\u200e", "\u200f", "\u061c")
_PARTS = re.compile(f"([{''.join(_MARKS)}])")


def page_parts(run: RunRecord) -> Iterator[str]:
    """The page in parts, so that the texts of large runs are not all in memory at once."""
    data = page_data(run)
    style, scripts = _resource("page.css"), [_resource(f"script/{name}.js") for name in _SCRIPTS]
    page = (
        _environment()
        .get_template("page.html.jinja")
        .render(
            data.overview,
            style=style,
            scripts=scripts,
            style_hash=_csp_hash(style),
            script_hashes=[_csp_hash(script) for script in scripts],
            index=_data_element("index", data.index),
            split=_SPLIT,
        )
    )
    before, _, after = page.rpartition(_SPLIT)
    yield before
    for number, chunk in enumerate(data.chunks):
        yield _data_element(f"cases-{number}", chunk)
    yield after


@cache
def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(_resource),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    made.filters["case_link"] = link_of
    made.filters["in_address"] = in_address
    return made


def _shown(value: object) -> object:
    """A text of the run, made safe for the page: HTML has no control characters, and a name with
    bidirectional ones could look like another. Direction marks, which Arabic and Hebrew texts need,
    stay: they do not affect other elements.
    """
    if type(value) is not str:
        return value
    return "".join(part if part in _MARKS else escaped_lines(part) for part in _PARTS.split(value))


def _csp_hash(text: str) -> str:
    """The hash by which the page's policy allows an element with exactly this text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _data_element(name: str, data: Any) -> str:
    """An element with data for the script: JSON, compressed if there is much; deterministic
    bytes.
    """
    # ASCII, so that lone surrogates survive and no text can end the element
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    encoding = ""
    if len(text) > _COMPRESSED_FROM:
        packed = gzip.compress(text.encode(), compresslevel=4, mtime=0)
        text, encoding = base64.b64encode(packed).decode(), ' data-encoding="gzip"'
    return f'<script type="application/json" id="data-{name}"{encoding}>{text}</script>\n'
