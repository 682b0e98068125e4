"""What makes a question another one, and what does not."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, Settings, evaluate
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.evidence.passage_hashes import text_hash
from pytest_ragassert.storage.keys import Question

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .replies import FULL, asks, case, in_new_run, says_claims, says_verdicts

FAITHFUL = ["faithfulness"]
BOTH = ["faithfulness", "factual_f1"]


def again(judge: LoopbackJudge, changed: Settings, metrics: list[str] | None = None) -> int:
    """How many requests a later run with these settings makes."""
    return asks(judge, lambda: in_new_run(case(), metrics or FAITHFUL, changed))


@pytest.mark.parametrize(
    "change",
    [
        {"model": "judge-b"},
        {"temperature": 0.7},
        {"top_p": 0.5},
        {"seed": 7},
        {"max_tokens": 4096},
        {"judge_id": "the house judge"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_another_way_of_judging_is_asked_anew(
    judge: LoopbackJudge, settings: MakeSettings, change: dict[str, Any]
) -> None:
    assert again(judge, settings()) == 2
    assert again(judge, settings(**change)) == 2
    assert again(judge, settings(**change)) == 0
    assert again(judge, settings()) == 0


@pytest.mark.parametrize("value", [{"seed": 0}, {"temperature": 1}, {"top_p": 1}])
def test_a_value_given_differs_from_none_given(
    judge: LoopbackJudge, settings: MakeSettings, value: dict[str, Any]
) -> None:
    again(judge, settings())
    assert again(judge, settings(**value)) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"api_key": "sk-another"},
        {"timeout": 99},
        {"concurrency": 2},
        {"minimums": {"faithfulness": 0.1}},
        {"no_claims": "pass"},
        {"evidence_gate": "off"},
        {"token_budget": 5_000},
        {"prices": (("judge-a", 1.0, 2.0),)},
        {"temperature": 0},
    ],
    ids=str,
)
def test_what_the_answer_does_not_depend_on_asks_nothing(
    judge: LoopbackJudge, settings: MakeSettings, change: dict[str, Any]
) -> None:
    again(judge, settings())
    assert again(judge, settings(**change)) == 0


def test_another_endpoint_is_asked_anew(judge: LoopbackJudge, settings: MakeSettings) -> None:
    again(judge, settings())
    with LoopbackJudge() as other:
        assert again(other, settings(base_url=other.base_url)) == 2


def test_an_id_stands_for_the_endpoint(judge: LoopbackJudge, settings: MakeSettings) -> None:
    again(judge, settings(judge_id="ours"))
    with LoopbackJudge() as other:
        assert again(other, settings(judge_id="ours", base_url=other.base_url)) == 0


def test_credentials_and_a_final_slash_in_the_url_are_no_part_of_it(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    again(judge, settings())
    url = judge.base_url.replace("//", "//somebody:secret@") + "/"
    assert again(judge, settings(base_url=url)) == 0


def test_the_minimum_of_a_case_asks_nothing(judge: LoopbackJudge, settings: MakeSettings) -> None:
    again(judge, settings())
    strict = case(minimums={"faithfulness": 1.0}, metadata={"a": 1}, tags=["b"], label="correct")
    assert asks(judge, lambda: in_new_run(strict, FAITHFUL, settings())) == 0


@pytest.mark.parametrize(
    ("changed", "asked"),
    [
        ({"retrieved_contexts": [f"Timetable. {case().answer} "]}, 1),
        ({"retrieved_contexts": [f"timetable. {case().answer}"]}, 1),
        # one claim against what is new, and "It stops at the harbour" against both
        ({"retrieved_contexts": [f"Timetable. {case().answer}", "more"]}, 2),
        ({"question": "When does the tram run!"}, 1),
        ({"question": None}, 1),
        ({"id": "another id", "generation_params": {"temperature": 1}}, 0),
        ({"ground_truth_answer": "Something else."}, 0),
    ],
)
def test_one_changed_character_is_asked_anew(
    judge: LoopbackJudge, settings: MakeSettings, changed: dict[str, Any], asked: int
) -> None:
    again(judge, settings())
    assert asks(judge, lambda: in_new_run(case(**changed), FAITHFUL, settings())) == asked


@pytest.mark.parametrize(
    ("metrics", "questions"),
    [
        (["faithfulness"], 2),
        (["factual_precision"], 2),
        (["factual_recall"], 2),
        (["factual_f1"], 4),
        (["faithfulness", "factual_f1"], 5),
        (["factual_f1", "factual_recall", "factual_precision", "faithfulness"], 5),
    ],
)
def test_metrics_share_their_questions(
    judge: LoopbackJudge, settings: MakeSettings, metrics: list[str], questions: int
) -> None:
    # texts that differ, so that no two sides ask the same
    told = case(answer="It stops at the harbour.")
    assert asks(judge, lambda: in_new_run(told, metrics, settings())) == questions


def test_the_order_of_metrics_and_cases_changes_no_question(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    cases = [case(id="a"), case(id="b", answer="It stops at the harbour.")]
    evaluate(cases, BOTH, settings=settings())
    asked = judgements_in(judge)
    judge.reset()
    mirrored = settings(cache_dir=tmp_path / "other")
    evaluate(cases[::-1], BOTH[::-1], settings=mirrored)
    assert judgements_in(judge) == asked
    assert len(set(asked)) == len(asked)


def judgements_in(judge: LoopbackJudge) -> list[str]:
    """What was asked for, whatever stood together in a request."""
    found = []
    for request in judge.requests:
        if request.step == "extract_claims":
            texts = {one["id"]: one["text"] for one in request.data["sentences"]}
            wanted = request.data.get("only", list(texts))
            found += [repr((request.data["question"], texts.get(n - 1), texts[n])) for n in wanted]
        else:
            passages = sorted(one["text"] for one in request.data["passages"])
            found += [repr((claim["text"], passages)) for claim in request.data["claims"]]
    return sorted(found)


@pytest.mark.parametrize(
    "options",
    [
        {"strict_mode": True},
        {"scoring": "ratio"},
        {"verdict_scores": {"CONTRADICTORY": -2}},
        {"aggregate": "min"},
        {"no_claims": "pass"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_another_score_from_the_same_verdicts_asks_nothing(
    judge: LoopbackJudge, settings: MakeSettings, options: dict[str, Any]
) -> None:
    again(judge, settings())
    assert asks(judge, lambda: in_new_run(case(), FAITHFUL, settings(), **options)) == 0


def test_identical_claims_are_asked_once(judge: LoopbackJudge, settings: MakeSettings) -> None:
    says_claims(judge, {"One.": ["It runs", "It stops"], "Two.": ["It runs"]})
    says_verdicts(judge, {"It runs": FULL})
    result = evaluate(case(answer="One. Two."), FAITHFUL, settings=settings())["faithfulness"]
    (request,) = [r for r in judge.requests if r.step == "verify_claims"]
    assert [claim["text"] for claim in request.data["claims"]] == ["It runs", "It stops"]
    assert [claim.text for claim in result.claims] == ["It runs", "It stops", "It runs"]
    assert result.score == pytest.approx(2 / 3)


def test_identical_questions_at_one_time_are_asked_once(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    twins = [case(id=str(number)) for number in range(6)]
    results = evaluate(twins, FAITHFUL, settings=settings())
    assert judge.count() == 2
    assert [r["faithfulness"].requests for r in results] == [2] * 6


def question(**changes: Any) -> Question:
    fields: dict[str, Any] = {
        "step": STEPS["extract_claims"],
        "input": {"text": "A tram.", "question": None},
        "judge_id": "openai http://127.0.0.1/v1",
        "model": "judge-a",
        "sampling": {"temperature": 0.0, "top_p": None, "seed": None, "max_tokens": None},
    }
    return Question(**{**fields, **changes})


def test_a_key_is_the_same_in_every_version() -> None:
    """Changed keys void every stored verdict; the fingerprint's test says when it may happen."""
    assert question().key == "390d5032bdd8efa9d99865bb39b0299ab837703a63c5600053da35a6323ed81a"
    (judgement,) = question().judgements
    expected = "704a6bf1a9e11970f6a5aa948b55c759db57f1df22237d054614f4892c9a38ee"
    assert judgement.key == judgement.key_with(judgement.step.fingerprint) == expected


turns = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": st.text()}),
    max_size=2,
)
beside = st.fixed_dictionaries(
    {"question": st.none() | st.text(max_size=9)}, optional={"history": turns}
)
passages = st.lists(st.text(max_size=9), max_size=4).map(
    lambda texts: [{"id": id, "text": text} for id, text in enumerate(texts, start=1)]
)
sentences = st.sampled_from(["A tram.", "# Buses", "Rain fell \ud800.", 'So "they" say.', "火車。"])
inputs = (
    st.builds(
        lambda beside, lines: ("extract_claims", {**beside, "text": "\n".join(lines)}),
        beside,
        st.lists(sentences, max_size=5),
    )
    | st.builds(
        lambda texts, claims: (
            "verify_claims",
            {"passages": texts, "claims": claims},
        ),
        passages,
        passages,
    )
    | st.builds(
        lambda beside, texts: (
            "judge_passages",
            {**beside, "reference": None, "passages": texts},
        ),
        beside,
        passages,
    )
)


@given(inputs)
def test_a_judgements_key_is_that_of_the_question_for_it_alone(one: tuple[str, Any]) -> None:
    """However the keys of many are made at once."""
    name, input = one
    whole = question(step=STEPS[name], input=input)
    for judgement in whole.judgements:
        assert judgement.key == replace(judgement).key == judgement.key_with(whole.step.fingerprint)
        assert judgement == replace(judgement)
        assert judgement.asked == whole.asked


@pytest.mark.parametrize(
    "change",
    [
        {"sample": 1},
        {"step": STEPS["verify_claims"]},
        {"judge_id": "offline-3"},
        {"model": ""},
        {"input": {"text": "A tram.", "question": ""}},
        {"input": {"text": "A tram", "question": None}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_part_of_a_question_is_in_its_key(change: dict[str, Any]) -> None:
    assert question(**change).key != question().key


def test_the_order_of_dictionaries_is_not_in_the_key() -> None:
    mirrored = question(
        input={"question": None, "text": "A tram."},
        sampling=dict(reversed(question().sampling.items())),
    )
    assert mirrored.key == question().key


def test_a_part_is_never_the_whole() -> None:
    assert question().part(question().input).key != question().key


def test_a_question_is_gone_with_the_last_who_has_it() -> None:
    """Without the garbage collector, which would have all texts of a run to look through."""
    passages = {"passages": [{"id": 1, "text": "A tram."}], "claims": [{"id": 1, "text": "It."}]}
    whole = replace(question(), step=STEPS["verify_claims"], input=passages)
    asked = [whole, replace(question(), input={"question": None, "text": "A tram. It runs."})]
    assert [len(one.keys) for one in asked] == [1, 2]
    (judgement,) = whole.judgements
    assert judgement.input == {"claim": "It.", "passages": [text_hash("A tram.")]}
    del judgement
    held = [weakref.ref(one) for one in asked]
    gc.disable()
    try:
        del asked, whole
        assert [one() for one in held] == [None, None]
    finally:
        gc.enable()


REPLAY = """
import sys
from pytest_ragassert import EvalCase, Settings, evaluate

case = EvalCase(**eval(sys.argv[3]))
case.generation_params = dict(zip("ba", (1, 2)))
settings = Settings(judge="openai", model="judge-a", base_url=sys.argv[1], cache_dir=sys.argv[2],
                    record_mode="none")
results = evaluate(case, ["factual_f1", "faithfulness"], settings=settings)
print(sorted((r.metric, r.score, r.stored) for r in results.values()))
"""


@pytest.mark.parametrize("seed", ["1", "2"])
def test_another_process_hash_seed_and_folder_find_the_stored_answers(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path, seed: str
) -> None:
    fields = {"answer": case().answer, "retrieved_contexts": case().retrieved_contexts}
    fields["ground_truth_answer"] = case().ground_truth_answer
    evaluate(EvalCase(**fields), BOTH, settings=settings())
    done = subprocess.run(
        [sys.executable, "-c", REPLAY, judge.base_url, str(tmp_path / "store"), repr(fields)],
        env={"PYTHONHASHSEED": seed},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert done.stdout == "[('factual_f1', 1.0, True), ('faithfulness', 1.0, True)]\n"
