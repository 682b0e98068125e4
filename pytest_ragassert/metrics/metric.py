"""The interface of metrics: `Metric`, and `Ask`, with which a metric asks the judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar, overload

from ..language.escaping import is_blank

if TYPE_CHECKING:
    from ..case import EvalCase
    from ..config.settings import Settings
    from ..results import MetricResult
    from ..runtime.canonical_json import Json
    from ..steps.evidence.evidence_check import Passage
    from ..steps.own_step import Step
    from ..steps.step import Step as AnyStep
    from ..storage.overrides import Override
    from .findings import Finding, Headline, Printed

Result = TypeVar("Result")
Reply = TypeVar("Reply")


class Ask(Protocol):
    """Asks the judge and the embedder for a metric.

    Attributes:
        settings: the settings of the run.
        models: the models that judge; the first one extracts claims.
        votes: how many samples of each judgement are needed, at least 1; generated items, such as
            claims, are generated once.
        splits: for each judgement with several votes, by its own key, whether the votes differ.
        embedder: the embedder's id; None if none is configured.
    """

    settings: Settings
    models: tuple[str, ...]
    votes: int
    splits: dict[str, bool]

    @property
    def embedder(self) -> str | None: ...

    @overload
    async def __call__(
        self, step: Step[Reply], input: Json, *, model: str | None = None
    ) -> list[Reply]: ...
    @overload
    async def __call__(
        self, step: str, input: Json, *, model: str | None = None, sample: int = 0
    ) -> Json: ...
    async def __call__(
        self, step: str | AnyStep, input: Json, *, model: str | None = None, sample: int = 0
    ) -> Any:
        """Return the judge's complete, validated reply to a step's input.

        For a `Step` of your own, return the list of all samples, as many as there are `votes`: one,
        unless the run or the test sets another number. Each is an instance of the step's model
        class, or a dict if the step has a JSON schema.

        Args:
            model: the model that is asked. Default: the first of `models`.
            sample: the number of the vote, from 0; those above 0 use the vote temperature.

        Raises:
            JudgeError: the judge could not decide.
            VerdictMissing: a replay has no stored reply.
            TypeError: the input is not a JSON object.
        """
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of the texts, in order.

        Raises:
            ConfigurationError: no embedder is configured.
            JudgeError: the embedder failed.
            VerdictMissing: a replay lacks a stored vector.
        """
        ...

    def by_hand(self, claim: str, passages: Sequence[Passage]) -> Override | None:
        """Return a person's override of the verdict on a claim and these passages, or None."""
        ...

    def criterion_by_hand(self, judgement: Json) -> Override | None:
        """Return a person's override of the check of a criterion, or None.

        Args:
            judgement: the input of that judgement.
        """
        ...

    async def together(self, works: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
        """Run several coroutines that ask concurrently, and return their results in order."""
        ...

    async def computed(self, work: Callable[[], Result]) -> Result:
        """Run a computation that takes long for long texts, so that others can ask meanwhile."""
        ...


@dataclass(frozen=True)
class Expectation:
    """That a metric of a case reaches a minimum."""

    case: EvalCase
    metric: str
    minimum: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    # labels that pass, instead of a minimum
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assertion:
    """A function that asserts a metric.

    Attributes:
        name: the function's name.
        holds: what it asserts, in a few words, for the README's table.
        doc: the function's docstring; default: that of the metric's class.
        labels: the labels that pass, instead of a minimum.
        metrics: the names of the metrics that it asserts, if there are several; each of them lists
            it, with the same options. Default: the one that lists it.
    """

    name: str
    holds: str
    doc: str | None = None
    labels: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


Counts = Literal["labels", "grades", "methods", "spans"]
# How the judgements of a step change a score. `alike`: which decision gives the better score is the
# same for every item, whatever is decided for the others. `freely`: in any way.
Movement = Literal["alike", "freely"]


class Side(NamedTuple):
    """The claims of one text that are checked against another; `cited` means only the contexts that
    the claim's `looked_at` names."""

    claims_of: Literal["answer", "reference"]
    against: Literal["answer", "reference", "contexts", "cited"]


ANSWER_IN_CONTEXTS = Side("answer", "contexts")
ANSWER_IN_CITED = Side("answer", "cited")
ANSWER_IN_REFERENCE = Side("answer", "reference")
REFERENCE_IN_ANSWER = Side("reference", "answer")
REFERENCE_IN_CONTEXTS = Side("reference", "contexts")


class Metric(ABC):
    """The base class of metrics; a plugin adds its own with the hook `pytest_ragassert_metrics`.

    Attributes:
        name: the name in `evaluate`, options and reports.
        requires: the fields of `EvalCase` that the metric needs.
        default_min: the default minimum, in [0, 1].
        steps: the metric's own steps; they are checked when the session starts.
    """

    name: str
    requires: tuple[str, ...] = ()
    default_min: float = 0.7
    steps: tuple[Step[Any], ...] = ()
    # Whether `measure` waits for nothing except `ask`; then stored answers need no event loop.
    asks_only: ClassVar[bool] = False
    # How many questions to a judge follow one another; metrics with the most are started first.
    rounds: ClassVar[int] = 1
    # Whether a blank text counts as a missing one, because there is nothing for a judge to read.
    refuses_blank: ClassVar[bool] = False
    # Whether a judge is asked, so that the caller can choose models and votes.
    asks_judge: ClassVar[bool] = True
    # The claims that the metric judges.
    sides: ClassVar[tuple[Side, ...]] = ()
    # The functions with which tests assert the metric; none for a metric from a hook.
    asserted_by: ClassVar[tuple[Assertion, ...]] = ()
    # Options of `measure` that `evaluate` takes and the assertion does not.
    evaluate_only: ClassVar[tuple[str, ...]] = ()
    # What the source documents call the metric's mean, and the factor that they multiply it by.
    document_name: ClassVar[tuple[str, float] | None] = None
    # Whether a good score means that the answer is right, as people's labels do.
    says_right: ClassVar[bool] = True
    # What a run counts besides the mean: labels, grades, the spread by method, or issue spans.
    counts: ClassVar[Counts | None] = None
    # What the metric needs of a case, in words, if `requires` is not the whole truth.
    needs: ClassVar[str | None] = None
    # The field that may replace a field named in `requires`.
    in_place_of: ClassVar[Mapping[str, str]] = {}

    @property
    def may_lack_claims(self) -> bool:
        """Whether a text without claims leaves nothing to check."""
        return bool(self.sides)

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        """How the judgements of each step change the score of a case.

        It is used to find the bounds of a score while some judgements are missing. If a judgement
        of another step is missing, nothing is known of the score.
        """
        return {}

    def expected(self, case: EvalCase, *, min: float | None = None, **options: Any) -> Expectation:
        """The expectation of the metric's assertion. A metric overrides it to add options of the
        assertion, or to take further positional arguments after the case."""
        return Expectation(case, self.name, min, options)

    def missing(self, case: EvalCase) -> tuple[str, ...]:
        """The fields that the metric needs and the case lacks, if it can't be measured then."""
        return tuple(name for name in self.requires if self.lacks(case, name))

    def lacks(self, case: EvalCase, name: str) -> bool:
        """Whether the field and its replacement are None, or blank if the metric refuses that.

        With several reference answers, none of them may be blank.
        """
        values = [getattr(case, name)]
        if name == "ground_truth_answer":
            values = list(case.references) or [None]
        blank = self.refuses_blank and any(isinstance(v, str) and is_blank(v) for v in values)
        other = self.in_place_of.get(name)
        return blank or (values == [None] and (other is None or getattr(case, other) is None))

    def headline(self, row: Printed) -> Headline:
        """What a report prints beside the score."""
        return row["reason"]

    def findings(self, row: Printed) -> list[Finding]:
        """What a report lists below the score, before the claims; `row` has details."""
        return []

    @abstractmethod
    async def measure(self, case: EvalCase, ask: Ask, *_: Any, **options: Any) -> MetricResult:
        """Measure a case. The input of a question may depend only on the case and the options.

        Options are passed by keyword. `*_: Any` lets a subclass name only the options that it takes
        without an error from type checkers.

        Raises:
            ValueError: the value of an option is invalid.
        """
