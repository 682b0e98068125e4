"""Has a case written, and asks what proves it.

Each check is a question that other parts of this package ask as well: claims are verified as for
`faithfulness`, criteria are checked as for `criteria`, and passages are judged as for
`context_relevance`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from ..case import EvalCase
from ..corpus.passages import Passage
from ..errors import JudgeError
from ..judgements import Verdict
from ..language.escaping import shortened
from ..language.phrases.not_knowing import says_only_dont_know
from ..metrics.claims import claims_of, majority, verdicts_on
from ..metrics.criteria import Criteria
from ..metrics.metric import Ask
from ..steps.evidence.evidence_check import passages_of
from ..steps.judge_passages import JUDGE_PASSAGES
from ..steps.write_case import WRITE_CASE
from .candidates import Candidate, with_headings
from .draft import NOT_SELF_CONTAINED, Draft, Dropped, checked_draft

# Returns the passages of the corpus that most likely answer a question.
Nearest = Callable[[Ask, str], Awaitable[list[Passage]]]

# Errors of a judge that answers, but not this question.
_UNUSABLE = ("judge", "malformed", "truncated", "refusal", "content filter", "request")
# This number of errors, without any success, shows that a judge can't check criteria.
_ENOUGH_ERRORS = 3
STATES_FACTS = "the answer states facts"
INCOMPLETE = "the answer does not answer the question"
_LONGEST_CLAIM = 80  # characters of a claim in a reason

_SELF_CONTAINED = (
    "It can be understood by somebody who sees no document: it names the person, thing, place, "
    "event or rule that it asks about, and does not point at a text or at something that was "
    'mentioned before ("it", "this", "the above", "the example").'
)
_COMPLETE = "It gives everything that the question asks for."
_ONLY_NOT_KNOWN = (
    "It says that the documents do not answer the question, and states nothing else as a fact."
)


class Proven(NamedTuple):
    """A draft that passed all checks of its own.

    Attributes:
        by_words: why its question and answer were checked by their words alone; None if the judge
            checked them.
    """

    draft: Draft
    by_words: str | None = None


async def written(ask: Ask, candidate: Candidate) -> Draft:
    """Have the case written, and check it without asking anybody.

    Raises:
        Dropped: there is nothing to ask, or the draft fails a check.
        JudgeError: the judge gave no answer.
    """
    return checked_draft(candidate, await ask(WRITE_CASE.name, candidate.input))


class Prover:
    """Asks what proves drafts.

    Args:
        nearest: returns the passages of the corpus that most likely answer a question.
    """

    def __init__(self, nearest: Nearest) -> None:
        self._nearest = nearest
        self._checked = 0
        self._errors: list[str] = []  # of criteria

    async def proven(self, ask: Ask, draft: Draft) -> Proven:
        """Ask what proves a draft.

        Raises:
            Dropped: it fails a check.
            JudgeError: the judge gave no answer.
        """
        check = self._unanswered if _is_unanswerable(draft) else self._supported
        try:
            by_words, _ = await ask.together([self._judged(ask, draft), check(ask, draft)])
        except Dropped as dropped:
            dropped.question = draft.question
            raise
        return Proven(draft, by_words)

    async def _judged(self, ask: Ask, draft: Draft) -> str | None:
        """Have the judge check the question, and whether the answer answers it.

        Returns:
            Why the judge did not check them, or None.

        Raises:
            Dropped: a criterion is not met.
        """
        error = None
        if self._checked or len(self._errors) < _ENOUGH_ERRORS:
            error = await self._failed_to_judge(ask, draft)
            if error is None:
                self._checked += 1
                return None
            self._errors.append(error)
        if _is_unanswerable(draft) and not says_only_dont_know(draft.answer, draft.question):
            raise Dropped(STATES_FACTS, "the judge did not check it, and its words do not show it")
        return error or self._errors[-1]

    async def _failed_to_judge(self, ask: Ask, draft: Draft) -> str | None:
        checks = [_unmet(ask, EvalCase(answer=draft.question), _SELF_CONTAINED)]
        if draft.answer:
            criterion = _ONLY_NOT_KNOWN if _is_unanswerable(draft) else _COMPLETE
            case = EvalCase(question=draft.question, answer=draft.answer)
            checks.append(_unmet(ask, case, criterion))
        try:
            unmet = await ask.together(checks)
        except JudgeError as error:
            # a judge that has checked criteria before fails for another reason
            unable = _UNUSABLE if self._checked else (*_UNUSABLE, "server")
            if error.ends_judging or error.kind not in unable:
                raise
            return str(error)
        if unmet[0] is not None:
            raise Dropped(NOT_SELF_CONTAINED, unmet[0])
        if unmet[-1] is not None:
            reason = STATES_FACTS if _is_unanswerable(draft) else INCOMPLETE
            raise Dropped(reason, unmet[-1])
        return None

    async def _supported(self, ask: Ask, draft: Draft) -> None:
        """Check the claims of the answer against its own passages.

        Raises:
            Dropped: one is not fully supported, or there are none.
        """
        case = EvalCase(question=draft.question, answer=draft.answer)
        claims = await claims_of(ask, case, draft.answer, "answer")
        if not claims:
            raise Dropped("the answer states nothing")
        passages = passages_of([with_headings(one) for one in draft.used])
        for verdict in majority(await verdicts_on(ask, claims, passages)):
            if verdict.verdict is not Verdict.FULLY_SUPPORTED:
                claim = shortened(verdict.text, _LONGEST_CLAIM)
                reason = "the answer is not supported by its passages"
                raise Dropped(reason, f"{verdict.verdict.words}: {claim}")

    async def _unanswered(self, ask: Ask, draft: Draft) -> None:
        """Check that neither the draft's own passages nor the nearest of the corpus answer the
        question.

        Raises:
            Dropped: one does.
        """
        found = [*draft.candidate.passages, *await self._nearest(ask, draft.question)]
        passages = list({one.id: one for one in found}.values())
        input = {
            "question": draft.question,
            "reference": None,
            "passages": [
                {"id": number, "text": with_headings(one)} for number, one in enumerate(passages, 1)
            ],
        }
        reply = await ask(JUDGE_PASSAGES.name, input)
        for passage, judged in zip(passages, reply["passages"], strict=True):
            if judged["relevant"]:
                reason = f": {judged['reason']}" if judged["reason"] else ""
                raise Dropped("the documents answer the question", f"{passage.id}{reason}")


def _is_unanswerable(draft: Draft) -> bool:
    return draft.candidate.kind == "unanswerable"


async def _unmet(ask: Ask, case: EvalCase, criterion: str) -> str | None:
    """Return why a criterion is not met, or None if it is."""
    result = await Criteria().measure(case, ask, criteria=[criterion])
    (check,) = result.details["criteria"]
    if result.score == 1:
        return None
    return check.get("reason") or "the judge gave no reason"
