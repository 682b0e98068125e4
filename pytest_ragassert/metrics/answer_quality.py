"""Metrics of the whole answer: its relevancy to the question, and its accuracy by a rubric."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from ..case import EvalCase
from ..errors import ConfigurationError
from ..judgements import GRADES, RUBRIC, Grade
from ..judging.embedders.cosine import cosine
from ..language.number_format import TOLERANCE, plural
from ..results import MetricResult
from .claims import best_of, need_question, need_references, need_text
from .ensemble import Aggregate, check_aggregate, clamped, each_model, joined, of_several
from .findings import Beside, Finding, Headline, JudgesWords, Line, Printed
from .metric import Ask, Assertion, Expectation, Metric
from .option_checks import is_count
from .uncited_text import uncited_text
from .votes import each_vote, median_of, scores_words

METHODS = ("auto", "questions", "direct")


class AnswerRelevancy(Metric):
    """The answer answers the question.

    Args:
        method: `"questions"`: the similarity of the question to questions generated from the
            answer, by the configured embedder; `"direct"`: the judge's rating, which also takes
            `history` into account; `"auto"`: `"questions"` if an embedder is configured, else
            `"direct"`.
        n: how many questions to generate, at least 1; they are generated once, regardless of
            `votes`.
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.7.

    Raises:
        ConfigurationError: `method="questions"` without an embedder.
        MissingFieldError: the case lacks `question` or `answer`.
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
    """

    name = "answer_relevancy"
    requires = ("question", "answer")
    default_min = 0.7
    document_name = ("ragas_answer_relevance", 100)
    says_right = False
    asserted_by = (Assertion("assert_answer_relevancy", "the answer answers the question"),)
    asks_only = True
    refuses_blank = True

    def headline(self, row: Printed) -> Headline:
        match row["details"].get("method"):
            case "questions":
                return f"{row['reason']}, embeddings by {row['details'].get('embedder')}"
            case "direct":
                return JudgesWords(row["reason"])
        return row["reason"]

    def findings(self, row: Printed) -> list[Finding]:
        """The questions that the answer answers, the one most like the asked one last; or votes."""
        details = row["details"]
        if details.get("method") == "direct":
            votes = scores_words(details.get("votes", ()))
            return [Line(votes)] if votes else []
        asked = sorted(details.get("questions", ()), key=lambda one: float(one["similarity"]))
        return [Beside(f"{one['similarity']:.2f}", one["question"], "questions") for one in asked]

    async def measure(
        self,
        case: EvalCase,
        ask: Ask,
        *,
        method: Literal["auto", "questions", "direct"] = "auto",
        n: int = 3,
        aggregate: Aggregate = "mean",
    ) -> MetricResult:
        """Score how well the answer answers the question, by one method, never a mix of two.

        `questions` is ragas' formula: the mean of max(0, cos(question, generated)) over n questions
        generated from the answer; 0 if the answer answers none. `direct`: the judge rates it.
        `auto`: `questions` if an embedder is configured, else `direct`.
        """
        check_aggregate(aggregate)
        if method not in METHODS:
            raise ValueError(f"method is {method!r}; valid are {', '.join(METHODS)}")
        if not is_count(n):
            raise ValueError(f"n must be a whole number of questions from 1, not {n!r}")
        question = need_question(case, self.name)
        answer = need_text(case, self.name, "answer", case.answer)
        if method == "direct" or (method == "auto" and ask.embedder is None):
            return await self._rated(ask, question, answer, aggregate)
        try:
            generated = await self._generated(ask, answer, n)
        except ConfigurationError:
            # a judge that can't write questions, such as the offline judge, may rate
            if method == "questions":
                raise
            return await self._rated(ask, question, answer, aggregate)
        # without the earlier turn, to which mainly an answer to that turn would be similar
        return await self._by_questions(ask, question["question"], generated, aggregate)

    async def _generated(self, ask: Ask, answer: str, n: int) -> dict[str, list[str]]:
        input = {"answer": answer, "n": n}
        replies = await each_model(ask, "generate_questions", input)
        return {model: reply["questions"] for model, reply in replies.items()}

    async def _by_questions(
        self, ask: Ask, question: str, generated: dict[str, list[str]], aggregate: str
    ) -> MetricResult:
        texts = list(dict.fromkeys(text for each in generated.values() for text in each))
        near: dict[str, float] = {}
        if texts:
            asked, *vectors = await ask.embed([question, *texts])
            near = {t: clamped(cosine(asked, v)) for t, v in zip(texts, vectors, strict=True)}
        scores = {
            model: statistics.fmean(near[text] for text in each) if each else 0.0
            for model, each in generated.items()
        }
        said = f"{plural(len(texts), 'question')} generated"
        return MetricResult(
            metric=self.name,
            score=joined(scores, aggregate),
            reason=said if texts else "it answers no question",
            by_model=of_several(scores),
            details={
                "method": "questions",
                "embedder": ask.embedder,
                "questions": [{"question": t, "similarity": near[t]} for t in texts],
            },
        )

    async def _rated(
        self, ask: Ask, question: dict[str, Any], answer: str, aggregate: str
    ) -> MetricResult:
        input = {**question, "answer": answer}
        by_model = await each_vote(ask, "rate_relevance", input)
        rated = {model: median_of(votes, _score) for model, votes in by_model.items()}
        scores = {model: _score(reply) for model, reply in rated.items()}
        said = rated[ask.models[0]]["reason"]
        given = _votes([_score(vote) for vote in votes] for votes in by_model.values())
        return MetricResult(
            metric=self.name,
            score=joined(scores, aggregate),
            reason="rated directly" + (f": {said}" if said else ""),
            by_model=of_several(scores),
            details={"method": "direct", "reason": said, **given},
        )


class FactualAccuracy(Metric):
    """The answer is accurate: 0.5 correctness + 0.3 completeness + 0.2 consistency, as judged.

    Args:
        min_grade: instead of `min`: A (0.8), B (0.6), C (0.4), D (0.2) or E (0).
        min, models, votes, aggregate: as in `assert_context_relevance`; default minimum 0.6.

    Raises:
        ValueError: both `min` and `min_grade` are given, or `min_grade` is not a grade.
        MissingFieldError: the case lacks `question`, `answer` or `ground_truth_answer`.
        RagAssertionError, JudgeError, VerdictMissing: as in `assert_context_relevance`.
    """

    name = "factual_accuracy"
    requires = ("question", "answer", "ground_truth_answer")
    default_min = 0.6
    document_name = ("factual_accuracy_percentage", 100)
    counts = "grades"
    asserted_by = (
        Assertion(
            "assert_factual_accuracy",
            'the judge grades the answer as accurate; also with `min_grade="B"`',
        ),
    )
    asks_only = True
    refuses_blank = True

    def expected(
        self,
        case: EvalCase,
        *,
        min: float | None = None,
        min_grade: Grade | None = None,
        **options: Any,
    ) -> Expectation:
        if min_grade is not None:
            if min is not None:
                raise ValueError("min and min_grade mean the same; give one of them")
            if min_grade not in GRADES:
                raise ValueError(f"min_grade is {min_grade!r}; valid are {', '.join(GRADES)}")
            min = GRADES[min_grade]
        return super().expected(case, min=min, **options)

    def headline(self, row: Printed) -> Headline:
        return f"grade {row['grade']}" if row["grade"] else row["reason"]

    def findings(self, row: Printed) -> list[Finding]:
        widest = max(map(len, RUBRIC))
        return [
            Beside(
                f"{name:<{widest}} {part['score']:>5.4g} x {weight:g}",
                "; ".join(filter(None, (scores_words(part.get("votes", ())), part["reason"]))),
            )
            for name, weight in RUBRIC.items()
            if (part := row["details"].get(name)) is not None
        ]

    async def measure(
        self, case: EvalCase, ask: Ask, *, aggregate: Aggregate = "mean"
    ) -> MetricResult:
        """0.5 correctness + 0.3 completeness + 0.2 consistency, each scored by the judge from 0 to
        100.

        The GEval-like rubric of GraphRAG evaluations. The sum is computed here; a total given by
        the judge is ignored. With several votes, the median of each criterion counts. Grades: A
        from 0.8, B from 0.6, C from 0.4, D from 0.2, else E.
        """
        check_aggregate(aggregate)
        question = need_question(case, self.name)
        answer = uncited_text(case, need_text(case, self.name, "answer", case.answer))
        references = [uncited_text(case, one) for one in need_references(case, self.name)]
        results = await ask.together(
            self._against(ask, question, answer, reference, aggregate) for reference in references
        )
        return best_of(results)

    async def _against(
        self,
        ask: Ask,
        question: dict[str, Any],
        answer: str,
        reference: str,
        aggregate: str,
    ) -> MetricResult:
        input = {**question, "reference": reference, "answer": answer}
        by_model = await each_vote(ask, "grade_accuracy", input)
        graded = {
            model: {name: median_of([v[name] for v in votes], _score) for name in RUBRIC}
            for model, votes in by_model.items()
        }
        scores = {model: rubric_score(reply) for model, reply in graded.items()}
        value = joined(scores, aggregate)
        parts = _parts(list(graded.values()))
        for name, part in parts.items():
            part |= _votes([_score(v[name]) for v in votes] for votes in by_model.values())
        said = ", ".join(f"{name} {part['score']:g}" for name, part in parts.items())
        return MetricResult(
            metric=self.name,
            score=value,
            grade=grade_of(value),
            reason=f"grade {grade_of(value)}: {said}",
            by_model=of_several(scores),
            details=parts,
        )


def _score(said: Mapping[str, Any]) -> float:
    return float(said["score"])


def _votes(by_model: Iterable[Sequence[float]]) -> dict[str, list[float]]:
    """All scores, each model's in the order of samples, if each model gave several."""
    each = list(by_model)
    return {"votes": [score for scores in each for score in scores]} if len(each[0]) > 1 else {}


def rubric_score(reply: dict[str, Any]) -> float:
    """The weighted sum of a reply's three scores, in [0, 1]."""
    return clamped(sum(w * float(reply[name]["score"]) for name, w in RUBRIC.items()) / 100)


def grade_of(score: float) -> str:
    """The grade, A to E, of a score in [0, 1]."""
    return next(grade for grade, least in GRADES.items() if score >= least - TOLERANCE)


def _parts(replies: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Each criterion's mean score over the models, with the first model's reason."""
    return {
        name: {
            "score": statistics.fmean(float(reply[name]["score"]) for reply in replies),
            "reason": replies[0][name]["reason"],
        }
        for name in RUBRIC
    }
