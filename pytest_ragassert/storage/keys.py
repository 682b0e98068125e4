"""A question to a judge and its judgements, the keys under which answers are stored, and the format
of stored texts.
"""

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

# The present format. In format 2, the answer to a whole question about claims or passages was
# stored instead of each judgement, and a record said less about its subject.
FORMAT = 3
FORMATS = (2, FORMAT)  # formats that are read
QUESTION_SUFFIX = ".question"  # suffix of the key of a row that contains a question
PASSAGE_SUFFIX = ".passage"  # suffix of the key, a text's SHA-256, of a row that contains a passage
PART = "a part of a question"  # the subject of one that has a message instead of an input


@dataclass(frozen=True)
class Question:
    """What is asked, of which judge, with which settings: everything that an answer depends on.

    Attributes:
        input: the step's input, before any packing or asking again.
        judge_id: kind and base URL, or the id configured instead.
        sampling: temperature, top_p, seed and max_tokens as configured.
        sample: number of the sample, from 0.
        of_part: it asks a part of another question, whose message is `input`.
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
        """The SHA-256 in hexadecimal, which does not depend on API key, timeouts, worker and
        time.
        """
        return self._way.key_of(canonical_json(self.input))

    def key_with(self, fingerprint: str) -> str:
        """Return the key that the question had when its step had that fingerprint."""
        return digest({**self._how(fingerprint), "input": self.input})

    @property
    def asked(self) -> str:
        """How it is asked: SHA-256 of everything that makes up the key except the input. Judgements
        on one claim can be compared if this is the same.
        """
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
        """What it asks for, in order: smaller questions of the same step, each with its own answer
        and key. The same one may come twice.
        """
        # one that contained itself would stay in memory until garbage is collected
        return (self,) if self._smaller is None else self._smaller

    @cached_property
    def _smaller(self) -> tuple[Question, ...] | None:
        """Its judgements; None if it is itself its only one."""
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
        """A name for the judgements that it asks for. It is cheaper than its own key, for which all
        of its texts are read once more.
        """
        return self.keys[0] if len(self.keys) == 1 else digest_of_text("".join(self.keys))

    def narrowed(self, keys: Collection[str]) -> Question:
        """Return the question for only the judgements with these keys."""
        input = self.step.narrowed(self.input, self._places(keys))
        return self if input is self.input else self.with_input(input)

    def replies(self, keys: Collection[str], reply: Json) -> dict[str, Json]:
        """Return the reply to the narrowed question as replies to its judgements, by key."""
        places = self._places(keys)
        replies = self.step.judgement_replies(self.input, reply, places)
        return {self.judgements[p].key: one for p, one in zip(places, replies, strict=True)}

    def assembled(self, replies: Mapping[str, Json]) -> Json:
        """Return the replies to all its judgements, by key, as the reply to the whole question."""
        return self.step.assembled(self.input, [replies[one.key] for one in self.judgements])

    def with_input(self, input: Json) -> Question:
        """Return the same question for another input, asked in the same way."""
        # many are created: with `replace` this would take ten times as long
        made = object.__new__(Question)
        made.__dict__.update(self._same, input=input, _same=self._same)
        return made

    @cached_property
    def _same(self) -> dict[str, Any]:
        """What all questions that are asked in the same way have in common."""
        names = ("step", "judge_id", "model", "sampling", "sample", "of_part")
        return {**{name: getattr(self, name) for name in names}, "_way": self._way}

    def _places(self, keys: Collection[str]) -> list[int]:
        """Return where the judgements with these keys come first."""
        first: dict[str, int] = {}
        for place, one in enumerate(self.judgements):
            first.setdefault(one.key, place)
        return [place for key, place in first.items() if key in keys]

    @property
    def passages(self) -> list[str]:
        """The hashes of the passages that it is about or made against, sorted, if it is a
        judgement.
        """
        return self.step.passage_set(self.input)

    # -- its parts ---------------------------------------------------------------------------------

    def part(self, message: Json) -> Question:
        """Return the part of the question that one of several messages asks, with its own key."""
        return replace(self, input={"part": message}, of_part=True)

    @property
    def about(self) -> str:
        """What it is about, for people: the claims or the text, without passages."""
        # a part of a text is a message, which contains sentences instead of the text
        return PART if self.of_part else self.step.about(self.input)

    def to_text(self, **more: Any) -> str:
        """Return the question as it is stored beside its answer, under `question_key`.

        Args:
            more: further fields by which it can be found.
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
    """A way of asking, shared by all judgements of a question, of which there are many.

    Attributes:
        asked: SHA-256.
        before: the text before the input in the text that is hashed to a key.
        behind: the text after the input.
    """

    asked: str
    before: str
    behind: str

    def key_of(self, input: str) -> str:
        """Return the key of the question with that input, given as canonical JSON."""
        return digest_of_text(self.before + input + self.behind)


def _way_of(text: str) -> _Way:
    # in alphabetical order the input is second, after the fingerprint
    first = text.index(",")
    return _Way(digest_of_text(text), f'{text[:first]},"input":', text[first:])


def question_key(key: str) -> str:
    """Return the key of the row that contains the question whose answer has `key`."""
    return f"{key}{QUESTION_SUFFIX}"


def is_answer_key(key: str) -> bool:
    """Whether its row contains an answer or a vector rather than a question or passage."""
    return "." not in key


def now() -> str:
    """Return the time in UTC to the second: `2026-01-31T12:00:00Z`."""
    return time_in_words(Clock.since_1970())


def time_in_words(seconds: float) -> str:
    """Return a time in seconds since 1970 in the form of `now`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def format_of(text: str) -> int | None:
    """Return the format that a stored text declares; None if it has none or is damaged."""
    try:
        record: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    number = record.get("format") if isinstance(record, dict) else None
    return number if type(number) is int and "step" in record else None
