"""The rows that store the answers to the judgements of a question, together with what was asked."""

from __future__ import annotations

from collections.abc import Mapping

from ..runtime.canonical_json import Json, canonical_json
from ..steps.evidence.claim_ids import claim_id
from ..steps.evidence.passage_hashes import whole_hash
from .answers import Answer
from .keys import FORMAT, PASSAGE_SUFFIX, Question, question_key

_PASSAGE = "passage"  # instead of a step


def rows_of(
    question: Question, answers: Mapping[str, Answer], *, names_passages: bool = True
) -> list[tuple[str, str]]:
    """Yield key and text of each row; what must not be lost comes first.

    A judgement names passages by hash. Their texts are separate rows, which judgements share.

    Args:
        question: the whole question, or narrowed to these judgements.
        answers: by the keys of its judgements; its other judgements are ignored.
        names_passages: whether answers name the passages by hash.
    """
    asked = {one.key: one for one in question.judgements if one.key in answers}
    passages = question.step.passages(question.input)
    texts = list(passages.values())
    return [
        *(
            (key, answers[key].to_text(one, names_passages=names_passages))
            for key, one in asked.items()
        ),
        *((question_key(key), _question_text(one, texts)) for key, one in asked.items()),
        *((passage_key(text), _passage_text(text)) for text in passages.values()),
    ]


def passage_key(text: str) -> str:
    """Return the key of the row that contains a passage."""
    return f"{whole_hash(text)}{PASSAGE_SUFFIX}"


def _question_text(judgement: Question, passages: list[str]) -> str:
    """Return the stored form of a question for one judgement, which can also be found by its claim
    without reading all of it.
    """
    claim = judgement.input.get("claim")
    found_by = {} if claim is None else {"id": claim_id(claim, passages), "asked": judgement.asked}
    return judgement.to_text(**found_by)


def _passage_text(text: str) -> str:
    return canonical_json({"format": FORMAT, "step": _PASSAGE, "text": text})


def is_passage(key: str, record: Json) -> bool:
    """Whether a record is that of the passage whose SHA-256 is the key."""
    text = record.get("text")
    sound = record.get("step") == _PASSAGE and isinstance(text, str)
    return sound and whole_hash(str(text)) == key
