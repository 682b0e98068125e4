"""BERTScore: pairs that share a pass, what is loaded and when, options.

A stand-in takes the library's place; `test_bert_score_real` has real models.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import (
    ConfigurationError,
    EvalCase,
    JudgeError,
    MissingFieldError,
    RagAssertionError,
    VerdictMissing,
    aio,
    assert_bert_score,
    evaluate,
)
from pytest_ragassert.judging.embedders import bert_scorer
from pytest_ragassert.metrics.bert_score import BertScore

from .bert_library import OFFLINE, OTHER, SAME, Library, case, scored
from .conftest import MakeSettings


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Library:
    stand_in = Library(tmp_path)
    monkeypatch.setitem(sys.modules, "bert_score", stand_in.module)
    monkeypatch.setitem(sys.modules, "bert_score.utils", stand_in.utils)
    monkeypatch.setattr(bert_scorer, "_models", bert_scorer._Models())
    return stand_in


# -- scores ----------------------------------------------------------------------------------------


def test_f1_is_the_score_and_the_rest_stands_in_the_details(library: Library) -> None:
    result = scored(case("The tram.", "The ferry."))
    assert result.score == pytest.approx(1 / 3)
    assert result.details == {
        "model": "microsoft/deberta-xlarge-mnli",
        "precision": 0.25,
        "recall": 0.5,
        "f1": 1 / 3,
    }
    assert (result.minimum, result.passed, result.requests) == (0.7, False, 0)
    assert library.loads == [("microsoft/deberta-xlarge-mnli", None)]


@pytest.mark.parametrize(("f1", "score"), [(1.0000001, 1.0), (-0.125, 0.0)])
def test_a_score_lies_in_0_to_1(library: Library, f1: float, score: float) -> None:
    library.says["R"] = (0.5, 0.5, f1)
    result = scored(case())
    assert (result.score, result.details["f1"]) == (score, f1)


@pytest.mark.parametrize(
    ("answer", "references"), [("", ("R",)), (" \u200b\n", ("R",)), ("A", (" ", "\u200b"))]
)
def test_a_blank_text_scores_0_and_loads_nothing(
    library: Library, answer: str, references: tuple[str, ...]
) -> None:
    result = scored(case(answer, *references))
    assert (result.score, result.passed, result.reason) == (0.0, False, "a text is blank")
    assert library.loads == []


def test_the_best_of_several_references_counts(library: Library) -> None:
    library.says = {"near": (0.9, 0.7, 0.8), "far": (0.95, 0.1, 0.2)}
    result = scored(case("A", "far", " ", "near"))
    assert (result.score, result.details["reference"]) == (0.8, 2)
    assert (result.details["precision"], result.details["recall"]) == (0.9, 0.7)
    assert [one.pairs for one in library.passes] == [[("A", "far"), ("A", "near")]]


def test_a_lone_surrogate_reaches_no_tokenizer(library: Library) -> None:
    assert scored(case("A\ud800", "R")).score == pytest.approx(1 / 3)
    assert library.passes[0].pairs == [("A?", "R")]


@pytest.mark.parametrize("field", ["answer", "ground_truth_answer"])
def test_both_texts_are_needed(library: Library, field: str) -> None:
    whole = EvalCase(answer="A", ground_truth_answer="R")
    with pytest.raises(MissingFieldError, match=f"bert_score needs the field {field}"):
        scored(whole.model_copy(update={field: None}))
    assert library.loads == []


# -- passes ----------------------------------------------------------------------------------------


def test_a_data_set_is_scored_in_one_pass_on_another_thread(library: Library) -> None:
    cases = [case(f"answer {n}", f"answer {n % 10}", "R") for n in range(20)]
    results = evaluate(cases, ["bert_score"], settings=OFFLINE)
    assert [one["bert_score"].score for one in results] == [1.0] * 10 + [1 / 3] * 10
    assert [len(one.pairs) for one in library.passes] == [40]
    assert library.passes[0].thread == "ragassert-bert-score"
    assert len(library.loads) == 1
    until = time.monotonic() + 5
    while any(thread.name == "ragassert-bert-score" for thread in threading.enumerate()):
        assert time.monotonic() < until, "the thread ends with its pass"


def test_it_shares_the_pass_beside_metrics_that_wait_for_a_judge(
    library: Library, settings: MakeSettings
) -> None:
    cases = [
        EvalCase(answer=f"{n}.", ground_truth_answer="R", retrieved_contexts=["C"])
        for n in range(5)
    ]
    evaluate(cases, ["faithfulness", "bert_score"], settings=settings())
    assert [len(one.pairs) for one in library.passes] == [5]


def test_a_model_is_loaded_once_a_process_and_name(library: Library) -> None:
    for options in ({}, {"model": "known"}, {}, {"model": "known"}, {"num_layers": 3}):
        scored(case(), **options)
    name = "microsoft/deberta-xlarge-mnli"
    assert library.loads == [(name, None), ("known", None), (name, 3)]
    assert len(library.passes) == 5


def test_models_have_passes_of_their_own(library: Library) -> None:
    async def both() -> None:
        names = ["known", "microsoft/deberta-xlarge-mnli"] * 3
        works = [BertScore().measure(case(), None, model=name) for name in names]  # type: ignore[arg-type]
        await asyncio.gather(*works)

    asyncio.run(both())
    assert sorted((one.model, len(one.pairs)) for one in library.passes) == [
        ("known", 3),
        ("microsoft/deberta-xlarge-mnli", 3),
    ]


@pytest.mark.asyncio
async def test_while_a_pass_runs_the_next_one_gathers(library: Library) -> None:
    library.may_end.clear()

    async def measured(number: int) -> float:
        found = await aio.evaluate(case(f"{number}"), ["bert_score"], settings=OFFLINE)
        return found["bert_score"].score

    first = asyncio.create_task(measured(0))
    await asyncio.to_thread(library.begun.wait, 10)
    rest = [asyncio.create_task(measured(number)) for number in range(1, 6)]
    await asyncio.sleep(0.2)
    library.may_end.set()
    assert await asyncio.gather(first, *rest) == [pytest.approx(1 / 3)] * 6
    assert [len(one.pairs) for one in library.passes] == [1, 5]
    assert bert_scorer._gathering == {}


@pytest.mark.asyncio
async def test_one_who_gives_up_leaves_the_others_their_figures(library: Library) -> None:
    library.may_end.clear()
    model = bert_scorer.Model("known")
    waiting = [
        asyncio.create_task(bert_scorer.bert_scores(model, [bert_scorer.Pair(text, "R")]))
        for text in ("A", "B", "R")
    ]
    await asyncio.to_thread(library.begun.wait, 10)
    waiting[1].cancel()
    library.may_end.set()
    first, third = await asyncio.gather(waiting[0], waiting[2])
    assert [first[0][:3], third[0][:3]] == [OTHER, SAME]
    assert waiting[1].cancelled()


def test_a_forked_child_waits_for_no_pass_of_its_parent(library: Library) -> None:
    scored(case())
    with bert_scorer._models._alone:  # held by a thread that a fork does not copy
        bert_scorer._after_fork()
        assert scored(case("A", "A")).score == 1.0
    assert len(library.loads) == 1


# -- what goes wrong -------------------------------------------------------------------------------


def test_without_the_package_the_error_says_what_to_install(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bert_score", None)
    with pytest.raises(ConfigurationError) as raised:
        scored(case())
    assert 'pip install "pytest-ragassert[bert-score]"' in str(raised.value)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("model", ""),
        ("model", " "),
        ("model", None),
        ("model", Path("folder")),
        ("num_layers", 0),
        ("num_layers", -1),
        ("num_layers", True),
        ("num_layers", 2.0),
        ("num_layers", "2"),
        ("rescale_with_baseline", 1),
        ("rescale_with_baseline", "yes"),
    ],
)
def test_options_are_checked_before_anything_is_loaded(
    library: Library, option: str, value: Any
) -> None:
    with pytest.raises(ValueError, match=f"^{option} must be "):
        scored(case(), **{option: value})
    assert library.loads == []


def test_a_model_that_the_library_does_not_know_needs_num_layers(library: Library) -> None:
    with pytest.raises(ConfigurationError, match="no best layer for org/unknown; give num_layers"):
        scored(case(), model="org/unknown")
    assert scored(case("A", "A"), model="org/unknown", num_layers=5).score == 1.0
    assert library.loads == [("org/unknown", 5)]


@pytest.mark.parametrize("name", ["./none", "/none/here", "~/none-here", ".."])
def test_a_path_without_a_folder_is_not_asked_of_the_hub(
    library: Library, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.path.isdir", lambda path: False)
    with pytest.raises(ConfigurationError, match="there is no folder"):
        scored(case(), model=name)
    assert library.loads == []


def test_a_layer_that_the_model_lacks_is_the_configurations_fault(library: Library) -> None:
    library.load_error = AssertionError("Invalid num_layers: between 0 and 24")
    with pytest.raises(ConfigurationError, match="Invalid num_layers: between 0 and 24"):
        scored(case(), num_layers=99)


def test_a_model_that_cannot_be_loaded_is_tried_once(library: Library) -> None:
    library.load_error = OSError("no connection")
    cases = [case(), case("B")]
    for _ in range(2):
        results = evaluate(cases, ["bert_score"], settings=OFFLINE, on_error="collect")
        errors = [one.errors["bert_score"] for one in results]
        assert all("can't be loaded: OSError: no connection" in str(one) for one in errors)
        assert [one.kind for one in errors if isinstance(one, JudgeError)] == ["model"] * 2
    assert len(library.loads) == 1


def test_a_pass_that_fails_fails_each_of_its_cases_and_no_later_one(library: Library) -> None:
    library.score_error = RuntimeError("out of memory")
    results = evaluate([case(), case("B")], ["bert_score"], settings=OFFLINE, on_error="collect")
    assert [list(one) for one in results] == [[], []]
    for one in results:
        assert "can't score 2 pairs: RuntimeError: out of memory" in str(one.errors["bert_score"])
    library.score_error = None
    assert scored(case("R")).score == 1.0


def test_nan_is_an_error_and_no_score(library: Library) -> None:
    library.says["R"] = (float("nan"), 0.5, 0.0)
    with pytest.raises(JudgeError, match="gives no numbers"):
        scored(case())


# -- rescaling -------------------------------------------------------------------------------------


def test_rescaling_takes_the_librarys_baseline_and_the_loaded_model(
    library: Library, tmp_path: Path
) -> None:
    for language, figures in (("de", "0.9 0.9 0.9"), ("en", "0.5 0.25 0.6")):
        folder = tmp_path / "rescale_baseline" / language
        folder.mkdir(parents=True)
        (folder / "known.tsv").write_text(figures)
    library.says["R"] = (0.75, 0.5, 0.7)
    assert scored(case(), model="known").score == 0.7
    result = scored(case(), model="known", rescale_with_baseline=True)
    assert result.score == pytest.approx(0.25)
    assert result.details["precision"] == pytest.approx(0.5)
    assert result.details["recall"] == pytest.approx(1 / 3)
    assert library.loads == [("known", None)]


def test_without_a_baseline_there_is_no_rescaling(library: Library) -> None:
    with pytest.raises(ConfigurationError, match="no baseline for known"):
        scored(case(), model="known", rescale_with_baseline=True)


# -- assertions and modes --------------------------------------------------------------------------


def test_the_assertion_holds_or_tells_score_and_model(library: Library) -> None:
    assert assert_bert_score(case("A", "A")).score == 1.0
    assert assert_bert_score(case(), min=0.3, model="known", num_layers=4).minimum == 0.3
    assert library.loads[-1] == ("known", 4)
    with pytest.raises(RagAssertionError, match=r"bert_score 0\.33 .*0\.7.*BERTScore by micro"):
        assert_bert_score(case())


@pytest.mark.asyncio
async def test_the_assertion_is_a_coroutine_too(library: Library) -> None:
    result = await aio.assert_bert_score(case("A", "A"), min=1.0)
    assert result.passed


@pytest.mark.parametrize("mode", ["none", "off", "all"])
def test_it_asks_no_judge_and_stores_nothing(
    library: Library, settings: MakeSettings, mode: str, judge: Any, tmp_path: Path
) -> None:
    found = evaluate(case("A", "A"), ["bert_score"], settings=settings(record_mode=mode))
    assert found["bert_score"].score == 1.0
    assert judge.count() == 0


def test_replay_measures_it_beside_a_verdict_that_is_missing(
    library: Library, settings: MakeSettings
) -> None:
    one = EvalCase(answer="A.", ground_truth_answer="A.", retrieved_contexts=["C"])
    found = evaluate(
        one,
        ["faithfulness", "bert_score"],
        settings=settings(record_mode="none"),
        on_error="collect",
    )
    assert found["bert_score"].score == 1.0
    assert isinstance(found.errors["faithfulness"], VerdictMissing)
