"""The offline judge: what it takes for claims, and its fixed rule over passages."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.judges.offline import OfflineJudge
from pytest_ragassert.steps.extract_claims import EXTRACT_CLAIMS
from pytest_ragassert.steps.verify_claims import VERIFY_CLAIMS
from pytest_ragassert.text.sentences import split_sentences

JUDGE = OfflineJudge()


def claims_of(text: str, question: str | None = None) -> list[tuple[int, str]]:
    sentences = [
        {"id": number, "text": text[start:end]}
        for number, (start, end) in enumerate(split_sentences(text), 1)
    ]
    reply = JUDGE.run(EXTRACT_CLAIMS, {"question": question, "sentences": sentences})
    return [(claim["sentence"], claim["text"]) for claim in json.loads(reply)["claims"]]


def verdicts_of(claims: list[str], passages: list[str]) -> list[dict[str, Any]]:
    question = {
        "passages": [{"id": 10 + n, "text": text} for n, text in enumerate(passages)],
        "claims": [{"id": 1 + n, "text": text} for n, text in enumerate(claims)],
    }
    verdicts: list[dict[str, Any]] = json.loads(JUDGE.run(VERIFY_CLAIMS, question))["verdicts"]
    return verdicts


def verdict_of(claim: str, *passages: str) -> tuple[str, str | None]:
    [verdict] = verdicts_of([claim], list(passages))
    return verdict["verdict"], verdict["quote"]


def test_it_names_the_step_that_it_does_not_answer() -> None:
    step = replace(VERIFY_CLAIMS, name="translate")
    with pytest.raises(ConfigurationError, match=r"offline judge.*'translate'"):
        JUDGE.run(step, {"question": "Why?", "answer": "So."})


def test_its_id_carries_its_version() -> None:
    assert JUDGE.id == "offline-2"


# Claims


@pytest.mark.parametrize(
    "text",
    [
        "The ferry runs every 40 minutes.",
        "Cornish heath",
        "Delhi",
        "23 kg",
        "5",
        "No pumps are rated.",
        "We don't charge a fee.",
        "No data is stored on the server.",
        "The report does not mention layoffs.",
        "I think the fee is 40 €.",
        "Thank goodness the ferry runs daily, it is cheap.",
        "If you are late, the ferry leaves without you.",
        "If you are happy to pay, the ferry waits.",
        "The information did not reach Berlin.",
        'Set {"retries": 3} or {0} or %s.',
        "渡轮每40分钟一班。",
        "Hi-fi sets are sold here.",
        "Here the ferry runs daily.",
        "5*3 is 15*1",
        "The variable is snake_case_name.",
    ],
)
def test_what_states_something_is_a_claim_as_it_stands(text: str) -> None:
    assert claims_of(text) == [(1, text)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello!",
        "Hi there, ",
        "Good morning!",
        "Thanks!",
        "Thank you for your question.",
        "You're welcome!",
        "Let me know if you need more.",
        "Please feel free to ask about the 3 pumps.",
        "I hope this helps!",
        "If you need 2 more examples, just ask.",
        "If you need more, I'm happy to help.",
        "I'm happy to help.",
        "Is there anything else?",
        "Does the ferry run every 40 minutes?",
        '"Does the ferry run?"',
        "**Does the ferry run?**",
        "I think it's great.",
        "Great question!",
        "That is a wonderful idea.",
        "I don't know.",
        "I don’t know.",
        "I do not know when the ferry runs.",
        "I'm sorry, but I can't help with that.",
        "I'm not sure.",
        "I couldn't find that in the documents.",
        "I do not have any information on 2031.",
        "We could not find the fee.",
        "The context does not say when the ferry runs.",
        "The provided documents don't mention the 40 minutes.",
        "Unfortunately, there is no information about the ferry in the context.",
        "The fee is not mentioned in the provided documents.",
        "Not stated.",
        "As an AI, I have no ferry.",
        "Yes",
        "No.",
        "Yes, of course!",
        "It isn't.",
        "# The ferry",
        "### The ferry runs every 40 minutes",
        "| --- | :-: |",
        "---",
        "```\nferry = 40\n```",
        "~~~py\nprint('ferry')",
        "Here are the ferries:",
        "✅",
        "[1]",
    ],
)
def test_what_states_nothing_carries_no_claim(text: str) -> None:
    assert claims_of(text) == []


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("- The *ferry* runs `daily`.", ["The ferry runs daily."]),
        ("  2) **The ferry** runs daily", ["The ferry runs daily"]),
        ("- [x] The ferry runs", ["The ferry runs"]),
        ("> The ferry runs", ["The ferry runs"]),
        ("The ferry runs daily [1][2, 3].", ["The ferry runs daily."]),
        ("See the [time table](https://example.org/a) of 2031", ["See the time table of 2031"]),
        (
            "| Size | Fee |\n|---|---|\n| Large | 9 € |\n| Small | 5 € |",
            ["Large | 9 €", "Small | 5 €"],
        ),
        ("| Large | 9 € |", ["Large | 9 €"]),
        ("**Summary**\nThe ferry runs.", ["The ferry runs."]),
        ("**Delhi**", ["Delhi"]),
        ("**The fee is 9 €**\nThe ferry runs.", ["The fee is 9 €", "The ferry runs."]),
        ("Needed:\n* passport\n* visa", ["passport", "visa"]),
        ("Yes, the ferry runs.", ["the ferry runs."]),
        ("Sure! Hello, the ferry runs.", ["the ferry runs."]),
        ("I couldn't find the fee, but the ferry runs.", ["the ferry runs."]),
        ("The ferry runs, but the context does not say when.", ["The ferry runs"]),
        ("The ferry runs, but it is late.", ["The ferry runs", "it is late."]),
        ("```\nx = 1\n```\nThe ferry runs.\n```\ny = 2\n```", ["The ferry runs."]),
        ("Hello! The ferry runs. It costs 5 €. Bye?", ["The ferry runs.", "It costs 5 €."]),
    ],
)
def test_markup_and_small_talk_are_left_out(text: str, claims: list[str]) -> None:
    assert [claim for _, claim in claims_of(text)] == claims


def test_each_claim_names_its_sentence() -> None:
    assert claims_of("Hello! The ferry runs. Why? It costs 5 €.") == [
        (2, "The ferry runs."),
        (4, "It costs 5 €."),
    ]


def test_lines_of_one_sentence_are_joined_and_its_items_and_fences_kept_apart() -> None:
    text = "The ferry\nruns daily\n- passport\n- visa\n\nis cheap\n```\ncode 5\n```"
    reply = JUDGE.run(
        EXTRACT_CLAIMS,
        {"question": None, "sentences": [{"id": 3, "text": text}, {"id": 4, "text": "It sank."}]},
    )
    assert json.loads(reply)["claims"] == [
        {"sentence": 3, "text": "The ferry runs daily"},
        {"sentence": 3, "text": "passport"},
        {"sentence": 3, "text": "visa"},
        {"sentence": 3, "text": "is cheap"},
        {"sentence": 4, "text": "It sank."},
    ]


def test_a_fence_over_several_sentences_hides_them_all() -> None:
    sentences = [
        {"id": n, "text": t} for n, t in enumerate(["```py", "ferry runs", "```", "It sank"])
    ]
    reply = JUDGE.run(EXTRACT_CLAIMS, {"question": None, "sentences": sentences})
    assert json.loads(reply)["claims"] == [{"sentence": 3, "text": "It sank"}]


# Verdicts


FULL, NONE, AGAINST = "FULLY_SUPPORTED", "NO_EVIDENCE", "CONTRADICTORY"
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
        ("The kayak's mass is 23 kilograms.", ["Kayak, mass: 23kg"], FULL, "Kayak, mass: 23kg"),
        ("The lease began on 2031-08-15.", ["The lease ended on 2031-08-15."], NONE, None),
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
    assert (verdict["verdict"], verdict["passage"]) == (FULL, 11)
    assert verdict["quote"] == "Every kayak here is red."


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


def test_no_evidence_has_neither_passage_nor_quote() -> None:
    [verdict] = verdicts_of(["Trams are red"], [FERRY])
    assert verdict == {
        "id": 1,
        "reason": "0 of 2 content words found",
        "passage": None,
        "quote": None,
        "verdict": NONE,
        "confidence": 0.87,
    }


# Anything


odd_text = st.text(st.characters(codec=None), max_size=120)
plain_text = st.lists(
    st.sampled_from(
        ["The", "kayak", "weighs", "18", "23", "kg", "not", "no", "Jane", "Doe", "is", "red", ".",
         "\n", "|", "- ", "```", "**", "five", "hundred", "%", "but", ",", "\ud800", "渡轮", "?"]
    ),
    max_size=20,
).map(" ".join)  # fmt: skip
texts = st.lists(odd_text | plain_text, max_size=4)


@given(texts, texts)
@example(["A0"], ["?A0"])
def test_every_claim_is_answered_once_with_an_exact_quote(
    claims: list[str], passages: list[str]
) -> None:
    verdicts = verdicts_of(claims, passages)
    assert [verdict["id"] for verdict in verdicts] == list(range(1, len(claims) + 1))
    for verdict in verdicts:
        if verdict["verdict"] == NONE:
            assert verdict["passage"] is verdict["quote"] is None
        else:
            passage = passages[verdict["passage"] - 10]
            assert verdict["quote"] in passage
            assert verdict["quote"] == passage or len(verdict["quote"].split()) >= 3


@given(odd_text | plain_text)
def test_claims_are_never_blank_and_name_their_sentence(text: str) -> None:
    claims = claims_of(text)
    assert all(claim.strip() for _, claim in claims)
    assert {sentence for sentence, _ in claims} <= set(range(1, len(split_sentences(text)) + 1))


@given(texts, texts)
def test_equal_questions_have_equal_answers(claims: list[str], passages: list[str]) -> None:
    first = verdicts_of(claims, passages)
    assert verdicts_of(claims, passages) == first
    # one claim's verdict does not hang on the others asked with it
    alone = [verdicts_of([claim], passages)[0] for claim in claims]
    assert [{**verdict, "id": 0} for verdict in alone] == [{**v, "id": 0} for v in first]


@pytest.mark.parametrize("text", ["thank you ", "if you ", "- ", "|-", "**a", "[1", ": ", "i was "])
def test_extracting_takes_time_in_proportion(text: str) -> None:
    started = time.process_time()
    JUDGE.run(EXTRACT_CLAIMS, {"question": None, "sentences": [{"id": 1, "text": text * 9000}]})
    assert time.process_time() - started < 5  # quadratic matching takes minutes
