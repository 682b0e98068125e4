"""Huge texts in any script: four times the text takes about four times the work, not sixteen."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Callable

import pytest

from pytest_ragassert import EvalCase, Settings, aio, evaluate
from pytest_ragassert.judging.judges.offline.answer_judgement import (
    accuracy_of_answer,
    kind_of_answer,
    relevance_of_answer,
)
from pytest_ragassert.judging.judges.offline.claim_verdicts import verdicts_on
from pytest_ragassert.judging.judges.offline.follow_up import read_question
from pytest_ragassert.language.detection import language_of
from pytest_ragassert.language.escaping import visible
from pytest_ragassert.language.folding import fold_once
from pytest_ragassert.language.headings import headings_of
from pytest_ragassert.language.pieces import pieces_within
from pytest_ragassert.language.sentences import split_sentences
from pytest_ragassert.language.token_estimate import estimated_tokens
from pytest_ragassert.language.words.reader import read_words
from pytest_ragassert.runtime.ci_log import without_commands
from pytest_ragassert.steps.evidence.coverage import coverage_of
from pytest_ragassert.steps.evidence.quote_repair import corrected_quote
from pytest_ragassert.steps.evidence.quotes import find_quote

OFFLINE = Settings(judge="offline")
SMALL = 4_000  # characters; at four times as many, n² work takes a quarter of a second even in C
QUOTE = "Die F\u00e4hre h\u00e4lt nicht in zw\u00f6lf kleinen Orten an der K\u00fcste"


_NEW = itertools.count()


def repeated(part: str) -> Callable[[int], str]:
    return lambda size: (part * (size // len(part) + 1))[:size]


def drawn(letters: str) -> Callable[[int], str]:
    """Others at each call: what was read before is remembered."""
    source = random.Random(7)
    return lambda size: "".join(source.choices(letters, k=size))


TEXTS: dict[str, Callable[[int], str]] = {
    "english": repeated("The ferry runs every 40 minutes. Dogs are not allowed on board. "),
    "german": repeated(
        "Die F\u00e4hre f\u00e4hrt alle vierzig Minuten. Hunde d\u00fcrfen nicht mit. "
    ),
    "russian": repeated("Паром ходит каждые сорок минут. Собак на борт не пускают. "),
    "chinese": repeated("渡轮每四十分钟开一班。狗不得上船。票价九欧元，吗？"),
    "thai": repeated("เรือข้ามฟากออกทุกสี่สิบนาที"),
    "arabic": repeated("العبارة تعمل كل أربعين دقيقة. الكلاب غير مسموح بها. "),
    "hindi": repeated("नौका हर चालीस मिनट में चलती है। "),
    "emoji": repeated("\U0001f600\u200d\U0001f469\u2764\ufe0f"),
    "a word": repeated("donaudampfschifffahrt"),
    "letters": drawn("abcdefghijklmnop"),
    "spaces": repeated(" \u00a0\t"),
    "line breaks": repeated("\n"),
    "wrapped lines": repeated("abc def ghi jkl mno pqr stu vwx yz abc def\n"),
    "digits": drawn("0123456789"),
    "grouped digits": repeated("123 "),
    "numbers": repeated("17 4.5 2,000 "),
    "dotted": repeated("1."),
    "punctuation": drawn(".,;:!?-()\"'"),
    "quotation marks": repeated("\u201c"),
    "questions": repeated("吗？"),
    "marks": repeated("\u0301"),
    "base64": drawn("ABCDEFabcdef0123456789+/="),
    "json": repeated('{"id":1,"name":"item","values":[1,2,3]},'),
    "table": repeated("| 12 | name | 84 |\n"),
    "rules": repeated("| a |\n|---|\n---\n"),
    "nested lists": repeated("- a:\n  1. b:\n    * c\n"),
    "fences": repeated("```\n"),
    "hashes": repeated("#"),
    "colons": repeated(": :"),
    "backslashes": repeated("\\"),
}
WORK: dict[str, Callable[[str], object]] = {
    "folding": lambda text: fold_once(text).joined(),
    "sentences": split_sentences,
    "headings": headings_of,
    "packing": lambda text: pieces_within(text, 500),
    "language": language_of,
    "printing": lambda text: visible(without_commands(text)),
    "quotes": lambda text: find_quote(QUOTE, text) or corrected_quote(QUOTE, text, "claim"),
    "words": lambda text: read_words(text, language_of(text)),
    "coverage": lambda text: coverage_of(text, [text], [text]),
    "verdict": lambda text: verdicts_on([{"id": 1, "text": text}], [{"id": 1, "text": QUOTE}]),
}


def assert_grows_as_its_size(work: Callable[[int], object], small: int, name: str = "") -> None:
    """Four times the size takes less than ten times the time; `work` reads something new."""

    def seconds(size: int) -> float:
        # no other thread's, as of a test before
        begun = time.thread_time()
        work(size)
        return time.thread_time() - begun

    work(small // 20)  # tables are read and patterns compiled
    # what takes no time at all can't be compared, and a machine may be slow for once
    assert any(seconds(4 * small) < max(0.05, 10 * seconds(small)) for _ in range(3)), name


def assert_grows_as_its_text(
    work: Callable[[str], object], make: Callable[[int], str], name: str = ""
) -> None:
    # what was read before is remembered
    assert_grows_as_its_size(lambda size: work(f"{next(_NEW)} {make(size)}"), SMALL, name)


@pytest.mark.parametrize("kind", TEXTS)
def test_work_grows_as_the_text(kind: str) -> None:
    for name, work in WORK.items():
        assert_grows_as_its_text(work, TEXTS[kind], name)


@pytest.mark.parametrize("kind", ["digits", "grouped digits", "numbers", "dotted"])
def test_so_it_does_where_both_sides_are_one_long_sentence(kind: str) -> None:
    assert_grows_as_its_text(
        lambda text: kind_of_answer(read_question(text), text, text), TEXTS[kind]
    )


def boats(size: int) -> str:
    word = drawn("abcdefghijklmnop")
    return "".join(
        f"The {word(6)} boat goes to {word(6)} at {count} o'clock. " for count in range(size // 50)
    )


def test_so_it_does_where_an_answers_claims_are_held_against_each_other() -> None:
    assert_grows_as_its_text(
        lambda text: accuracy_of_answer(read_question("When?"), "It runs every 40 minutes.", text),
        boats,
    )


@pytest.mark.parametrize("kind", ["german", "nested lists", "numbers"])
def test_so_it_does_where_a_question_goes_on_with_long_turns(kind: str) -> None:
    def rated(text: str) -> object:
        turns = [{"role": role, "content": text} for role in ("user", "assistant")]
        return relevance_of_answer(read_question("And how long?", turns), text)

    assert_grows_as_its_text(rated, TEXTS[kind])


def test_a_long_line_is_cut_where_a_sentence_ends() -> None:
    text = TEXTS["german"](40_000)
    sentences = [text[start:end] for start, end in split_sentences(text)]
    assert set(sentences[:-1]) == {
        "Die F\u00e4hre f\u00e4hrt alle vierzig Minuten.",
        "Hunde d\u00fcrfen nicht mit.",
    }
    word = TEXTS["letters"](40_000)
    assert split_sentences(word + "\u00e4") == ((0, 40_001),)


def test_pieces_keep_within_the_budget_and_lose_nothing() -> None:
    for make in TEXTS.values():
        text = make(6_000)
        pieces = pieces_within(text, 500)
        assert "".join(pieces) == text
        assert max(map(estimated_tokens, pieces)) <= 500


def test_a_callers_loop_goes_on_while_a_huge_text_is_read() -> None:
    case = EvalCase(answer=QUOTE, retrieved_contexts=[drawn("abc de. 123")(100_000)])

    async def turns() -> int:
        measuring = asyncio.ensure_future(aio.evaluate(case, ["faithfulness"], settings=OFFLINE))
        count = 0
        while not measuring.done():
            await asyncio.sleep(0)
            count += 1
        assert (await measuring)["faithfulness"].score == 0
        return count

    assert asyncio.run(turns()) > 3


def new_contexts(count: int) -> list[str]:
    new = next(_NEW)
    return [
        f"Item {number} of {new} costs {3 * number} euros, in hall {number % 7}."
        for number in range(count)
    ]


@pytest.mark.parametrize("metric", ["faithfulness", "evidence", "context_precision"])
def test_work_grows_as_the_number_of_contexts(metric: str) -> None:
    def work(count: int) -> None:
        contexts = new_contexts(count)
        case = EvalCase(
            answer="Item 3 costs 9 euros. Item 4 costs 13 euros.",
            retrieved_contexts=contexts,
            ground_truth_contexts=contexts[::-1],
        )
        evaluate(case, [metric], settings=OFFLINE)

    assert_grows_as_its_size(work, 500)


def test_work_grows_as_the_number_of_claims() -> None:
    def work(count: int) -> None:
        contexts = new_contexts(count)
        case = EvalCase(answer=" ".join(contexts), retrieved_contexts=contexts[:3])
        evaluate(case, ["faithfulness"], settings=OFFLINE)["faithfulness"].pretty()

    assert_grows_as_its_size(work, 250)
