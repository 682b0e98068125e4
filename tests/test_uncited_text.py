"""What is sent of an answer whose citation marks only the ids and sources of its contexts tell."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, Settings, evaluate
from pytest_ragassert.metrics.answer_class import AnswerClass
from pytest_ragassert.metrics.claims import claims_of
from pytest_ragassert.metrics.uncited_text import uncited
from pytest_ragassert.steps.extract_claims import sentences_of

from .asks import ScriptedAsk

RUNS = "The ferry runs every 40 minutes"
IDS = [
    "faq#1", "550e8400-e29b-41d4-a716-446655440000", "kb/123", "1.2", "2024-05", "9:30", "§ 4",
    "Fähre-Info", "arXiv:2305.14627", "2024",
]  # fmt: skip


def case_of(answer: str, *ids: str) -> EvalCase:
    contexts = [f"{RUNS}."] * len(ids)
    return EvalCase(answer=answer, retrieved_contexts=contexts, retrieved_context_ids=list(ids))


def sent(answer: str, *ids: str) -> str:
    """What is sent of the answer; the answer where nothing is taken out."""
    found = uncited(case_of(answer, *ids), answer)
    return answer if found is None else found.text


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize(
    "metric", ["faithfulness", "citation_recall", "citation_precision", "factual_f1", "evidence"]
)
def test_a_context_is_cited_by_its_id(id: str, metric: str) -> None:
    case = case_of(f"{RUNS} [{id}].", id)
    case.ground_truth_answer = f"{RUNS}."
    (one,) = evaluate([case], [metric], settings=Settings(judge="offline"))
    assert one[metric].score == 1.0
    assert not one[metric].vacuous


@pytest.mark.parametrize("metric", ["factual_accuracy", "answer_class"])
@pytest.mark.parametrize("marked", ["answer", "ground_truth_answer"])
def test_a_text_is_compared_without_its_marks(metric: str, marked: str) -> None:
    texts = {"answer": f"{RUNS}.", "ground_truth_answer": f"{RUNS}."}
    case = EvalCase(
        question="How often does the ferry run?",
        retrieved_context_ids=["faq#71"],
        **{**texts, marked: f"{RUNS} [faq#71]."},
    )
    (one,) = evaluate([case], [metric], settings=Settings(judge="offline"))
    assert one[metric].score == 1.0


def test_not_knowing_may_be_cited() -> None:
    case = case_of("I don't know [faq#1].", "faq#1")
    ask = ScriptedAsk({})
    case.question, case.ground_truth_answer = "How often?", RUNS
    result = asyncio.run(AnswerClass().measure(case, ask))
    assert (result.label, ask.asked) == ("DONT_KNOW", [])


def test_zero_based_ids() -> None:
    case = case_of(f"{RUNS} [0].", "0", "1", "2")
    (one,) = evaluate([case], ["faithfulness"], settings=Settings(judge="offline"))
    assert one["faithfulness"].score == 1.0
    assert sent("It runs [0][1]. It is red [0, 2].", "0", "1", "2") == "It runs. It is red."


def test_sources_and_the_right_contexts_ids_are_names_too() -> None:
    case = EvalCase(
        answer="It runs [ferry#2] daily [kb/9].",
        retrieved_contexts=["It runs."],
        retrieved_context_sources=["docs/ferry#2"],
        ground_truth_context_ids={"kb/9": 2},
    )
    found = uncited(case, case.answer or "")
    assert found is not None
    assert found.text == "It runs daily."


@pytest.mark.parametrize(
    "answer",
    [
        "It began in [2024-05].",  # no context is named so
        "It runs [DOC-7], [doc_1] and [chunk_0001.txt].",  # marks in any text
        "It runs [1], [^2] and 【4:0†source】.",
        "The [time table](kb/123) says so.",
        "Set `[faq#1]` first.",
        "[faq#1]: The fares notice.",
        "It runs faq#1 daily.",
    ],
)
def test_nothing_else_is_taken_out(answer: str) -> None:
    ids = ["faq#1", "kb/123", "DOC-7", "doc_1", "chunk_0001.txt", "1"]
    case = case_of(answer, *ids)
    assert uncited(case, answer) is None
    ask = ScriptedAsk({"extract_claims": {"sentences": [], "claims": []}})
    asyncio.run(claims_of(ask, case, answer, "answer"))
    assert ask.inputs == [{"text": answer, "question": None}]  # the key of what is stored


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("It runs. [faq#1] It is red.", "It runs. It is red."),
        ("It runs (see [faq#1], [kb/123]).", "It runs."),
        ("It runs [faq#1] and [kb/123].", "It runs."),
        ("It runs [FAQ#1](https://example.org/a) daily.", "It runs daily."),
        ("It runs (kb/123) daily.", "It runs daily."),
        ("- [faq#1] It runs\n- It is red [kb/123]", "- It runs\n- It is red"),
        ("[faq#1] It runs.\n[kb/123] It is red.", "It runs.\nIt is red."),
        ("| runs | daily [faq#1] |\n|---|---|", "| runs | daily |\n|---|---|"),
        ("渡轮每40分钟一班[faq#1]。它是红色的。", "渡轮每40分钟一班。它是红色的。"),
        ("It runs [faq#1] [1].", "It runs [1]."),
    ],
)
def test_marks_go_with_what_joins_them_to_the_text(answer: str, text: str) -> None:
    assert sent(answer, "faq#1", "kb/123") == text


def test_claims_keep_their_sentences_of_the_whole_answer() -> None:
    answer = "Hello. It runs. [faq#1] It is red [kb/123]. It has decks."
    case = case_of(answer, "faq#1", "kb/123")
    sentences = sentences_of("Hello. It runs. It is red. It has decks.")
    claims = [{"sentence": one["id"], "text": one["text"]} for one in sentences]
    ask = ScriptedAsk({"extract_claims": {"sentences": sentences, "claims": claims}})
    found = asyncio.run(claims_of(ask, case, answer, "answer"))
    assert ask.inputs[0]["text"] == "Hello. It runs. It is red. It has decks."
    assert [(one.sentence, answer[slice(*one.span or ())]) for one in found] == [
        (0, "Hello."),
        (1, "It runs."),
        (2, "[faq#1] It is red [kb/123]."),
        (3, "It has decks."),
    ]


def test_an_answer_of_marks_alone_asks_nothing() -> None:
    ask = ScriptedAsk({})
    found = asyncio.run(claims_of(ask, case_of("[faq#1]", "faq#1"), "[faq#1]", "answer"))
    assert (found, ask.asked) == ([], [])


@given(
    parts=st.lists(
        st.sampled_from([*"ab1 \n.,;|-()[]`", "[faq#1]", "(kb/123)", "It runs. ", "[1]", "。"]),
        max_size=30,
    )
)
@hypothesis_settings(deadline=None)
def test_every_sentence_that_is_sent_stands_in_the_answer(parts: list[str]) -> None:
    answer = "".join(parts)
    found = uncited(case_of(answer, "faq#1", "kb/123"), answer)
    if found is None:
        return
    assert "[faq#1]" not in found.text or "`" in answer or "[faq#1]:" in answer
    for sentence in sentences_of(found.text):
        number, (start, end) = found.sentence_at(sentence["start"])
        assert number >= 0
        assert sentence["text"][0] in answer[start:end]
