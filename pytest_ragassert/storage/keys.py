"""A question to a judge and its judgements, the keys that answers are stored under, and the format
of stored texts."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from ..runtime.canonical_json import Json, canonical_json, digest, digest_of_text
from ..runtime.clock import Clock
from ..steps.step import Step

# Of what is stored now. Format 2 differs in this: the answer to a whole question about claims or
# passages was kept, where now each judgement is, and a record said less of what it is about.
FORMAT = 3
FORMATS = (2, FORMAT)  # that are read
QUESTION_SUFFIX = ".question"  # of the key of a row that holds a question
PASSAGE_SUFFIX = ".passage"  # of the key, a text's SHA-256, of a row that holds a passage
PART = "a part of a question"  # what one is about that has a message in place of an input


@dataclass(frozen=True)
class Question:
    """What is asked, of whom, with which settings: all that an answer depends on.

    Attributes:
        input: the step's input, before any packing or asking again.
        judge_id: kind and base URL, or the id configured in their place.
        sampling: temperature, top_p, seed and max_tokens as configured.
        sample: number of the sample, from 0.
        of_part: it asks a part of another question, whose message `input` holds.
    """

    step: Step
    input: Json = field(hash=False)
    judge_id: str
    model: str
    sampling: dict[str, Any] = field(hash=False)
    sample: int = 0
    of_part: bool = False

    @cached_property
    def key(self) -> str:
        """SHA-256 in hexadecimal. Key, timeouts, worker and time are no part of it."""
        return self._way.key_of(canonical_json(self.input))

    def key_with(self, fingerprint: str) -> str:
        """The key that the question had while its step had that fingerprint."""
        return digest({**self._how(fingerprint), "input": self.input})

    @property
    def asked(self) -> str:
        """How it is asked: SHA-256 of what the key is made of, but the input. Judgements on one
        claim can be compared where this is the same."""
        return self._way.asked

    @cached_property
    def _way(self) -> _Way:
        return _way_of(canonical_json(self._how(self.step.fingerprint)))

    def _how(self, fingerprint: str) -> Json:
        return {
            "step": self.step.name,
            "fingerprint": fingerprint,
            "judge": self.judge_id,
            "model": self.model,
            "sampling": self.sampling,
            "sample": self.sample,
        }

    # -- its judgements ----------------------------------------------------------------------------

    @property
    def judgements(self) -> tuple[Question, ...]:
        """What it asks for, in order: each a smaller question of the same step, with an answer and
        a key of its own. The same one may come twice."""
        # one that held itself would stay in memory until garbage is collected
        return (self,) if self._smaller is None else self._smaller

    @cached_property
    def _smaller(self) -> tuple[Question, ...] | None:
        """Its judgements; None where it is its own one."""
        inputs = self.step.judgement_inputs(self.input)
        if len(inputs) == 1 and inputs[0] is self.input:
            return None
        smaller = tuple(map(self.with_input, inputs))
        texts = self.step.canonical_inputs(self.input, inputs)
        for one, text in zip(smaller, texts, strict=True):
            one.__dict__["key"] = self._way.key_of(text)
        return smaller

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of its judgements, each once."""
        return tuple(dict.fromkeys(one.key for one in self.judgements))

    @cached_property
    def name(self) -> str:
        """Tells which judgements it asks for; cheaper than its own key, for which all its texts are
        read once more."""
        return self.keys[0] if len(self.keys) == 1 else digest_of_text("".join(self.keys))

    def narrowed(self, keys: Collection[str]) -> Question:
        """The question for the judgements of these keys alone."""
        input = self.step.narrowed(self.input, self._places(keys))
        return self if input is self.input else self.with_input(input)

    def replies(self, keys: Collection[str], reply: Json) -> dict[str, Json]:
        """The reply to the narrowed question as replies to its judgements, by key."""
        places = self._places(keys)
        replies = self.step.judgement_replies(self.input, reply, places)
        return {self.judgements[p].key: one for p, one in zip(places, replies, strict=True)}

    def assembled(self, replies: Mapping[str, Json]) -> Json:
        """The replies to all its judgements, by key, as the reply to the whole question."""
        return self.step.assembled(self.input, [replies[one.key] for one in self.judgements])

    def with_input(self, input: Json) -> Question:
        """The same of another input, asked in the same way."""
        # many are made: by `replace` that would take ten times as long
        made = object.__new__(Question)
        made.__dict__.update(self._same, input=input, _same=self._same)
        return made

    @cached_property
    def _same(self) -> dict[str, Any]:
        """What all questions that are asked in the same way have in common."""
        names = ("step", "judge_id", "model", "sampling", "sample", "of_part")
        return {**{name: getattr(self, name) for name in names}, "_way": self._way}

    def _places(self, keys: Collection[str]) -> list[int]:
        """Where the judgements of these keys stand first."""
        first: dict[str, int] = {}
        for place, one in enumerate(self.judgements):
            first.setdefault(one.key, place)
        return [place for key, place in first.items() if key in keys]

    @property
    def passages(self) -> list[str]:
        """The hashes of the passages that it is about or made against, sorted, where it is a
        judgement."""
        return self.step.passage_set(self.input)

    # -- its parts ---------------------------------------------------------------------------------

    def part(self, message: Json) -> Question:
        """The part of the question that one of several messages asks, under a key of its own."""
        return replace(self, input={"part": message}, of_part=True)

    @property
    def about(self) -> str:
        """What it is about, for people: the claims or the text, no passages."""
        # a part of a text is a message, which has its sentences in place of the text
        return PART if self.of_part else self.step.about(self.input)

    def to_text(self, **more: Any) -> str:
        """The question as it is stored beside its answer, under `question_key`.

        Args:
            more: what is to be found by it besides.
        """
        return canonical_json(
            {
                "format": FORMAT,
                "step": self.step.name,
                "version": self.step.version,
                "judge": self.judge_id,
                "model": self.model,
                "sampling": self.sampling,
                "sample": self.sample,
                "input": self.input,
                **more,
            }
        )


class _Way(NamedTuple):
    """A way of asking, which all judgements of a question have in common; they are many.

    Attributes:
        asked: SHA-256.
        before, behind: what stands around the input in the text that a key is the hash of.
    """

    asked: str
    before: str
    behind: str

    def key_of(self, input: str) -> str:
        """The key of the question with that input, as canonical JSON."""
        return digest_of_text(self.before + input + self.behind)


def _way_of(text: str) -> _Way:
    # in the order of the alphabet the input comes second, behind the fingerprint
    first = text.index(",")
    return _Way(digest_of_text(text), f'{text[:first]},"input":', text[first:])


def question_key(key: str) -> str:
    """The key of the row that holds the question whose answer has `key`."""
    return f"{key}{QUESTION_SUFFIX}"


def is_answer_key(key: str) -> bool:
    """Whether its row holds an answer or a vector, and no question or passage."""
    return "." not in key


def now() -> str:
    """UTC to the second: `2026-01-31T12:00:00Z`."""
    return time_in_words(Clock.since_1970())


def time_in_words(seconds: float) -> str:
    """A time in seconds since 1970, as `now` gives it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def format_of(text: str) -> int | None:
    """The format that a stored text says it has; None where it is none of ours, or damaged."""
    try:
        record: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    number = record.get("format") if isinstance(record, dict) else None
    return number if type(number) is int and "step" in record else None
