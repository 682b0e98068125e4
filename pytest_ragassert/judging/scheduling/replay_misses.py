"""Describes a judgement that a replay lacks, and where it may be known."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...config.settings import Settings
from ...errors import VerdictMissing
from ...steps.evidence.passage_hashes import text_hash
from ...storage.committed.verdict_line import parts_of_judge_name
from ...storage.keys import Question

if TYPE_CHECKING:
    from ...storage.committed.committed_verdicts import CommittedVerdicts

_RECORD = "--ragassert-record-mode=new_episodes"
_UPDATE = "--ragassert-update-verdicts"
_OTHER = "--ragassert-judge=NAME"
_PLAIN: dict[str, Any] = {"temperature": 0.0, "top_p": None, "seed": None, "max_tokens": None}


def missing(
    question: Question,
    known: Collection[str],
    settings: Settings,
    committed: CommittedVerdicts | None,
    *,
    alone: bool,
) -> VerdictMissing:
    """Return the error, with the missing judgements as plain data.

    Args:
        known: keys of the question's other judgements.
        alone: the judge is known from committed verdicts alone, so another one must record.
    """
    judges = () if committed is None else committed.judges()
    lacking = {one.key: one for one in question.judgements if one.key not in known}
    which = f", vote {question.sample + 1}," if question.sample else ""
    why = "record-mode none asks nothing"
    if settings.record_mode != "none":
        why = "this judge is known from committed verdicts alone"
    return VerdictMissing(
        f"no stored verdict for step {question.step.name}{which} by "
        f"{question.model or question.judge_id} ({why}); record it with: "
        f"pytest {recording(settings, alone=alone)}",
        {
            "missing": [
                {**missed(question, one, judges), "beside": len(known)} for one in lacking.values()
            ],
            "known": {question.step.name: sorted(known)},
            "alone": alone,
        },
    )


def recording(settings: Settings, *, alone: bool = False) -> str:
    """Return the options of a run that records. If the judge is `alone`, another one must be
    named.
    """
    options = _RECORD if settings.verdicts is None else f"{_RECORD} {_UPDATE}"
    return f"{_OTHER} {options}" if alone else options


def missed(question: Question, judgement: Question, judges: Collection[str]) -> dict[str, Any]:
    """Return a missing judgement of a question as plain data.

    `others` contains, by cause, the keys that it would have if what may have changed were
    different. `text` and `passages` are the hashes of what it was made of.

    Args:
        judges: other judges that may have been asked, as committed lines name them.
    """
    text = question.input.get("text")
    others = {
        # earlier versions may have kept the answer to the whole question
        "prompt version changed": [
            one.key_with(old) for old in question.step.former for one in (judgement, question)
        ],
        "other settings": [
            replace(judgement, sampling=_PLAIN).key,
            replace(judgement, sampling={name: question.sampling[name] for name in _PLAIN}).key,
            # a vote beyond the first, of a question that was asked once
            *([replace(judgement, sampling=_PLAIN, sample=0).key] if question.sample else []),
        ],
        "other model": [key for name in sorted(judges) for key in _keys_by(name, judgement)],
    }
    return {
        "key": judgement.key,
        "step": question.step.name,
        "judge": f"{question.judge_id} {question.model}".rstrip(),
        "about": judgement.about,
        "asked": judgement.asked,
        "passages": judgement.passages,
        "text": text_hash(text) if isinstance(text, str) else None,
        "others": {cause: keys for cause, keys in others.items() if keys},
    }


def missed_vector(key: str, embedder: str, model: str, text: str) -> dict[str, Any]:
    """Do the same for a text's vector."""
    judge = f"{embedder} {model}".rstrip()
    return {
        "key": key,
        "step": "embed_text",
        "judge": judge,
        "about": text,
        "asked": "",
        "passages": [],
        "text": None,
        "others": {},
        "beside": 0,
    }


def _keys_by(name: str, question: Question) -> Iterator[str]:
    """Return the keys that the question has for a judge with that name in committed lines."""
    yield replace(question, judge_id=name, model="").key
    id, model = parts_of_judge_name(name)
    if model:
        yield replace(question, judge_id=id, model=model).key
