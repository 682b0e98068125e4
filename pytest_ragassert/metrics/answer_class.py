"""The metric `answer_class`: whether an answer is correct, wrong, or says that it does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..case import EvalCase
from ..judgements import CORRECT, DONT_KNOW, WRONG
from ..language.escaping import is_blank
from ..language.phrases.not_knowing import says_only_dont_know
from ..results import MetricResult
from .claims import best_of, need_question, need_references
from .ensemble import check_aggregate, of_several
from .findings import Finding, Headline, JudgesWords, Line, Printed
from .metric import Ask, Assertion, Metric
from .uncited_text import uncited_text
from .votes import Votes, counted, each_vote, majority_of, note, split_words, together

_WORST_FIRST = (WRONG, DONT_KNOW, CORRECT)

_CORRECT = """The answer is CORRECT by the reference, neither WRONG nor DONT_KNOW.

    Raises:
        RagAssertionError: the label is another one.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `question`, `answer` or `ground_truth_answer`.
    """
_NOT_EVASIVE = """The answer is CORRECT or WRONG, not DONT_KNOW.

    Raises:
        RagAssertionError: the label is DONT_KNOW.
        JudgeError, VerdictMissing: the judge could not decide.
        MissingFieldError: the case lacks `question`, `answer` or `ground_truth_answer`.
    """


class AnswerClass(Metric):
    """CORRECT (score 1), WRONG or DONT_KNOW (score 0), as GraphRAG evaluations count them.

    A blank answer, or one that says only that it does not know, in whole phrases of several
    languages, is DONT_KNOW without asking the judge. The judge decides all others by question and
    reference, including those that may say more ("I don't know who told you otherwise, ...").
    With several votes or models the majority counts; if they tie, the worse label counts.
    """

    name = "answer_class"
    requires = ("question", "answer", "ground_truth_answer")
    default_min = 1.0
    counts = "labels"
    asserted_by = (
        Assertion("assert_correct", "the answer is right", _CORRECT, (CORRECT,)),
        Assertion(
            "assert_not_evasive",
            "the answer does not evade the question",
            _NOT_EVASIVE,
            (CORRECT, WRONG),
        ),
    )
    asks_only = True

    def headline(self, row: Printed) -> Headline:
        words = row["reason"]
        if row["minimum"] is None:
            # the label is printed instead of a score
            words = words.removeprefix(row["label"] or "").removeprefix(": ")
        return JudgesWords(words)

    def findings(self, row: Printed) -> list[Finding]:
        by_phrases = row["details"].get("decided_by") == "phrases"
        who = "decided by phrases, without a judge" if by_phrases else "decided by the judge"
        split = split_words(row["details"].get("votes", {}), row["label"] or "")
        return [Line(f"{who}, votes {split}" if split else who)]

    async def measure(
        self, case: EvalCase, ask: Ask, *, aggregate: str = "majority"
    ) -> MetricResult:
        check_aggregate(aggregate)
        answer = uncited_text(case, case.answer or "")
        if is_blank(answer):
            return self._result(DONT_KNOW, "the answer is empty", "phrases")
        if _is_placeholder(answer) or says_only_dont_know(answer, _asked(case)):
            return self._result(DONT_KNOW, "it says only that it does not know", "phrases")
        question = need_question(case, self.name)
        references = [uncited_text(case, one) for one in need_references(case, self.name)]
        results = await ask.together(
            self._by_judge(ask, question, answer, reference) for reference in references
        )
        return best_of(results, by=lambda result: _WORST_FIRST.index(result.label or WRONG))

    async def _by_judge(
        self, ask: Ask, question: dict[str, Any], answer: str, reference: str
    ) -> MetricResult:
        input = {**question, "reference": reference, "answer": answer}
        by_model = await each_vote(ask, "classify_answer", input)
        votes = {model: counted([_label(v) for v in each]) for model, each in by_model.items()}
        note(ask, "classify_answer", input, {model: [own] for model, own in votes.items()})
        replies = {m: majority_of(each, _label, _WORST_FIRST) for m, each in by_model.items()}
        shown = majority_of(list(replies.values()), _label, _WORST_FIRST)
        scores = {model: float(_label(reply) == CORRECT) for model, reply in replies.items()}
        all_votes = together(votes.values())
        label, reason = _label(shown), shown["reason"] or ""
        return self._result(label, reason, "judge", of_several(scores), all_votes)

    def _result(
        self,
        label: str,
        reason: str,
        decided_by: str,
        by_model: dict[str, float] | None = None,
        votes: Votes | None = None,
    ) -> MetricResult:
        return MetricResult(
            metric=self.name,
            score=float(label == CORRECT),
            label=label,
            reason=f"{label}: {reason}" if reason else label,
            by_model=by_model or {},
            details={"decided_by": decided_by, **({"votes": votes} if votes else {})},
        )


def _asked(case: EvalCase) -> str:
    """What the user has asked, in this and earlier turns."""
    turns = (turn["content"] for turn in case.history if turn["role"] == "user")
    return "\n".join([*turns, case.question or ""])


def _label(reply: Mapping[str, Any]) -> str:
    return str(reply["label"])


_PLACEHOLDER = re.compile(r"(?:unknown|n/a|none|null)", re.IGNORECASE)
_SHORTEST_ANSWER = 10  # characters; a text of this length or more is not a placeholder


def _is_placeholder(answer: str) -> bool:
    """Whether the answer is a placeholder word, as exports and templates write it."""
    bare = answer.strip().strip(".!\"'")
    return len(answer.strip()) < _SHORTEST_ANSWER and bool(_PLACEHOLDER.fullmatch(bare))
