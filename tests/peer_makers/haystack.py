"""Haystack: answers, as its `to_dict` gives them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .ferry import ANSWER, CONTEXTS, QUESTION

REQUIREMENTS = ("haystack-ai",)
ENVIRONMENT = {"HAYSTACK_TELEMETRY_ENABLED": "False"}


def _documents() -> list[Any]:
    from haystack import Document

    return [
        Document(content=text, id=f"d{place}", meta={"file_path": "faq.md"}, score=0.5)
        for place, text in enumerate(CONTEXTS)
    ]


def _generated() -> list[Any]:
    os.environ.update(ENVIRONMENT)
    from haystack.dataclasses import GeneratedAnswer

    meta = {"model": "m"}
    return [GeneratedAnswer(data=ANSWER, query=QUESTION, documents=_documents(), meta=meta)]


def _extracted() -> list[Any]:
    os.environ.update(ENVIRONMENT)
    from haystack.dataclasses import ExtractedAnswer

    return [
        ExtractedAnswer(
            query=QUESTION,
            score=0.5,
            data="every 40 minutes",
            document=_documents()[0],
            document_offset=ExtractedAnswer.Span(15, 31),
        )
    ]


def write(folder: Path) -> None:
    """Write its files."""
    for name, made in (("generated", _generated()), ("extracted", _extracted())):
        lines = "".join(json.dumps(one.to_dict()) + "\n" for one in made)
        (folder / f"haystack_{name}.jsonl").write_text(lines)


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    return {
        "haystack_generated.jsonl": [_generated(), [one.to_dict() for one in _generated()]],
        "haystack_extracted.jsonl": [_extracted()],
    }
