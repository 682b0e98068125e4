"""The offline judge: what it takes for claims."""

from __future__ import annotations

import json

import pytest

from pytest_ragassert.steps.extract_claims import EXTRACT_CLAIMS

from .offline import JUDGE, claims_of


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
