"""Records of files that a run or a command writes, to be read back by any release."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

Made = TypeVar("Made", bound="FileRecord")


class Record(BaseModel):
    """What stands in such a file."""

    # What a later release adds, an earlier one passes over. A run uses few of the records that it
    # imports: each is built when it is first used.
    model_config = ConfigDict(extra="ignore", defer_build=True)


class FileRecord(Record):
    """A whole file, or a line of one."""

    @classmethod
    def model_validate_json(
        cls: type[Made], json_data: str | bytes | bytearray, **options: Any
    ) -> Made:
        """The content.

        Raises:
            ValueError: it is not JSON, or not of this schema.
        """
        # pydantic's own parser takes no lone surrogates
        return cls.model_validate(json.loads(json_data), **options)
