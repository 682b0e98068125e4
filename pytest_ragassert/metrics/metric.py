"""What a metric is, and what it may ask."""

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
    """What a metric asks the judge with.

    Attributes:
        settings: of the run.
        models: the models that judge, the first of them extracts claims.
        votes: samples of each judgement, from 1; what is judged, as claims, is made once.
        splits: for each judgement of several votes whether they differ, by a key of its own.
        embedder: the embedder's id, None where none is configured.
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
        """The judge's whole, validated reply to a step's input.

        Of a `Step` of your own it is the list of all samples, as many as there are `votes`: one,
        unless the run or the test says otherwise. Each is an instance of the step's model class, or
        a dict where it has a JSON schema.

        Args:
            model: default: the first of `models`.
            sample: number of the vote, from 0; those above 0 are drawn at the vote temperature.

        Raises:
            JudgeError: it can't be had.
            VerdictMissing: replay, and it is not stored.
            TypeError: the input is no JSON object.
        """
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The texts' vectors, in order.

        Raises:
            ConfigurationError: no embedder is configured.
            JudgeError: they can't be had. VerdictMissing: replay, and one is not stored.
        """
        ...

    def by_hand(self, claim: str, passages: Sequence[Passage]) -> Override | None:
        """The verdict that a person gave on a claim held against these passages, in the judge's
        place; None: nobody did."""
        ...

    def criterion_by_hand(self, judgement: Json) -> Override | None:
        """What a person decided on a criterion, in the judge's place; None: nobody did.

        Args:
            judgement: the input of the judgement on it.
        """
        ...

    async def together(self, works: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
        """The results of several coroutines that ask, side by side, in order."""
        ...

    async def computed(self, work: Callable[[], Result]) -> Result:
        """What work comes to that takes long with long texts; others ask meanwhile."""
        ...


@dataclass(frozen=True)
class Expectation:
    """A metric of a case shall reach a minimum."""

    case: EvalCase
    metric: str
    minimum: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    # labels that pass, in place of a minimum
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Assertion:
    """A function that asserts a metric.

    Attributes:
        name: of the function.
        holds: what must hold, for a table's row.
        doc: the function's docstring; default: that of the metric's class.
        labels: those that pass, in place of a minimum.
        metrics: names of several that it asserts together, each of which lists it, with the same
            options; default: the one that lists it.
    """

    name: str
    holds: str
    doc: str | None = None
    labels: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


Counts = Literal["labels", "grades", "methods", "spans"]
# How the judgements of a step move a score. `alike`: of two decisions the same one is better for
# every item, whatever is decided of the others. `freely`: in any way.
Movement = Literal["alike", "freely"]


class Side(NamedTuple):
    """Claims of one text that are held against another; `cited` are those contexts alone that the
    claim's `looked_at` names."""

    claims_of: Literal["answer", "reference"]
    against: Literal["answer", "reference", "contexts", "cited"]


ANSWER_IN_CONTEXTS = Side("answer", "contexts")
ANSWER_IN_CITED = Side("answer", "cited")
ANSWER_IN_REFERENCE = Side("answer", "reference")
REFERENCE_IN_ANSWER = Side("reference", "answer")
REFERENCE_IN_CONTEXTS = Side("reference", "contexts")


class Metric(ABC):
    """A metric; a plugin adds its own through `pytest_ragassert_metrics`.

    Attributes:
        name: as in `evaluate`, options and reports.
        requires: the fields of `EvalCase` that it needs.
        default_min: the minimum where none is given, in [0, 1].
        steps: those of its own that it asks; they are checked when the session starts.
    """

    name: str
    requires: tuple[str, ...] = ()
    default_min: float = 0.7
    steps: tuple[Step[Any], ...] = ()
    # Whether `measure` waits for nothing but `ask`; then stored answers need no event loop.
    asks_only: ClassVar[bool] = False
    # How many questions to a judge follow one another: who has the most begins first.
    rounds: ClassVar[int] = 1
    # Whether a blank text is as good as none: there is nothing for a judge to look at.
    refuses_blank: ClassVar[bool] = False
    # Whether a judge is asked, by models and votes of the caller's choice.
    asks_judge: ClassVar[bool] = True
    # The claims that it judges.
    sides: ClassVar[tuple[Side, ...]] = ()
    # The functions by which tests assert it: of one that a hook adds, none.
    asserted_by: ClassVar[tuple[Assertion, ...]] = ()
    # Options of `measure` that `evaluate` takes and the assertion does not.
    evaluate_only: ClassVar[tuple[str, ...]] = ()
    # The name that the source documents give its mean, and what they multiply that with.
    document_name: ClassVar[tuple[str, float] | None] = None
    # Whether a good score says that the answer is right, as people's labels do.
    says_right: ClassVar[bool] = True
    # What a run counts beside the mean: labels, grades, the spread by method, or issue spans.
    counts: ClassVar[Counts | None] = None
    # What it needs of a case, in words, where `requires` does not say all.
    needs: ClassVar[str | None] = None
    # The field that a case may have in place of one that `requires` names.
    in_place_of: ClassVar[Mapping[str, str]] = {}

    @property
    def may_lack_claims(self) -> bool:
        """Whether a text without claims leaves nothing to check."""
        return bool(self.sides)

    def moved_by(self, case: EvalCase) -> Mapping[str, Movement]:
        """How the judgements of each step move the score of a case, for telling between which
        bounds it lies while some of them are missing. A score that lacks a judgement of another
        step is not known at all."""
        return {}

    def expected(self, case: EvalCase, *, min: float | None = None, **options: Any) -> Expectation:
        """What its assertion expects; one with options of its own names them here, and so one that
        takes any number of arguments behind the case."""
        return Expectation(case, self.name, min, options)

    def missing(self, case: EvalCase) -> tuple[str, ...]:
        """The fields that it needs and the case lacks, where it can't be measured without them."""
        return tuple(name for name in self.requires if self.lacks(case, name))

    def lacks(self, case: EvalCase, name: str) -> bool:
        """Whether the field is None, and so is the one that may be in its place, or, where the
        metric refuses that, blank.

        Of several reference answers all must have text.
        """
        values = [getattr(case, name)]
        if name == "ground_truth_answer":
            values = list(case.references) or [None]
        blank = self.refuses_blank and any(isinstance(v, str) and is_blank(v) for v in values)
        other = self.in_place_of.get(name)
        return blank or (values == [None] and (other is None or getattr(case, other) is None))

    def headline(self, row: Printed) -> Headline:
        """What a report says beside the score."""
        return row["reason"]

    def findings(self, row: Printed) -> list[Finding]:
        """What a report lists below it, before the claims; `row` has details."""
        return []

    @abstractmethod
    async def measure(self, case: EvalCase, ask: Ask, *_: Any, **options: Any) -> MetricResult:
        """The case's score. A question's input may depend on case and options only.

        Options come by keyword. To type checkers `*_: Any` beside them says that a metric may name
        those that it takes, and need not take others.

        Raises:
            ValueError: an option's value is not one it takes.
        """
