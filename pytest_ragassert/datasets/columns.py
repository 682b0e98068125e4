"""Maps the columns of a source to the fields of a case."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from ..case import CASE_NAMES, EvalCase
from ..interop.case_fields import case_fields
from ..interop.vocabularies import ALIASES
from ..language.escaping import escaped
from ..language.suggestions import did_you_mean, shown_value
from ..runtime import environment
from . import yaml_scalars
from .cells import value_of

# Returns the advice on how to read a column with an unknown name.
WayOut = Callable[[str], str]
_TARGETS = CASE_NAMES - {"context", "results"}


class Columns:
    """Reads records as fields of cases.

    Args:
        fields: the field of each column whose name is not a field's, by column; `metadata` keeps a
            column there, under its name. The project's ini setting is added to it.

    Raises:
        TypeError: it is not a dict of texts.
        ValueError: a field does not exist.
    """

    def __init__(self, fields: Mapping[str, str] | None = None) -> None:
        if fields is not None and not isinstance(fields, Mapping):
            raise TypeError(
                f"fields must be a dict of fields by column, not {type(fields).__name__}"
            )
        own = dict(fields or {})
        self.mapped = {**_project_fields(), **own}
        for column, field in self.mapped.items():
            _check_target(column, field)
        self._not_found = set(own)
        self._seen: dict[str, None] = {}
        self._last: tuple[Any, ...] = ()
        # the field of each column that had a value
        self.fields: dict[str, str] = {}

    def of_fields(self) -> set[str]:
        """The mapped columns that become fields and are not only kept in metadata."""
        return {column for column, field in self.mapped.items() if field != "metadata"}

    def fields_of(
        self,
        record: Mapping[Any, Any],
        *,
        is_table: bool,
        is_yaml: bool,
        keeps_unknown: bool,
        tool: str | None,
        note: Callable[[str], None],
    ) -> dict[str, Any]:
        """The arguments for the constructor of a case; null and empty values are left out.

        Args:
            is_table, is_yaml: as in the record's row.
            keeps_unknown: whether other columns go into metadata.
            tool: the tool that wrote the record, if given or found.
            note: called with a message about anything unusual in a value.

        Raises:
            ValueError: two columns are the same field, a cell can't be read, or the record was not
                written by the tool.
        """
        keys = tuple(record)
        # the rows of a file have the same columns
        if keys != self._last:
            self._see(keys)

        def converted(target: str, cell: Any, separator: str | None) -> Any:
            return value_of(ALIASES.get(target, target), cell, separator, note)

        fields = case_fields(
            record,
            CASE_NAMES,
            renamed=self.mapped,
            tool=tool,
            keeps_unknown=keeps_unknown,
            convert=converted if is_table else None,
            on_field=self._note_field,
        )
        if is_yaml:
            return {
                name: yaml_scalars.field_value(ALIASES.get(name, name), value)
                for name, value in fields.items()
            }
        return fields

    def _see(self, keys: tuple[Any, ...]) -> None:
        self._last = keys
        for column in map(str, keys):
            self._not_found.discard(column)
            if len(self._seen) < _MOST_SEEN:
                self._seen[column] = None

    def _note_field(self, column: str, target: str) -> None:
        if column in self.fields:
            return
        # a field inside a column
        self._not_found.discard(column)
        if len(self.fields) < _MOST_SEEN:
            self.fields[column] = ALIASES.get(target, target)

    def not_found(self) -> str | None:
        """The message about a column that `fields` names and no record had; None if all were there.

        Sources without records are ignored.
        """
        if not self._not_found or not self._seen:
            return None
        column = sorted(self._not_found)[0]
        meant = did_you_mean(column, self._seen)
        has = ", ".join(map(shown_value, list(self._seen)[:_MOST_NAMED]))
        return f"fields: there is no column {column!r:.60}{meant}; there are {has}"


_MOST_SEEN, _MOST_NAMED = 1000, 30
_LONGEST_SHOWN = 60  # characters of a column's name


def _project_fields() -> Mapping[str, str]:
    """The project's ini setting, while its tests run."""
    return getattr(environment.runs[-1], "case_fields", {}) if environment.runs else {}


def way_out(column: str) -> str:
    """Advice on how to read a column whose name is not a field's."""
    name = escaped(json.dumps(column[:_LONGEST_SHOWN], ensure_ascii=False))
    return (
        f'fields={{{name}: "question"}} reads this column as the question. fields={{{name}: '
        '"metadata"} keeps it in the metadata. format="ragas", or the name of another tool that '
        "wrote the file, keeps all unknown columns there"
    )


def advice_for_command(column: str) -> str:
    """The same advice with the options of the command `cases`."""
    name = shlex.quote(column[:_LONGEST_SHOWN])
    return (
        f"--field {escaped(name)}=question reads this column as the question. --field "
        f"{escaped(name)}=metadata keeps it in the metadata. --format ragas, or the name of "
        "another tool that wrote the file, keeps all unknown columns there"
    )


def _check_target(column: Any, field: Any) -> None:
    if not isinstance(column, str) or not isinstance(field, str):
        raise TypeError(
            f"fields must be a dict of fields by column, both texts, not {column!r:.60}: "
            f"{field!r:.60}"
        )
    if field not in _TARGETS:
        meant = did_you_mean(field, _TARGETS)
        raise ValueError(
            f"fields: {field!r:.60}, for the column {column!r:.60}, is not a field{meant}; known "
            f"are {', '.join(EvalCase.model_fields)}"
        )
