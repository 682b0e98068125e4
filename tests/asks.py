"""An `Ask` that answers from a script: what metrics make of replies, without a judge."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any

from pytest_ragassert import Settings
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.evidence.evidence_check import Passage
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.overrides import Override, Overrides, Use

One = Json | Callable[[Json, str], Json]
Reply = One | Sequence[One]


class ScriptedAsk:
    """Replies by step; notes what was asked.

    Args:
        replies: by step a reply, or what makes one of the input and the model; a list of them where
            each sample has its own.
        votes: samples of each judgement.
        vectors: by text; None: no embedder is configured.
        overrides: verdicts by hand; how they are used stands in `by_hands`.
    """

    def __init__(
        self,
        replies: Mapping[str, Reply] | None = None,
        *,
        models: Sequence[str] = ("m",),
        votes: int = 1,
        vectors: Mapping[str, list[float]] | None = None,
        overrides: Iterable[VerdictLine] = (),
    ) -> None:
        self.overrides = Overrides(overrides)
        self.by_hands: list[Use] = []
        self.settings = Settings(judge="offline")
        self.models = tuple(models)
        self.votes = votes
        self.splits: dict[str, bool] = {}
        self.embedder = None if vectors is None else "scripted"
        self.asked: list[tuple[str, str]] = []
        self.samples: list[tuple[str, str, int]] = []
        self.inputs: list[Json] = []
        self.embedded: list[list[str]] = []
        self._replies, self._vectors = dict(replies or {}), vectors

    async def __call__(
        self, step: Any, input: Json, *, model: str | None = None, sample: int = 0
    ) -> Any:
        name, by = str(step), model or self.models[0]
        self.asked.append((name, by))
        self.samples.append((name, by, sample))
        self.inputs.append(input)
        reply = self._replies[name]
        if isinstance(reply, Sequence):
            reply = reply[sample]
        return reply(input, by) if callable(reply) else reply

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        assert self._vectors is not None, "no embedder"
        self.embedded.append(list(texts))
        return [self._vectors[text] for text in texts]

    def by_hand(self, claim: str, passages: Sequence[Passage]) -> Override | None:
        override, use = self.overrides.of(claim, passages)
        if use is not None:
            self.by_hands.append(use)
        return override

    def criterion_by_hand(self, judgement: Json) -> Override | None:
        override, use = self.overrides.of_criterion(judgement)
        if use is not None:
            self.by_hands.append(use)
        return override

    async def computed(self, work: Callable[[], Any]) -> Any:
        return work()

    async def together(self, works: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
        return [await work for work in works]


def claims_reply(claims: Mapping[str, Sequence[str]]) -> Callable[[Json, str], Json]:
    """For `extract_claims`: the claims of each text, all in its first sentence."""

    def reply(input: Json, model: str) -> Json:
        text = input["text"]
        sentence = {"id": 1, "text": text, "start": 0, "end": len(text)}
        found = [{"sentence": 1, "text": claim} for claim in claims.get(text, ())]
        return {"sentences": [sentence], "claims": found}

    return reply


def verdicts_reply(
    said: Mapping[str, str] | Callable[[str, str], str],
) -> Callable[[Json, str], Json]:
    """For `verify_claims`: a label by claim (and model); quotes are the first passage whole."""

    def reply(input: Json, model: str) -> Json:
        label = said if callable(said) else lambda claim, _: said[claim]
        passage = input["passages"][0]
        return {
            "verdicts": [
                {
                    "id": claim["id"],
                    "reason": None,
                    "evidence": [{"passage": passage["id"], "quote": passage["text"]}],
                    "verdict": label(claim["text"], model),
                    "confidence": None,
                }
                for claim in input["claims"]
            ]
        }

    return reply


def relevance_reply(flags: Mapping[str, Sequence[bool]] | Sequence[bool]) -> Callable[..., Json]:
    """For `judge_passages`: a flag for each passage, by model where several judge."""

    def reply(input: Json, model: str) -> Json:
        own = flags[model] if isinstance(flags, Mapping) else flags
        return {
            "passages": [
                {"id": passage["id"], "reason": f"because {passage['id']}", "relevant": flag}
                for passage, flag in zip(input["passages"], own, strict=True)
            ]
        }

    return reply
