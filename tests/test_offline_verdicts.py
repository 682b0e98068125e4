"""The offline judge: its fixed rule over passages."""

from __future__ import annotations

import pytest

from .offline import AGAINST, FULL, NONE, verdict_of, verdicts_of

FERRY = "From May to September the Bramble Lake ferry runs every 40 minutes; in winter it rests."


@pytest.mark.parametrize(
    ("claim", "passages", "verdict", "quote"),
    [
        ("The Bramble Lake ferry runs every 40 minutes", [FERRY], FULL, FERRY),
        ("The Bramble Lake ferry runs every 30 minutes", [FERRY], AGAINST, FERRY),
        ("The Bramble Lake ferry is red", [FERRY], FULL, FERRY),  # 3 of 4 words
        ("The Bramble tram is red", [FERRY], NONE, None),  # 1 of 3 words
        ("The Bramble Lake ferry carries 40 bikes", [FERRY], FULL, FERRY),  # 3 of 5, number there
        ("The Bramble Lake ferry carries 7 bikes", [FERRY], NONE, None),
        (
            "The kayak weighs 18 kg.",
            ["The trailer weighs 18kg.", "The kayak weighs 23kg."],
            AGAINST,
            "The kayak weighs 23kg.",
        ),
        (
            "The kayak weighs 18 kg.",
            ["The trailer weighs 18kg. The kayak weighs 23kg. Both float."],
            AGAINST,
            "The kayak weighs 23kg.",
        ),
        (
            "The kayak weighs 23 kg.",
            ["The trailer weighs 18kg.", "The kayak weighs 23kg."],
            FULL,
            "The kayak weighs 23kg.",
        ),
        # each number stands with all the words, but of something else
        (
            "Line 4 runs every 15 minutes.",
            ["Line 9 runs every 15 minutes. Line 4 runs every 25 minutes."],
            NONE,
            None,
        ),
        ("Cabin 2 has 6 beds.", ["Cabin 2 has 4 beds.", "Cabin 9 has 6 beds."], NONE, None),
        (
            "Cabin 2 has 6 beds.",
            ["Cabin 9 has 6 beds.", "Cabin 2 has 6 beds."],
            FULL,
            "Cabin 2 has 6 beds.",
        ),
        ("The kayak's mass is 23 kilograms.", ["Kayak, mass: 23kg"], FULL, "Kayak, mass: 23kg"),
        ("The lease began on 2031-08-15.", ["The lease ended on 2031-08-15."], NONE, None),
        # days of the week, of which a range has those between
        *(
            (
                f"Das alte Rathaus ist am {day} offen.",
                [hours],
                said,
                hours if said == FULL else None,
            )
            for hours in (
                "Das alte Rathaus ist von Dienstag bis Freitag offen.",
                "Das alte Rathaus ist Di.–Fr. offen.",
            )
            for day, said in (("Mittwoch", FULL), ("Freitag", FULL), ("Sonntag", NONE))
        ),
        (
            "Sunday: 9:00–17:00",
            ["Monday: 9:00–17:00\nTuesday: 9:30–17:45\nSunday: closed"],
            NONE,
            None,
        ),
        (
            "The lease of the old north barn began in 2031.",
            ["The lease of the old north barn ended in 2031."],
            NONE,
            None,
        ),
        (
            "The lease began on 2031-08-15.",
            ["The lease began on August 15, 2031."],
            FULL,
            "The lease began on August 15, 2031.",
        ),
        (
            "The pump is rated for salt water.",
            ["The pump is not rated for salt water."],
            AGAINST,
            "The pump is not rated for salt water.",
        ),
        (
            "The pump isn't rated for salt water.",
            ["The pump is rated for salt water."],
            AGAINST,
            "The pump is rated for salt water.",
        ),
        ("The pump never leaks salt water.", ["The pump is rated for salt water."], NONE, None),
        (
            "Smoke causes harm to bees.",
            ["There is no evidence that smoke causes harm to bees."],
            AGAINST,
            "There is no evidence that smoke causes harm to bees.",
        ),
        (
            "The pump is rated for salt water.",
            ["The pump is not rated for salt water.", "The pump is rated for salt water."],
            FULL,
            "The pump is rated for salt water.",
        ),
        ("The fee is 50 euros.", ["The fee is 1500 euros."], AGAINST, "The fee is 1500 euros."),
        ("The fee is 50 euros.", ["The fee is 50 dollars."], NONE, None),
        ("The share is 3.5%.", ["The share is 3,5 %."], FULL, "The share is 3,5 %."),
        ("The hall seats 1,000.", ["The hall seats 1000."], FULL, "The hall seats 1000."),
        ("The hall has twelve doors.", ["The hall has 12 doors."], FULL, "The hall has 12 doors."),
        ("Delhi", ["The office is in Delhi."], FULL, "The office is in Delhi."),
        ("23 kg", ["The kayak weighs 23kg."], FULL, "The kayak weighs 23kg."),
        ("23 kg", ["The kayak weighs 24kg."], NONE, None),
        ("The office is in Delhi.", [], NONE, None),
        ("The office is in Delhi.", [""], NONE, None),
        ("", [FERRY], NONE, None),
        ("It is.", ["It is."], NONE, None),
    ],
)
def test_the_fixed_rule(claim: str, passages: list[str], verdict: str, quote: str | None) -> None:
    assert verdict_of(claim, *passages) == (verdict, quote)


def test_words_may_stand_in_several_passages_and_the_best_is_quoted() -> None:
    [verdict] = verdicts_of(
        ["The red kayak of Berlin floats"],
        ["Berlin is large.", "Every kayak here is red.", "All of it floats well."],
    )
    assert verdict["verdict"] == FULL
    assert verdict["evidence"] == [
        {"passage": 11, "quote": "Every kayak here is red."},
        {"passage": 10, "quote": "Berlin is large."},
    ]


def test_each_clause_is_quoted_the_deciding_one_first() -> None:
    claim = "The bus is blue, and the old cafe opens at {}:30."
    passages = ["The bus is blue. It was dear.", "A cafe opens at 8:30 here."]
    [verdict] = verdicts_of([claim.format(8)], passages)
    assert verdict["verdict"] == FULL
    assert verdict["evidence"] == [
        {"passage": 11, "quote": passages[1]},
        {"passage": 10, "quote": "The bus is blue."},
    ]
    # what is at odds rests on its own sentence alone
    passages[1] = "The old cafe opens at 9:30."
    [verdict] = verdicts_of([claim.format(8)], passages)
    assert (verdict["verdict"], verdict["evidence"]) == (
        AGAINST,
        [{"passage": 11, "quote": passages[1]}],
    )


def test_support_from_neighbouring_sentences_is_quoted_whole() -> None:
    passage = "It was late. Anna bought a kayak. It was red and fast in Berlin. She left."
    assert verdict_of("Anna's new kayak was red and from Berlin", passage) == (
        FULL,
        "Anna bought a kayak. It was red and fast in Berlin.",
    )


def test_a_quote_too_short_to_prove_anything_grows() -> None:
    assert verdict_of("Delhi", "We moved twice. Delhi. Then we left.") == (
        FULL,
        "Delhi. Then we left.",
    )
    assert verdict_of("Delhi", "We moved twice. Delhi.") == (FULL, "We moved twice. Delhi.")
    assert verdict_of("Delhi", " Delhi ") == (FULL, " Delhi ")


@pytest.mark.parametrize(
    ("claim", "passage", "reason"),
    [
        ("The Bramble Lake ferry runs every 40 minutes", FERRY, "5 of 5 content words found"),
        ("The Bramble Lake ferry runs every 40 minutes", FERRY, "every number found"),
        ("The fast Bramble Lake ferry costs 640", FERRY, "3 of 5 content words found"),
        ("The fast Bramble Lake ferry costs 640", FERRY, "number 640 not in any passage"),
        (
            "The Bramble Lake ferry runs every 30 minutes",
            FERRY,
            "the passage has 40 minutes for 30 minutes",
        ),
        ("The pump is rated", "The pump is not rated", "negates"),
        ("The CEO of Acme is Jane Doe", "The CEO of Acme is Tom Roe", "tom roe for jane doe"),
    ],
)
def test_the_reason_names_what_decided(claim: str, passage: str, reason: str) -> None:
    assert reason in verdicts_of([claim], [passage])[0]["reason"]


HOURS = "Tea is served from 9 am to 5 pm. Coffee is served from 8 am to 6 pm."


@pytest.mark.parametrize(
    ("claim", "passage", "verdict"),
    [
        ("The office closes at 9 pm.", "The office closes at 21:00.", FULL),
        ("The office closes at 21:00.", "The office closes at nine in the evening.", FULL),
        ("The office closes at 9:30 p.m.", "The office closes at 9:30 P.M. sharp.", FULL),
        ("The office closes at 9 pm.", "The office closes at 9 am.", AGAINST),
        ("The office opens at 12 am.", "The office opens at 12 pm.", AGAINST),
        ("The office is open from 9 to 5 pm.", "The office is open from 9:00 to 17:00.", FULL),
        ("Das Amt öffnet um 9 Uhr.", "Das Amt öffnet um 9:00 Uhr.", FULL),
        ("Музей закрывается в 9 часов вечера.", "Музей закрывается в 21:00.", FULL),
        ("Музей закрывается в 9 часов вечера.", "Музей закрывается в 9 часов утра.", AGAINST),
        ("博物馆下午9点关门。", "博物馆21:00关门。", FULL),
        ("The client needs Python 3.10.", "The client needs Python 3.10.", FULL),
        ("The client needs Python 3.10.", "The client needs Python 3.1.", AGAINST),
        ("The client needs Python 3.1.", "The client needs Python 3.10.", AGAINST),
        ("The rules are in section 2.10.", "The rules are in section 2.1.", AGAINST),
        ("The ticket costs €3.10.", "The ticket costs €3.1.", FULL),
        ("The fee is 9 euros [1].", "The fee is 9 euros.", FULL),
        # the numbers stand there, but not together
        ("Tea is served from 8 am to 5 pm.", HOURS, AGAINST),
        ("Tea is served from 9 am to 6 pm.", HOURS, NONE),
        ("Coffee is served from 8 am to 6 pm.", HOURS, FULL),
        ("Room 3 has 10 beds, room 5 has 10 beds.", "Room 3 has 8 beds, room 5 has 10 beds.", NONE),
        ("The flask holds H3O.", "The flask holds H2O.", AGAINST),
        ("Tea is served on Tuesdays in hall 4.", "Tea is served on Thursdays in hall 4.", AGAINST),
        ("The pool opens in June.", "The pool opens in May.", NONE),
        # a date is one in any order of its parts
        ("It began on 2031-05-14.", "It began on 14 May 2031.", FULL),
    ],
)
def test_a_claim_in_a_passages_words_needs_its_facts(
    claim: str, passage: str, verdict: str
) -> None:
    assert verdict_of(claim, passage)[0] == verdict


def test_a_passage_in_two_languages_supports_claims_in_both() -> None:
    passage = "The ferry is red and it carries 40 cars. Паром красный и берёт 40 машин."
    assert verdict_of("Паром берёт 40 машин.", passage)[0] == FULL
    assert verdict_of("The ferry carries 40 cars.", passage)[0] == FULL
    assert "can't compare" in verdicts_of(["Паром берёт 40 машин."], [FERRY])[0]["reason"]


def test_a_sentence_that_begins_as_a_is_english() -> None:
    assert verdict_of("As a guest you pay a fee of 9 euros.", "Guests pay a fee of 9 euros.")[
        0
    ] == (FULL)


def test_no_evidence_has_no_quote() -> None:
    [verdict] = verdicts_of(["Trams are red"], [FERRY])
    assert verdict == {
        "id": 1,
        "reason": "0 of 2 content words found",
        "evidence": [],
        "verdict": NONE,
        "confidence": 0.87,
    }


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("The next boat leaves at 18:30.", "The last boat leaves at 18:30."),
        ("The first boat leaves at 18:30.", "The last boat leaves at 18:30."),
        ("The last boat leaves at 18:30.", "The first boat leaves at 18:30."),
        ("Sales rose last year.", "Sales rose next year."),
        ("The contract ends next month.", "The contract ended last month."),
    ],
)
def test_first_next_and_last_are_not_the_same(claim: str, passage: str) -> None:
    assert verdict_of(claim, passage)[0] != FULL


def test_a_later_clause_with_the_words_of_a_claim_supports_it() -> None:
    passage = (
        "In winter the first boat leaves Brannock at 07:30, and the last boat leaves at 18:30."
    )
    assert verdict_of("In winter the last boat leaves Brannock at 18:30.", passage)[0] == FULL
