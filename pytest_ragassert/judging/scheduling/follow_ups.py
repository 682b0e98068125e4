"""What a reply says and does not prove: asked again once, each alone, for the proof."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ...runtime.canonical_json import Json
from ...steps.step import Step
from ...storage.keys import Question
from .conversation import Exchange

# A message to the judge and the reply to it.
Asked = tuple[Json, Json]


async def with_proof(
    question: Question, exchange: Exchange, whole: Json, asked: Sequence[Asked]
) -> Json:
    """The whole reply, with what was proven when asked again in its place.

    What stays unproven stays as it was said.

    Args:
        asked: the messages that the question went out in.

    Raises:
        JudgeError: a reply can't be had. The first ones are kept, and not asked for again.
    """
    step = question.step
    lacking = step.unproven(question.input, whole)
    if not lacking:
        return whole
    if len(asked) == 1:
        # replies to several messages are kept as they come
        await exchange.keep(*asked[0])
    works = [
        exchange.prove(*_alone(step, id, whole, asked), problem) for id, problem in lacking.items()
    ]
    proofs = await asyncio.gather(*works, return_exceptions=True)
    for proof in proofs:
        if isinstance(proof, BaseException):
            raise proof
        if proof is not None:
            whole = step.replaced(whole, proof)
    return whole


def _alone(step: Step, id: int, whole: Json, asked: Sequence[Asked]) -> tuple[Json, Json]:
    """The message that asks of one id alone, of those that it was asked with; and what was said."""
    said = step.said(whole, id)
    message = next(message for message, reply in asked if step.said(reply, id) == said)
    return step.only(message, (id,)), said
