"""A stand-in for the library `bert_score`, and cases in few words for the tests of the metric."""

from __future__ import annotations

import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from pytest_ragassert import EvalCase, Settings, evaluate

OFFLINE = Settings(judge="offline")
SAME, OTHER = (1.0, 1.0, 1.0), (0.25, 0.5, 1 / 3)


def case(answer: str | None = "A", *references: str) -> EvalCase:
    first, *more = references or ("R",)
    return EvalCase(answer=answer, ground_truth_answer=first, ground_truth_answers=more or None)


def scored(one: EvalCase, **options: Any) -> Any:
    return evaluate(one, {"bert_score": options}, settings=OFFLINE)["bert_score"]


class Numbers(list[float]):
    """What the library gives: a tensor, as far as it is used."""

    def tolist(self) -> list[float]:
        return list(self)


class Pass(NamedTuple):
    model: str
    pairs: list[tuple[str, str]]
    thread: str


class Library:
    """A stand-in: notes what is loaded and each call; equal texts score 1, others by `says`."""

    def __init__(self, folder: Path) -> None:
        self.loads: list[tuple[str, int | None]] = []
        self.passes: list[Pass] = []
        self.says: dict[str, tuple[float, float, float]] = {}
        self.load_error: Exception | None = None
        self.score_error: Exception | None = None
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.may_end.set()
        library = self

        class BERTScorer:
            def __init__(self, model_type: str, num_layers: int | None) -> None:
                library.loads.append((model_type, num_layers))
                if library.load_error is not None:
                    raise library.load_error
                self.name = model_type
                self._tokenizer = SimpleNamespace(model_max_length=512)
                self._model = SimpleNamespace(config=None)
                self.baseline_path = ""

            @property
            def baseline_vals(self) -> Numbers:
                lines = Path(self.baseline_path).read_text().split()
                return Numbers(map(float, lines))

            def score(self, cands: list[str], refs: list[str]) -> tuple[Numbers, ...]:
                pairs = list(zip(cands, refs, strict=True))
                library.passes.append(Pass(self.name, pairs, threading.current_thread().name))
                library.begun.set()
                assert library.may_end.wait(10)
                if library.score_error is not None:
                    raise library.score_error
                each = [SAME if a == r else library.says.get(r, OTHER) for a, r in pairs]
                return tuple(map(Numbers, zip(*each, strict=True)))

        self.module, self.utils = ModuleType("bert_score"), ModuleType("bert_score.utils")
        self.module.__file__ = str(folder / "__init__.py")
        vars(self.module)["BERTScorer"] = BERTScorer
        vars(self.utils)["model2layers"] = {
            "microsoft/deberta-xlarge-mnli": 40,
            "known": 9,
        }
