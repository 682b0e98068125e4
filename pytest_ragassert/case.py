"""A case of a RAG test, which also accepts the field names of other tools."""

from __future__ import annotations

import copy
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticKnownError

from .case_mistakes import TURN_TAKES, CaseMistakes, wrong_in_turn, wrong_values
from .ground_truth import Claims, ContextIds, checked_claims, checked_criteria, checked_ids, id_text
from .interop.case_fields import case_fields
from .interop.documents import CONTEXT_NAMES, names_after, text_of
from .interop.metadata import add_metadata
from .interop.nesting import TOO_DEEP, is_bounded
from .interop.objects import is_peers, record_of
from .interop.trace_rows import fields_of_trace
from .interop.vocabularies import ALIASES
from .language.escaping import is_blank, shortened, visible
from .language.suggestions import did_you_mean, shown_value
from .results import MetricResult
from .runtime.printable import printable

LONGEST_ID = 80  # characters of an id in messages
# Fields of other tools that `EvalCase` does not have: kept as metadata.
_MEASURED_ELSEWHERE = frozenset({"latency"})


_MOST_UNKNOWN = 50  # unknown names that a message lists
_AMBIGUOUS = {
    "context": "its meaning varies between tools: use retrieved_contexts or ground_truth_contexts"
}


class EvalCase(BaseModel):
    """One test case: a question, the application's answer, and what would be right.

    Every field is optional; each metric says which ones it needs. The constructor also accepts the
    names that ragas (`user_input`, …), DeepEval (`input`, …), axion and llama-index (`query`, …)
    give these fields. Contexts may be documents of LangChain, LlamaIndex or Haystack: the case
    keeps their texts, and their ids and sources unless you pass these yourself. Assigning new
    contexts replaces the ids and sources, except those of texts that were there before.

    Attributes:
        id: identifies the case in test names, reports, baselines and recorded answers. A number
            becomes a text.
        question: what the user asks.
        history: the earlier turns of the conversation, oldest first, each
            `{"role": str, "content": str}` with the role "user" or "assistant".
        answer: what the application answered.
        retrieved_contexts: the texts that the retriever returned, in order of rank. A blank text
            or None keeps its place, is not sent to the judge and counts in no score. `[]` means
            that nothing was retrieved.
        retrieved_context_ids: the ids of what the retriever returned, in order of rank. If there
            are as many ids as contexts, each id belongs to the context at the same position.
        retrieved_context_sources: where each context comes from, such as a file name: one text or
            None for each context. Reports show them, and citation marks can name them.
        ground_truth_answer: the reference answer.
        ground_truth_answers: several reference answers, each correct by itself. Metrics compare
            with each of them, and the best score counts.
        ground_truth_contexts: the texts that the retriever should find.
        ground_truth_context_ids: the ids of the contexts that the retriever should find: a list, or
            a dict of grades by id, in which an id with a grade above 0 is relevant. `1` and `"1"`
            are the same id.
        ground_truth_claims: the facts that the answer must state, each a text or
            `{"text": str, "weight": number}`. They replace the claims that a judge extracts from
            the reference answer. None and an empty list leave the extraction to the judge.
        criteria: statements that must be true of the answer, in your own words: "names the refund
            period", "doesn't promise a date".
        source_units: the parts of the source documents that the case was made from; kept with the
            case, read by no metric.
        persona: who asks, as a text or a dict; kept with the case, read by no metric.
        generation_params: how the case was generated; kept with the case, read by no metric.
        metadata: anything else. `method` and `question_type` (or `type`) group the counts of
            `answer_class`, and `--ragassert-sample-by` reads the key that you name.
        tags: labels by which the HTML report filters cases.
        minimums: the minimum score for this case by metric, each in [0, 1]. It replaces the
            configured minimum; a `min` in the call takes precedence.
        label: a person's judgement of the whole answer. Reports compare the metrics with it.
        results: the latest result of each metric, by its name. Assertions and `evaluate` fill it.

    Raises:
        ValueError: an unknown name, two names for one field, or a value of the wrong type. The
            message names the case and the field.
    """

    model_config = ConfigDict(extra="forbid", validate_assignment=True)

    id: str | None = None
    question: str | None = None
    history: list[dict[str, str]] = Field(default_factory=list)
    answer: str | None = None
    retrieved_contexts: list[str | None] | None = None
    retrieved_context_ids: list[str | None] | None = None
    retrieved_context_sources: list[str | None] | None = None
    ground_truth_answer: str | None = None
    ground_truth_answers: list[str] | None = None
    ground_truth_contexts: list[str | None] | None = None
    ground_truth_context_ids: ContextIds | None = None
    ground_truth_claims: Claims | None = None
    criteria: list[str] | None = None
    source_units: list[Any] | None = None
    persona: dict[str, Any] | str | None = None
    generation_params: dict[str, Any] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    tags: list[str] = Field(default_factory=list)
    minimums: dict[str, float] = Field(default_factory=dict)
    label: Literal["correct", "incorrect"] | None = None
    results: dict[str, MetricResult] = Field(default_factory=dict)

    def __init__(self, **fields: Any) -> None:
        __tracebackhide__ = True
        if not fields.keys() <= _MEANT:
            fields = case_fields(fields, CASE_NAMES)
        named = _own_names(fields)
        for field, names_of in CONTEXT_NAMES.items():
            found = names_of(named.get("retrieved_contexts"))
            if found is not None and named.get(field) is None:
                named[field] = found
        try:
            super().__init__(**named)
        except ValidationError as error:
            raise _mistakes(named, error) from None

    @classmethod
    def of(cls, source: Any) -> EvalCase:
        """Make a case from a dict or an object of another tool; return an `EvalCase` unchanged.

        Accepts the objects of ragas, DeepEval, LangChain, LlamaIndex and Haystack, whole traces of
        MLflow, LangSmith and Langfuse, and any object with fields of `EvalCase`. Values that are
        null or blank are ignored. Other attributes of these tools' objects go into `metadata`; on
        any other object, an unknown field is an error.

        Raises:
            TypeError: the object has no fields.
            ValueError: as in the constructor.
        """
        __tracebackhide__ = True
        if isinstance(source, cls):
            return source
        record = record_of(source)
        if record is None:
            raise TypeError(f"a case must be an EvalCase or a dict, not {type(source).__name__}")
        trace = fields_of_trace(record)
        kept = trace is not None or is_peers(source)
        fields = record if trace is None else trace
        return cls(**case_fields(fields, CASE_NAMES, keeps_unknown=kept))

    @field_validator(
        "retrieved_contexts", "retrieved_context_ids", "retrieved_context_sources", mode="before"
    )
    @classmethod
    def _reject_sets(cls, value: Any) -> Any:
        if isinstance(value, set | frozenset):
            raise ValueError("it is a set, which has no order; give a list in rank order")
        return value

    @field_validator("retrieved_contexts", "ground_truth_contexts", mode="before")
    @classmethod
    def _texts_of_documents(cls, value: Any) -> Any:
        return list(map(text_of, value)) if isinstance(value, list | tuple) else value

    @field_validator("ground_truth_contexts")
    @classmethod
    def _none_if_all_blank(cls, value: list[str | None] | None) -> list[str | None] | None:
        return None if value is None or all(map(is_blank, value)) else value

    @field_validator(
        "question", "answer", "ground_truth_answer", "ground_truth_answers", mode="before"
    )
    @classmethod
    def _reject_bytes(cls, value: Any) -> Any:
        if any(isinstance(v, bytes) for v in (value if isinstance(value, list) else [value])):
            raise ValueError("it is bytes, not text; decode it")
        return value

    @field_validator("history", mode="before")
    @classmethod
    def _check_history(cls, value: Any) -> Any:
        if value is None:
            return []
        if not isinstance(value, list | tuple):
            raise PydanticKnownError("list_type")  # pydantic would accept other iterables
        mistakes = [m for number, turn in enumerate(value, 1) for m in wrong_in_turn(number, turn)]
        if mistakes:
            raise ValueError("; ".join(mistakes))
        return [{key: turn[key] for key in TURN_TAKES} for turn in value]

    @field_validator("metadata", "tags", "minimums", "results", mode="before")
    @classmethod
    def _null_is_default(cls, value: Any, info: ValidationInfo) -> Any:
        if value is None and info.field_name is not None:
            return cls.model_fields[info.field_name].get_default(call_default_factory=True)
        return value

    @field_validator("source_units", "persona", "generation_params", "metadata")
    @classmethod
    def _check_depth(cls, value: Any) -> Any:
        if not is_bounded(value):
            raise ValueError(TOO_DEEP)
        return value

    @field_validator("id", mode="before")
    @classmethod
    def _id_as_text(cls, value: Any) -> Any:
        return id_text(value)

    @field_validator("retrieved_context_ids", mode="before")
    @classmethod
    def _ids_as_texts(cls, value: Any) -> Any:
        return list(map(id_text, value)) if isinstance(value, list | tuple) else value

    @field_validator("ground_truth_context_ids", mode="before")
    @classmethod
    def _check_context_ids(cls, value: Any) -> Any:
        if value is None or isinstance(value, list | tuple | Mapping):
            return None if value is None else checked_ids(value)
        raise PydanticKnownError("list_type")  # trying it as a dict too would give a second error

    @field_validator("ground_truth_claims", mode="before")
    @classmethod
    def _check_claims(cls, value: Any) -> Any:
        return (checked_claims(value) or None) if isinstance(value, list | tuple) else value

    @field_validator("criteria", mode="before")
    @classmethod
    def _check_criteria(cls, value: Any) -> Any:
        return (checked_criteria(value) or None) if isinstance(value, list | tuple) else value

    @field_validator(
        "retrieved_contexts",
        "ground_truth_contexts",
        "ground_truth_answers",
        "ground_truth_claims",
        "criteria",
        mode="before",
    )
    @classmethod
    def _wrap_single_text(cls, value: Any) -> Any:
        # validators run in reverse order: this one, defined last, runs first
        return [value] if isinstance(value, str) else value

    @field_validator("retrieved_context_sources")
    @classmethod
    def _check_sources(
        cls, value: list[str | None] | None, info: ValidationInfo
    ) -> list[str | None] | None:
        contexts = info.data.get("retrieved_contexts")
        if value is not None and contexts is not None and len(value) != len(contexts):
            raise ValueError(
                f"it has {len(value)} sources for {len(contexts)} contexts; give one source, or "
                "None, for each context"
            )
        return value

    @field_validator("minimums", mode="before")
    @classmethod
    def _check_minimums(cls, value: Any) -> Any:
        for name, minimum in value.items() if isinstance(value, dict) else ():
            metric = shortened(visible(str(name)), LONGEST_ID)
            if isinstance(minimum, bool) or not isinstance(minimum, int | float):
                raise ValueError(f"{metric}: {shown_value(minimum)} is not a number")
            if not 0 <= minimum <= 1:
                raise ValueError(f"{metric}: {shown_value(minimum)} is not a number from 0 to 1")
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        field = ALIASES.get(name, name)
        names: dict[str, Any] = {}
        if field == "retrieved_contexts":
            for one, names_of in CONTEXT_NAMES.items():
                names[one] = names_after(getattr(self, one), self.retrieved_contexts, value)
                names[one] = names_of(value) or names[one]
        try:
            super().__setattr__(field, value)
            for one, found in names.items():
                super().__setattr__(one, found)
        except ValidationError as error:
            raise _mistakes({"id": self.id}, error) from None

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        # shown in tracebacks
        for name, value in super().__repr_args__():
            if value and name != "results":
                yield name, value

    def __repr__(self) -> str:
        return printable(super().__repr__())

    @property
    def name(self) -> str:
        """The case's name in messages: its id, or the beginning of its question or answer."""
        for text, most in ((self.id, LONGEST_ID), (self.question, 40), (self.answer, 40)):
            if text is not None and not is_blank(text):
                return shortened(visible(text), most)
        return "without id and question"

    @property
    def references(self) -> list[str]:
        """All reference answers without duplicates, `ground_truth_answer` first."""
        return references_of(self.ground_truth_answer, self.ground_truth_answers)

    def fresh(self) -> EvalCase:
        """Return a copy that shares nothing with this case."""
        return copy.deepcopy(self)


def not_a_case(value: Any) -> str:
    """The error message for a value that should be a case."""
    return (
        f"a case must be an EvalCase, not {type(value).__name__}; load_cases makes cases from a "
        "file, dicts or a DataFrame"
    )


def references_of(alone: str | None, several: Iterable[str] | None) -> list[str]:
    """`ground_truth_answer` and `ground_truth_answers` as one list, as in `EvalCase.references`."""
    texts = [alone, *(several or ())]
    return list(dict.fromkeys(text for text in texts if text is not None))


def as_metadata(fields: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    """Move the fields with these names into `metadata`, whose own entries take precedence."""
    kept = {name: value for name, value in fields.items() if name not in names}
    add_metadata(kept, {name: value for name, value in fields.items() if name in names})
    return kept


def _own_names(arguments: dict[str, Any]) -> dict[str, Any]:
    """Replace aliases by the names of fields.

    Raises:
        CaseMistakes: a name is unknown, or two names mean the same field.
    """
    __tracebackhide__ = True
    fields = as_metadata(arguments, _MEASURED_ELSEWHERE)
    named: dict[str, Any] = {}
    first: dict[str, str] = {}
    unknown, mistakes = [], []
    for name, value in fields.items():
        field = ALIASES.get(name, name)
        if field not in _FIELDS:
            unknown.append(name)
        elif field in named:
            mistakes.append(
                f"{first[field]!r} and {name!r} are two names for the field {field!r}; give one"
            )
        else:
            named[field], first[field] = value, name
    if unknown:
        mistakes.insert(0, _unknown_fields(unknown))
    if mistakes:
        try:
            # report all mistakes at once
            BaseModel.__init__(EvalCase.__new__(EvalCase), **named)
        except ValidationError as error:
            mistakes += wrong_values(error.errors(include_url=False))
        listed = unknown[:_MOST_UNKNOWN]  # comparing a name with all others takes time
        strange = [name for name in listed if not did_you_mean(name, _NAMES)]
        raise CaseMistakes(_called(fields), map(printable, mistakes), strange)
    return named


def _called(fields: dict[str, Any]) -> str:
    called = fields.get("id") or fields.get("question") or fields.get("user_input")
    return printable(shown_value(called)) if called else ""


def _mistakes(fields: dict[str, Any], error: ValidationError) -> CaseMistakes:
    errors = error.errors(include_url=False)
    unknown = [str(one["loc"][0]) for one in errors if one["type"] == "no_such_attribute"]
    mistakes = [_unknown_fields(unknown)] if unknown else wrong_values(errors)
    return CaseMistakes(_called(fields), map(printable, mistakes))


def _unknown_fields(names: Iterable[str]) -> str:
    """One message about all unknown names of a case."""
    shown = []
    whole = False
    names = list(names)
    for name in names[:_MOST_UNKNOWN]:
        if name in _AMBIGUOUS:
            shown.append(f"{name!r} ({_AMBIGUOUS[name]})")
            continue
        meant = did_you_mean(name, _NAMES)
        shown.append(f"{shown_value(name)}{meant}")
        whole = whole or not meant
    if len(names) > _MOST_UNKNOWN:
        shown.append(f"and {len(names) - _MOST_UNKNOWN} more")
    listed = f"unknown field{'s' * (len(shown) > 1)} {', '.join(shown)}"
    return f"{listed}; {KNOWN_FIELDS}" if whole else listed


KNOWN_FIELDS = f"known are {', '.join(EvalCase.model_fields)}; anything else can go into metadata"
_FIELDS = frozenset(EvalCase.model_fields)
# In the order in which they are compared with an unknown name.
_NAMES = (*EvalCase.model_fields, *ALIASES)
# Names with the same meaning in every record.
_MEANT = frozenset({*_FIELDS, *ALIASES, *_MEASURED_ELSEWHERE})
# All names that a record of a case may have; the meaning of `context` depends on the format.
CASE_NAMES = frozenset({*_FIELDS, *ALIASES, *_AMBIGUOUS})
