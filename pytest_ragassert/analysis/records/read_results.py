"""Reads a results file, and turns its records into rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from ...errors import ConfigurationError
from ...language.number_format import plural
from ...storage.files.committed_text import json_mistake
from ...storage.files.plain_files import read_plain, unreadable
from .result_record import CaseTexts, ResultRecord
from .result_rows import beginnings, plain_claim, unmeasured_row
from .results_file import ResultsFile
from .row_types import MeasuredRow


def read_results(path: Path) -> ResultsFile:
    """Read a results file.

    Raises:
        ConfigurationError: it can't be read as one; the message names the file.
    """
    try:
        return ResultsFile.model_validate_json(read_plain(path))
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(
            f"{path}: not a results file ({_mistake(error)}); a run with "
            "--ragassert-artifacts=DIR writes results_<run>.json there"
        ) from None


def _mistake(error: Exception) -> str:
    """Why a file can't be read as a results file: the first wrong field."""
    if not isinstance(error, ValidationError):
        return json_mistake(error).splitlines()[0]
    first, *more = error.errors(include_url=False, include_input=False)
    place = ".".join(map(str, first["loc"])) or "the whole"
    rest = f", and {plural(len(more), 'more mistake')}" if more else ""
    return f"{place}: {first['msg']}{rest}"


def rows_of(results: ResultsFile) -> list[MeasuredRow]:
    """The records as a run's rows; for what was asked, the file has only the sums."""
    return [_row(record, results.cases) for record in results.results]


def _row(record: ResultRecord, cases: Mapping[str, CaseTexts]) -> MeasuredRow:
    row = unmeasured_row(record.metric, None)
    # the fields that both have, except claims and error
    row.update(cast(MeasuredRow, record.model_dump(mode="python", exclude={"claims", "error"})))
    row["claims"] = [plain_claim(claim, record.metric) for claim in record.claims]
    if record.error is not None:
        error = record.error
        row["error"] = {
            "type": error.type,
            "kind": error.kind,
            "message": error.message,
            "fields": error.fields,
        }
    texts = cases.get(record.texts or "")
    row["answer"] = None if record.truth is None or texts is None else texts.answer
    row["judged"] = bool(record.steps)
    if texts is not None:
        contexts = texts.retrieved_contexts
        row["contexts"] = beginnings(contexts, record.details, passed=record.passed)
    return row
