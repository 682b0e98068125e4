"""What evidence is made of: what is looked at first, how bad a claim is, what a quote covers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_ragassert import ClaimVerdict, Verdict
from pytest_ragassert.language.token_estimate import estimated_tokens
from pytest_ragassert.steps.evidence.coverage import Coverage, clamped, coverage_of
from pytest_ragassert.steps.evidence.excerpts import TOP, Retriever
from pytest_ragassert.steps.evidence.ranking import FIRST_TOKENS, batches_for
from pytest_ragassert.steps.evidence.sentence_labels import (
    score_of,
    sentences_of,
    severity_of,
    spans_of,
)

# -- severity --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "severity"),
    [
        ("The lamp costs 12 coins", "high"),
        ("It opened in March 1999", "high"),
        ("There are twelve lamps", "high"),
        ("The lamp belongs to Anna Berg", "high"),
        ("The lamp is not lit", "high"),
        ("The lamp doesn't shine", "high"),
        ("Perhaps there are 12 lamps", "high"),
        ("The lamp is probably lit", "low"),
        ("Perhaps the lamp is lit", "low"),
        ("Visitors may enter the tower", "low"),
        ("The lamp is lit at night", "medium"),
        ("Der Turm kostet 3,50 Euro Eintritt", "high"),
        ("Der Turm ist nicht offen", "high"),
        ("Der Turm ist vermutlich offen", "low"),
        ("Vielleicht ist der Turm offen", "low"),
        ("Der Turm ist offen", "medium"),
        ("Билет стоит триста рублей", "high"),
        ("Музей не работает", "high"),
        ("Музей, возможно, открыт", "low"),
        ("музей открыт", "medium"),
        ("灯塔九点开放", "high"),
        ("灯塔不开放", "high"),
        ("灯塔可能开放", "low"),
        ("灯塔开放", "medium"),
        ("", "medium"),
    ],
)
def test_severity_is_of_the_claim_alone(claim: str, severity: str) -> None:
    assert severity_of(claim) == severity


# -- coverage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "quote", "contradicts", "ok", "note"),
    [
        ("The lamp costs 12 coins", "the lamp costs 12 coins", False, True, None),
        ("The lamp costs twelve coins", "the lamp costs 12 coins", False, True, None),
        ("The lamp costs 12 coins", "the lamp costs coins", False, False, "no 12"),
        (
            "The lamp of Anna Berg",
            "the lamp is hers, of course",
            False,
            False,
            "no name anna, berg",
        ),
        ("The lamp is not lit", "the lamp is lit", False, False, "no negation"),
        ("The lamp is lit", "the lamp is not lit", False, False, "a negation"),
        ("The lamp is lit", "the lamp is not lit", True, True, "a negation"),
        ("The lamp costs 12 coins", "the lamp costs 15 coins", True, True, "no 12"),
        ("12 lamps of Anna Berg", "all lamps are ours here", True, False, "no 12; no name anna"),
        ("Der Eintritt ist für Kinder 3,50 Euro", "Eintritt für Kinder 3,50 €", False, True, None),
        ("Билет стоит 350 рублей", "билет стоит 350 рублей", False, True, None),
        ("Билет стоит 350 рублей", "билет стоит недорого", False, False, "no 350"),
        ("灯塔九点开放", "灯塔每天九点开放", False, True, None),
        ("灯塔不开放", "灯塔每天九点开放", False, False, "no negation"),
    ],
)
def test_what_a_quote_covers(
    claim: str, quote: str, contradicts: bool, ok: bool, note: str | None
) -> None:
    found = coverage_of(claim, [quote], contradicts=contradicts)
    assert found.ok is ok
    assert (found.note is None) if note is None else (note in (found.note or ""))


def test_confidence_is_clamped_where_it_is_given() -> None:
    short, whole = Coverage(False, "why"), Coverage(True, None)
    assert [clamped(c, short) for c in (None, 0.2, 0.9)] == [None, 0.2, 0.5]
    assert [clamped(c, whole) for c in (None, 0.2, 0.9)] == [None, 0.2, 0.9]


# -- labels ----------------------------------------------------------------------------------------


def claim(verdict: Verdict, sentence: int | None, span: tuple[int, int] | None) -> ClaimVerdict:
    return ClaimVerdict(text="x", verdict=verdict, label_raw=verdict, sentence=sentence, span=span)


def test_claims_without_a_sentence_stand_for_the_whole_answer() -> None:
    answer = "First. Second."
    claims = [
        claim(Verdict.NO_EVIDENCE, None, None),
        claim(Verdict.FULLY_SUPPORTED, 1, (7, 14)),
        claim(Verdict.CONTRADICTORY, 0, (0, 6)),
    ]
    sentences = sentences_of(claims, answer)
    assert [(s.sentence, s.text, s.label) for s in sentences] == [
        (0, "First.", "incorrect"),
        (1, "Second.", "correct"),
        (None, answer, "uncertain"),
    ]
    assert [span.claim for span in spans_of(claims, sentences)] == [2, 0]
    assert score_of(claims, 0.5) == 0.5


# -- retrieval -------------------------------------------------------------------------------------


def test_numbers_and_names_weigh_more_than_words() -> None:
    passages = [
        (0, "The boat sails often. People like it."),
        (1, "The boat sails every 25 minutes. People like it."),
        (2, "The boat of Amber Bay sails often. People like it."),
        (3, "The boat of Amber Bay sails every 25 minutes. People like it."),
    ]
    best = Retriever(passages).best("The boat of Amber Bay sails every 25 minutes.")
    assert [stretch.passage for stretch in best] == [3, 2, 1]
    assert len(best) == TOP
    assert "25 minutes" in best[0].shared
    assert best[0].score > best[1].score


def test_of_equal_passages_the_first_wins_each_time() -> None:
    passages = [(n, "The boat is red. It sails.") for n in range(5)]
    retriever = Retriever(passages)
    first = retriever.best("The boat is red.")
    assert [stretch.passage for stretch in first] == [0, 1, 2]
    assert retriever.best("The boat is red.") == first
    assert Retriever(passages).best("The boat is red.") == first


def test_windows_have_two_or_three_sentences() -> None:
    """What stands in three neighbouring sentences scores above what stands in one of them."""
    spread = "Lamps are green. Doors are yellow. Roofs are purple. Cats sleep. Cats eat."
    one = "Lamps are green. Cats sleep. Cats eat. Cats run. Cats jump."
    claim_text = "Green lamps, yellow doors and purple roofs."
    best = Retriever([(0, one), (1, spread)]).best(claim_text)
    assert [stretch.passage for stretch in best] == [1, 0]


@pytest.mark.parametrize(
    ("claim_text", "passages", "place"),
    [
        ("Der Leuchtturm öffnet um 9 Uhr", ["Das Meer ist tief.", "Um 9 Uhr öffnet der Turm."], 1),
        ("Билет стоит 350 рублей", ["Море глубокое.", "Детский билет: 350 рублей."], 1),
        ("灯塔九点开放", ["大海很深。", "岛上的灯塔每天九点开放。"], 1),
    ],
)
def test_other_languages_are_retrieved_too(
    claim_text: str, passages: list[str], place: int
) -> None:
    best = Retriever(list(enumerate(passages))).best(claim_text)
    assert best[0].passage == place


FARES = "# Fares of 2031\n\n| rider | crowns |\n|---|---|\n" + "\n".join(
    f"| rider of zone {number} | {number}.75 |" for number in range(900)
)
HOURS = "\n\n".join(
    f"## Stop {number}\n\nThe first tram comes at 5.{number}. The last one comes at night."
    for number in range(100, 400)
)


@pytest.mark.parametrize(
    ("claim_text", "text", "head", "held"),
    [
        (
            "The rider of zone 712 pays 712.75 crowns",
            FARES,
            "# Fares of 2031\n\n| rider | crowns |\n|---|---|\n…\n| rider of zone ",
            "| rider of zone 712 | 712.75 |",
        ),
        (
            "The first tram comes at 5.333",
            HOURS,
            "## Stop 3",
            "## Stop 333\n\nThe first tram comes",
        ),
    ],
)
def test_a_stretch_stands_under_its_heading(
    claim_text: str, text: str, head: str, held: str
) -> None:
    (batch,) = batches_for([claim_text], [(0, text), (1, "Ferries sink. " * 1_000)])
    (sent,) = [stretch for _, stretch in batch.first if held in stretch]
    assert sent.startswith(head)
    assert len(sent) < len(text) / 4
    assert not sent.splitlines()[-1].startswith("#")


WORDS = st.sampled_from(
    ["boat", "red", "25", "Amber", "Bay", "sails", "lamp", "not", "the.", "is.", "x!", "灯塔。"]
)
TEXT = st.lists(WORDS, min_size=1, max_size=20).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(TEXT, min_size=1, max_size=6, unique=True),
    st.lists(st.tuples(TEXT, st.sampled_from([1, 30, 150])), min_size=1, max_size=5),
)
def test_every_claim_meets_every_passage_once(
    claims: list[str], drawn: list[tuple[str, int]]
) -> None:
    passages = [(2 * n, f"{text} " * times) for n, (text, times) in enumerate(drawn)]
    texts = dict(passages)
    batches = batches_for(claims, passages)
    assert [text for batch in batches for text in batch.claims.values()] == claims
    for batch in batches:
        assert batch.first
        assert batch.reasons.keys() == set(batch.claims.values())
        seen: dict[int, int] = {}
        for index, text in batch.first:
            assert text in texts[index]
            seen[index] = seen.get(index, 0) + len(text)
        whole = {index for index, text in batch.first if text == texts[index]}
        assert whole | {index for index, _ in batch.rest} == set(texts)
        assert all(text == texts[index] for index, text in batch.rest)
        if batch.rest and len(batch.claims) > 1:
            assert sum(estimated_tokens(text) for _, text in batch.first) <= FIRST_TOKENS


def test_no_one_claim_is_first_looked_at_with_more_than_fits() -> None:
    """Its stretches are bounded, so that a first look always fits."""
    long = "The boat is red and sails. " * 200
    (batch,) = batches_for(["The boat is red."], [(n, f"{n}. {long}") for n in range(9)])
    assert 0 < sum(estimated_tokens(text) for _, text in batch.first) <= FIRST_TOKENS
    assert len(batch.rest) == 9
