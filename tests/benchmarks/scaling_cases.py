"""Cases of two sizes, any number of them: as in the example project, and with long passages.

No two cases share a passage or a judgement, so what a case needs is the most that it can need.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any, NamedTuple

from .children import ROOT, pytest_run
from .project import RAG_TESTS

PASSAGES, PASSAGE = 5, 1_000  # of a case with long passages; characters
SENTENCES = 5  # of its answer, one in each passage; its reference says four of them
ONE = {"faithfulness": 0.0}
THREE = {"faithfulness": 0.0, "factual_f1": 0.0, "context_recall": 0.0}
METRICS = {"faithfulness": ONE, "faithfulness, factual_f1, context_recall": THREE}

_FIELDS = ("question", "answer", "retrieved_contexts", "ground_truth_answer")
_END = re.compile(r"\.(?=\s|$)")
_SENTENCE = re.compile(r"[A-Z].{40,170}\.")
_PLAIN = re.compile(r"[A-Za-z ,'-]+\.")

Case = dict[str, Any]


class Kind(NamedTuple):
    """
    Attributes:
        name: what its cases are like.
        case: returns the case of a number.
    """

    name: str
    case: Callable[[int], Case]


def kinds() -> dict[str, Kind]:
    """Both kinds, by a short name. The answers of the example are those that its tests judge."""
    examples = _examples()
    prose = [one for one in _prose() if len(one) <= 160]
    plain = [one for one in prose if _PLAIN.fullmatch(one)]
    return {
        "example": Kind("as in the example project", lambda n: _varied(examples, n)),
        "long": Kind(
            f"{PASSAGES} passages of {PASSAGE:,} characters", lambda n: long_case(prose, plain, n)
        ),
    }


def write(
    folder: Path, kind: Kind, count: int, metrics: Mapping[str, float], *, replaced: bool = False
) -> None:
    """Write the first cases of a kind and a test of the metrics.

    Args:
        replaced: one passage of each case is another than before, the first of the first case, the
            second of the second and so on.
    """
    folder.mkdir(exist_ok=True)
    (folder / "test_rag.py").write_text(RAG_TESTS.format(minimums=dict(metrics)))
    with (folder / "cases.jsonl").open("w") as file:
        for number in range(count):
            case = {"id": f"case-{number}", **kind.case(number)}
            if replaced:
                other = kind.case(count + number)["retrieved_contexts"]
                place = number % len(case["retrieved_contexts"])
                case["retrieved_contexts"][place] = other[place % len(other)]
            file.write(json.dumps(case) + "\n")


def long_case(prose: list[str], plain: list[str], number: int) -> Case:
    """A case with long passages, of which each says a sentence of the answer."""
    chance = random.Random(number)
    said = [_named(one, number) for one in chance.sample(plain, SENTENCES)]
    passages = []
    for sentence in said:
        text = sentence
        while len(text) < PASSAGE:
            text += " " + chance.choice(prose)
        passages.append(text[: text.rindex(" ", 0, PASSAGE + 1)])
    return {
        "question": f"What does edition {number} say of {' '.join(said[0].split()[:8])}?",
        "answer": " ".join(said),
        "retrieved_contexts": passages,
        "ground_truth_answer": " ".join(said[:-1]),
    }


def _named(text: str, number: int) -> str:
    """The text about a thing of that number, in each sentence."""
    return _END.sub(f" in edition {number}.", text)


def _varied(examples: list[Case], number: int) -> Case:
    return {
        name: [_named(text, number) for text in value]
        if isinstance(value, list)
        else _named(value.replace("?", f" in edition {number}?"), number)
        for name, value in examples[number % len(examples)].items()
    }


def _examples() -> list[Case]:
    """The English cases of the example project, with what its application answers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "example")
        ignored = shutil.ignore_patterns(".ragassert", "__pycache__")
        shutil.copytree(ROOT / "example_project", folder, ignore=ignored)
        pytest_run(folder, "tests/test_by_data_set.py", f"--ragassert-artifacts={name}")
        [results] = Path(name).glob("results_*.json")
        found = json.loads(results.read_text())["cases"].values()
    return [
        {field: case[field] for field in _FIELDS}
        for case in found
        if all(case[field] for field in _FIELDS) and case["question"].isascii()
    ]


def _prose() -> Iterator[str]:
    """The sentences of Python's own documentation, which every CPython has."""
    for text in topics.values():
        for one in re.split(r"(?<=\.)\s+", " ".join(text.split())):
            if _SENTENCE.fullmatch(one):
                yield one
