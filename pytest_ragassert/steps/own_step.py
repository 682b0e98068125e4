"""A judge step that a project defines for a metric of its own."""

from __future__ import annotations

import json
import re
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from ..errors import ConfigurationError
from ..language.escaping import is_blank, shortened
from ..runtime.canonical_json import Json, canonical_json, digest
from .catalogue import STEPS
from .replies.schema import VoidReply
from .reply_schema import WrongSchema, fitted, is_model, schema_of, sent_part
from .single_text import WholeStep

if TYPE_CHECKING:
    from pydantic import BaseModel

    Model = TypeVar("Model", bound=BaseModel)

Reply = TypeVar("Reply")

_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,63}")
# Names in stored rows and committed lines of entries that are not questions to a judge.
_TAKEN = frozenset(("embed_text", "override"))
_AGAIN = "previous_reply"  # the additional field of a message that is asked again
_ABOUT = ("answer", "question")
_LONGEST_ABOUT = 300  # maximum characters


class Step(WholeStep, Generic[Reply]):
    """A question that your own metric asks a judge: `await ask(step, input)`.

    The judge gets the instructions, and the input as one JSON object. Its reply must have the shape
    of `schema`. An invalid reply is requested again once; if the second one is invalid too, the
    result is a `JudgeError`. Replies are stored, counted against budgets and replayed like those of
    the built-in steps. Each combination of name, version, instructions, schema and input has its
    own key. ::

        class Tone(BaseModel):
            reason: str
            tone: Literal["polite", "rude"]

        TONE = Step("rate_tone", "You rate how polite an answer is. ...", Tone)

    Args:
        name: at most 64 ASCII letters, digits and `_`, starting with a letter or `_`. The names of
            built-in steps are not allowed.
        instructions: the instructions for the judge, including the JSON object that it must reply.
        schema: a pydantic model class, of which the metric gets instances, or the JSON schema of an
            object, for which the metric gets dicts. Limits such as `minimum` and `maxLength` are
            checked when a reply is read. They are not sent to the judge.
        version: a whole number from 1. A new version asks everything again.

    Raises:
        ConfigurationError: an argument is invalid. The message names the step.
    """

    takes = ()

    if TYPE_CHECKING:

        @overload
        def __init__(
            self: Step[Model],
            name: str,
            instructions: str,
            schema: type[Model],
            version: int = 1,
        ) -> None: ...
        @overload
        def __init__(
            self: Step[dict[str, Any]],
            name: str,
            instructions: str,
            schema: dict[str, Any],
            version: int = 1,
        ) -> None: ...

    def __init__(self, name: str, instructions: str, schema: Any, version: int = 1) -> None:
        called = f"the step {name!r:.80}"
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            raise ConfigurationError(
                f"{called}: name must be a word of at most 64 ASCII letters, digits and _ that "
                "starts with a letter or _"
            )
        if not isinstance(instructions, str) or is_blank(instructions):
            raise ConfigurationError(
                f"{called}: instructions must be a text, not {instructions!r:.60}"
            )
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise ConfigurationError(
                f"{called}: version must be a whole number from 1, not {version!r:.60}"
            )
        try:
            checked = schema_of(schema)
        except WrongSchema as error:
            raise ConfigurationError(f"{called}: {error}") from None
        if not is_step_name(name) or name in STEPS:
            raise ConfigurationError(f"{called}: the name belongs to a step of pytest-ragassert")
        # frozen, as all steps are
        self.__dict__.update(
            name=name,
            version=version,
            instructions=instructions,
            schema=checked,
            former=(),
            _model=schema if is_model(schema) else None,
        )

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of version, instructions and schema, in hexadecimal."""
        made_of = {"instructions": self.instructions, "schema": self.schema}
        return digest({**made_of, "version": self.version})

    @cached_property
    def sent_schema(self) -> Json:
        return cast("Json", sent_part(self.schema))

    def instructed(self, paragraph: str) -> Step[Reply]:
        more = copy(self)
        more.__dict__.update(
            instructions=f"{self.instructions}\n\n{paragraph}", fingerprint=self.fingerprint
        )
        return more

    def input_of(self, given: Any) -> Json:
        """Return what a metric asks as JSON data.

        Raises:
            TypeError: it is not a JSON object, or uses a reserved name.
        """
        try:
            text = json.dumps(given, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"the input of the step {self.name} is not JSON: {error}") from None
        input = json.loads(text)
        if not isinstance(input, dict) or not input:
            raise TypeError(
                f"the input of the step {self.name} must be a dict for the judge, not {given!r:.60}"
            )
        if _AGAIN in input:
            raise TypeError(
                f"the input of the step {self.name} has {_AGAIN!r}, which is where the judge sees "
                "what was wrong with its reply; choose another name"
            )
        return input

    def value_of(self, reply: Json) -> Reply:
        """Return a reply in its normal form as the value that the metric receives."""
        model: type[BaseModel] | None = self.__dict__["_model"]
        if model is None:
            # a separate copy: others have the same reply
            return cast("Reply", json.loads(canonical_json(reply)))
        return cast("Reply", model.model_validate_json(canonical_json(reply), strict=True))

    def messages(self, input: Json, budget: int) -> list[Json]:
        return [input]

    def reply_of(self, message: Json, value: Any) -> Json:
        from pydantic import ValidationError

        reply: Json = fitted(value, self.schema)
        try:
            self.value_of(reply)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "the reply"
            raise VoidReply(f"{place}: {first['msg']}") from None
        return reply

    def about(self, input: Json) -> str:
        return about_input(input)


def about_input(input: Json) -> str:
    """Return what an input is about, for people: its answer or question, or the beginning of it
    all.
    """
    texts = [input[name] for name in _ABOUT if isinstance(input.get(name), str)]
    whole = json.dumps(input, ensure_ascii=False, sort_keys=True)
    return texts[0] if texts else shortened(whole, _LONGEST_ABOUT)


def is_step_name(name: str) -> bool:
    """Whether a step may have this name, as the package's steps do."""
    return _NAME.fullmatch(name) is not None and name not in _TAKEN
