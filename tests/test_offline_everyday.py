"""The offline judge over everyday texts: each supports itself, and no copy with another fact."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, MetricResult, Settings, evaluate

from .changed_facts import changed, swapped
from .everyday_texts import KINDS, TEXTS

LANGUAGES = ("en", "de", "ru", "zh")
METRICS = ("faithfulness", "factual_f1", "context_recall")
OFFLINE = Settings(judge="offline")


def measured(answer: str, text: str) -> dict[str, MetricResult]:
    """An answer measured against a text as its only context and its reference."""
    case = EvalCase(answer=answer, ground_truth_answer=text, retrieved_contexts=[text])
    return dict(evaluate(case, METRICS, settings=OFFLINE))


def scores(answer: str, text: str) -> list[float | None]:
    """The scores, None where nothing was measured as the answer makes no claim."""
    return [None if r.vacuous else r.score for r in measured(answer, text).values()]


def falls(answer: str, text: str) -> bool:
    """Whether the answer's own metrics see that it says something else than the text."""
    results = measured(answer, text)
    return results["faithfulness"].score < 1 and results["factual_f1"].score < 1


def test_the_corpus_has_all_languages_of_every_kind() -> None:
    assert len(KINDS) >= 40
    assert all(set(texts) == set(LANGUAGES) for texts in KINDS.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_text_is_fully_supported(language: str) -> None:
    texts = [text for _, code, text in TEXTS if code == language]
    assert [text for text in texts if scores(text, text) != [1.0, 1.0, 1.0]] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_swapped_fact_is_never_fully_supported(language: str) -> None:
    texts = [text for _, code, text in TEXTS if code == language]
    pairs = [(answer, text) for text in texts for answer in swapped(text)]
    assert [pair for pair in pairs if not falls(*pair)] == []


# Hours stay as they are: of "25 p.m." nobody knows what it says.
_HOUR = re.compile(
    r"\d{1,2}(?:[:.]\d\d)?(?: ?[-–] ?\d{1,2}(?:[:.]\d\d)?)? ?"
    r"(?:[AaPp]\.?[Mm]\b|o'clock|in the |Uhr|час|утра|вечера|点)|(?<=bis )\d+"
)


@st.composite
def documents(draw: st.DrawFn, mixed: bool = False) -> str:
    """A few of the texts, in one language or in several, with other digits in them."""
    languages = LANGUAGES if mixed else draw(st.sampled_from([[code] for code in LANGUAGES]))
    chosen = [text for _, code, text in TEXTS if code in languages]
    texts = draw(st.lists(st.sampled_from(chosen), min_size=1, max_size=3, unique=True))
    random = draw(st.randoms(use_true_random=False))
    text = draw(st.sampled_from(["\n\n", "\n"])).join(texts)
    hours = [match.span() for match in _HOUR.finditer(text)]

    def other(match: re.Match[str]) -> str:
        kept = any(start <= match.start() < end for start, end in hours)
        return match[0] if kept else str(random.randint(1, 9))

    return re.sub("[1-9]", other, text)


@settings(deadline=None, max_examples=30)
@given(documents() | documents(mixed=True))
def test_any_document_is_supported_by_itself(text: str) -> None:
    assert scores(text, text) == [1.0, 1.0, 1.0]


@settings(deadline=None, max_examples=30)
@given(documents(), st.integers(1, 9), st.data())
def test_any_changed_fact_is_seen(text: str, step: int, data: st.DataObject) -> None:
    answers = list(changed(text, step))
    assume(answers)  # of the texts some have their facts in words alone
    answer = data.draw(st.sampled_from(answers))
    assert falls(answer, text)
