"""BERTScore: scores the pairs that are waiting together, in one pass of a local model.

torch, the library and the model are loaded with the first pair, in the thread of its pass.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import ConfigurationError, JudgeError
from ...runtime.environment import current_environment, expanded
from ...runtime.threads import DiskThread

INSTALL = 'pip install "pytest-ragassert[bert-score]"'
_QUIET_TURNS = 2  # turns of the loop without a new pair, after which a pass begins
# For tokenizers without a limit: their default, 10**30, is too large for some releases.
_NO_LIMIT = 2**31 - 1
_USUAL_POSITIONS = 512
# RoBERTa's positions; those of other models begin at 0 and lose two tokens of some 512
_FIRST_POSITION = 2


class Pair(NamedTuple):
    """Two texts, both of them not blank."""

    answer: str
    reference: str


class Figures(NamedTuple):
    """The scores of a pair: about [0, 1], below 0 if they are rescaled or unusual.

    Attributes:
        truncated: the model's limit in tokens if one of the texts was longer and was cut there.
    """

    precision: float
    recall: float
    f1: float
    truncated: int | None = None


class Model(NamedTuple):
    """A model and the way in which the library uses it.

    Attributes:
        name: its name on the hub, or the absolute path of a local folder.
        num_layers: the layer that is compared; None: the library's choice, or the last layer of a
            local folder.
        rescaled: with the library's baseline for English, or for the one language that it has.
    """

    name: str
    num_layers: int | None = None
    rescaled: bool = False

    @property
    def is_local(self) -> bool:
        return os.path.isabs(self.name)


def model_called(name: str, num_layers: int | None, rescaled: bool) -> Model:
    """Return the model of that name.

    Raises:
        ConfigurationError: the name is a path, and there is no such folder.
    """
    path = expanded(name, current_environment())
    if os.path.isdir(path):
        name = os.path.abspath(path)
    elif name.startswith(("/", ".", "~")):
        raise ConfigurationError(
            f"metric bert_score: there is no folder {name}; give the folder of a model, or its "
            "name on the hub"
        )
    return Model(name, num_layers, rescaled)


# -- on the loop -----------------------------------------------------------------------------------


class _Wish(NamedTuple):
    pairs: Sequence[Pair]
    figures: asyncio.Future[list[Figures]]


class _Gathering:
    """The pairs that wait for one model on one loop. During a pass, the next pairs collect."""

    def __init__(self, model: Model) -> None:
        self.wishes: list[_Wish] = []
        self._model = model
        self.passes = asyncio.ensure_future(self._passes())

    async def _passes(self) -> None:
        taken: list[_Wish] = []
        try:
            while self.wishes:
                await self._quiet()
                taken, self.wishes = self.wishes, []
                await self._pass([wish for wish in taken if not wish.figures.done()])
        finally:
            del _gathering[asyncio.get_running_loop(), self._model]
            for wish in taken + self.wishes:
                wish.figures.cancel()  # no effect on futures that are done

    async def _quiet(self) -> None:
        known = quiet = 0
        while quiet < _QUIET_TURNS:
            quiet = quiet + 1 if len(self.wishes) == known else 0
            known = len(self.wishes)
            await asyncio.sleep(0)

    async def _pass(self, wishes: Sequence[_Wish]) -> None:
        if not wishes:
            return
        pairs = [pair for wish in wishes for pair in wish.pairs]
        # a daemon, unlike the loop's own pool: an interrupted run need not wait for the pass to end
        thread = DiskThread("ragassert-bert-score")
        try:
            scored = await asyncio.get_running_loop().run_in_executor(
                thread, _models.scored, self._model, pairs
            )
        except Exception as error:
            for wish in wishes:
                if not wish.figures.done():
                    wish.figures.set_exception(error)
            return
        finally:
            thread.shutdown(wait=False)
        each = iter(scored)
        for wish in wishes:
            own = [next(each) for _ in wish.pairs]
            if not wish.figures.done():
                wish.figures.set_result(own)


_gathering: dict[tuple[asyncio.AbstractEventLoop, Model], _Gathering] = {}


async def bert_scores(model: Model, pairs: Sequence[Pair]) -> list[Figures]:
    """Return each pair's scores in order. Coroutines that run concurrently share a pass of the
    model.

    Raises:
        ConfigurationError: the library is not installed, or does not work with the model.
        JudgeError: the model can't be loaded, or its scores are not numbers.
    """
    loop = asyncio.get_running_loop()
    wish = _Wish(pairs, loop.create_future())
    if (loop, model) not in _gathering:
        _gathering[loop, model] = _Gathering(model)
    _gathering[loop, model].wishes.append(wish)
    return await wish.figures


# -- in the thread of a pass -----------------------------------------------------------------------


class _Models:
    """The models of this process. Each is loaded once, and one pass runs at a time."""

    def __init__(self) -> None:
        self._scorers: dict[Model, Any] = {}
        self._failed: dict[Model, JudgeError] = {}
        self.leave_parent()

    def leave_parent(self) -> None:
        """After a fork, drop the parent's pass, which may hold the lock and never ends in this
        process.
        """
        self._alone = threading.Lock()

    def scored(self, model: Model, pairs: Sequence[Pair]) -> list[Figures]:
        """Return the pairs' scores, from one call of the library."""
        with self._alone:
            scorer = self._scorer(model._replace(rescaled=False))
            baseline = _baseline(scorer, model) if model.rescaled else None
            try:
                parts = scorer.score(
                    [_encodable(pair.answer) for pair in pairs],
                    [_encodable(pair.reference) for pair in pairs],
                )
            except Exception as error:
                raise JudgeError(
                    f"metric bert_score: {model.name} can't score {len(pairs)} pairs: "
                    f"{type(error).__name__}: {error}"
                ) from error
        figures = list(zip(*(part.tolist() for part in parts), strict=True))
        if not all(math.isfinite(number) for each in figures for number in each):
            raise JudgeError(f"metric bert_score: {model.name} gives no numbers (NaN)")
        if baseline is not None:
            figures = [
                tuple((own - base) / (1 - base) for own, base in zip(each, baseline, strict=True))
                for each in figures
            ]
        cut = [_truncated(scorer._tokenizer, pair) for pair in pairs]
        return [
            Figures(precision, recall, f1, limit)
            for (precision, recall, f1), limit in zip(figures, cut, strict=True)
        ]

    def _scorer(self, model: Model) -> Any:
        if model in self._failed:
            raise self._failed[model]
        if model not in self._scorers:
            try:
                self._scorers[model] = _loaded(model)
            except JudgeError as error:
                self._failed[model] = error
                raise
        return self._scorers[model]


_models = _Models()


def _after_fork() -> None:
    _gathering.clear()
    _models.leave_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _loaded(model: Model) -> Any:
    try:
        import bert_score
        from bert_score.utils import model2layers
    except ImportError as error:
        raise ConfigurationError(
            f"metric bert_score needs an optional package: {INSTALL} ({error})"
        ) from error
    layers = model.num_layers
    if layers is None and not model.is_local and model.name not in model2layers:
        raise ConfigurationError(
            f"metric bert_score: the library knows no best layer for {model.name}; give num_layers"
        )
    try:
        with _offline() if model.is_local else contextlib.nullcontext():
            if model.is_local:
                layers = _layers_of_folder(model)
            scorer = bert_score.BERTScorer(model_type=model.name, num_layers=layers)
    except ConfigurationError:
        raise
    except AssertionError as error:  # how the library reports a layer that the model lacks
        raise ConfigurationError(f"metric bert_score: {error}") from error
    except Exception as error:
        raise JudgeError(
            f"metric bert_score: {model.name} can't be loaded: {type(error).__name__}: {error}",
            kind="model",
        ) from error
    _limit_tokens(scorer)
    return scorer


def _layers_of_folder(model: Model) -> int:
    """Return the layer to compare for a model in a local folder.

    Raises:
        ConfigurationError: the library would take it for a model of another kind.
    """
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(model.name)
    if "t5" in model.name and "t5" not in config.model_type:
        raise ConfigurationError(
            f"metric bert_score: the library takes every model for a T5 that has t5 in its path, "
            f"as {model.name} has; link to the folder from elsewhere"
        )
    return model.num_layers or int(config.num_hidden_layers)


@contextlib.contextmanager
def _offline() -> Iterator[None]:
    """Do not contact the hub. The variable HF_HUB_OFFLINE does the same, but is read only at
    import.
    """
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


def _limit_tokens(scorer: Any) -> None:
    """Cut texts at the end of the model's positions if the tokenizer has no limit of its own."""
    tokenizer, config = scorer._tokenizer, scorer._model.config
    if tokenizer.model_max_length <= _NO_LIMIT:
        return
    # relative positions have no end, but time and memory do: use the length the model was trained
    # on
    positions = getattr(config, "max_position_embeddings", None) or _USUAL_POSITIONS
    tokenizer.model_max_length = positions - _FIRST_POSITION


def _truncated(tokenizer: Any, pair: Pair) -> int | None:
    """Return the limit if one of the texts has more tokens than the model accepts."""
    limit = int(tokenizer.model_max_length)
    longer = [text for text in pair if len(text) > limit - _FIRST_POSITION]
    ids = (tokenizer(_encodable(text), verbose=False)["input_ids"] for text in longer)
    return limit if any(len(tokens) > limit for tokens in ids) else None


def _baseline(scorer: Any, model: Model) -> list[float]:
    """Return the precision, recall and F1 of unrelated texts.

    Raises:
        ConfigurationError: the library has no baseline for the model.
    """
    import bert_score

    folder = Path(bert_score.__file__).parent / "rescale_baseline"
    files = [] if model.is_local else sorted(folder.glob(f"*/{model.name}.tsv"))
    if not files:
        raise ConfigurationError(
            f"metric bert_score: the library has no baseline for {model.name}; "
            "leave out rescale_with_baseline"
        )
    english = [file for file in files if file.is_relative_to(folder / "en")]
    scorer.baseline_path = str((english or files)[0])
    return [float(number) for number in scorer.baseline_vals.tolist()]


def _encodable(text: str) -> str:
    """Return the text with `?` for lone surrogates, which tokenizers reject."""
    return text.encode("utf-8", "replace").decode("utf-8")
