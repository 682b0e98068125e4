"""The contents of files that a run or a command writes, which every release can read."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

Made = TypeVar("Made", bound="FileRecord")


class Record(BaseModel):
    """A part of such a file's content."""

    # What a later release adds, an earlier one passes over. A run uses few of the records that it
    # imports: each is built when it is first used.
    model_config = ConfigDict(extra="ignore", defer_build=True)


class FileRecord(Record):
    """A whole file, or one line of it."""

    @classmethod
    def model_validate_json(
        cls: type[Made], json_data: str | bytes | bytearray, **options: Any
    ) -> Made:
        """Return the content.

        Raises:
            ValueError: it is not JSON, or does not match the schema.
        """
        # pydantic's own parser rejects lone surrogates
        return cls.model_validate(json.loads(json_data), **options)
