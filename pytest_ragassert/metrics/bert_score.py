"""The metric `bert_score`: BERTScore of answer and reference, computed by a local model."""

from __future__ import annotations

import warnings
from typing import Any

from ..case import EvalCase
from ..errors import RagAssertWarning
from ..judging.embedders.bert_scorer import Pair, bert_scores, model_called
from ..language.escaping import is_blank
from ..results import MetricResult
from .ensemble import clamped
from .findings import Finding, Line, Printed
from .metric import Ask, Assertion, Expectation, Metric
from .option_checks import check_flag, is_count

DEFAULT_MODEL = "microsoft/deberta-xlarge-mnli"


class BertScore(Metric):
    """Answer and reference say the same in other words: F1 of BERTScore, by a local model.

    Needs `pip install "pytest-ragassert[bert-score]"`.

    Args:
        model: a name on the Hugging Face hub or a local folder. Default:
            `microsoft/deberta-xlarge-mnli`.
        num_layers: the layer whose embeddings are compared. Default: the library's choice for a
            model's name, the last layer for a folder.
        min: in [0, 1]. Default: the case's own minimum, or else `ragassert_min_bert_score`, or else
            0.7.

    Raises:
        RagAssertionError: the score is below `min`.
        ConfigurationError: the package is not installed, or the model has no such layer.
        JudgeError: the model can't be loaded.
        MissingFieldError: the case lacks `answer` or `ground_truth_answer`.
    """

    name = "bert_score"
    requires = ("answer", "ground_truth_answer")
    default_min = 0.7
    document_name = ("bert_score_f1", 1)
    asserted_by = (Assertion("assert_bert_score", "BERTScore F1 of answer and reference"),)
    asks_judge = False
    evaluate_only = ("rescale_with_baseline",)
    asks_only = False  # `measure` also waits for the model

    def expected(
        self,
        case: EvalCase,
        *,
        min: float | None = None,
        model: str | None = None,
        **options: Any,
    ) -> Expectation:
        return super().expected(case, min=min, model=model, **options)

    def findings(self, row: Printed) -> list[Finding]:
        figures = [(name, row["details"].get(name)) for name in ("precision", "recall", "f1")]
        said = ", ".join(f"{name} {value:.2f}" for name, value in figures if value is not None)
        return [Line(said)] if said else []

    async def measure(
        self,
        case: EvalCase,
        ask: Ask,
        *,
        model: str = DEFAULT_MODEL,
        num_layers: int | None = None,
        rescale_with_baseline: bool = False,
    ) -> MetricResult:
        """F1 of the best matches between the tokens of answer and reference; 0 if one is blank.

        If a case has several references, the one with the highest F1 counts. A text with more
        tokens than the model takes is cut there; a warning and `details["truncated"]` report it.

        Nothing is stored: the model is local, and loaded once per process. Options: `model` is a
        name on the hub or a folder, `num_layers` the layer that is compared. Its default is the
        library's choice for the name (40 of 48 for the default model), and the last layer for a
        folder, whose name is unknown to the library.
        """
        _check(model, num_layers, rescale_with_baseline)
        answer, references = case.answer or "", case.references
        texts = [text for text in references if not is_blank(text)]
        if is_blank(answer) or not texts:
            return MetricResult(metric=self.name, score=0.0, reason="a text is blank")
        used = model_called(model, num_layers, rescale_with_baseline)
        figures = await bert_scores(used, [Pair(answer, text) for text in texts])
        best = max(range(len(figures)), key=lambda place: figures[place].f1)
        details: dict[str, Any] = {"model": model, **figures[best]._asdict()}
        if (limit := details.pop("truncated")) is not None:
            details["truncated"] = limit
            warnings.warn(
                f"case {case.name}: {self.name}: a text has more than the {limit} tokens that "
                f"{model} takes; the rest is not compared",
                RagAssertWarning,
                stacklevel=2,
            )
        if len(references) > 1:
            details["reference"] = references.index(texts[best])
        return MetricResult(
            metric=self.name,
            score=clamped(figures[best].f1),
            reason=f"BERTScore by {model}",
            details=details,
        )


def _check(model: object, num_layers: object, rescale_with_baseline: object) -> None:
    """Check the values of the options.

    Raises:
        ValueError: a value is invalid.
    """
    if not isinstance(model, str) or not model.strip():
        raise ValueError(f"model must be a model's name or folder, not {model!r}")
    if num_layers is not None and not is_count(num_layers):
        raise ValueError(f"num_layers must be a whole number from 1, or None, not {num_layers!r}")
    check_flag("rescale_with_baseline", rescale_with_baseline)
