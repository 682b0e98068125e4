"""Large inputs: packed into several requests, merged, nothing lost."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_ragassert import JudgeError, Settings, evaluate
from pytest_ragassert.language.pieces import pieces_within
from pytest_ragassert.language.token_estimate import estimated_tokens
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.evidence.quotes import find_quote

from .conftest import MakeSettings
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge
from .replies import CONTRA, FULL, NONE, PARTIAL, case, in_new_run, verdict

VERIFY = STEPS["verify_claims"]
EXTRACT = STEPS["extract_claims"]

LINES = st.lists(
    st.sampled_from(["# A", "B:", "- c d", "  - e.", "| f |", "|---|", "G. H i.", "", "x" * 50]),
    max_size=20,
).map("\n".join)
TEXTS = st.lists(
    st.sampled_from(
        ["A tram stops here. ", "word ", "电车停在这里。", "\n", "ж" * 30, "x" * 50, "👍"]
    ),
    max_size=40,
).map("".join)


def test_a_text_is_cut_at_sentence_ends() -> None:
    text = "The first tram is red. The second tram is blue. The third tram is green."
    pieces = pieces_within(text, 16)
    assert [piece.strip() for piece in pieces] == [
        "The first tram is red.",
        "The second tram is blue.",
        "The third tram is green.",
    ]


def test_a_text_that_fits_is_left_alone() -> None:
    assert pieces_within("Short. Text.", 100) == ["Short. Text."]


FARES = "# Fares\n\nThe trams of the harbour.\n\n| who | price |\n|---|---|\n" + "\n".join(
    f"| rider {number} | {number}.50 crowns |" for number in range(40)
)


def test_a_piece_stands_behind_what_heads_it() -> None:
    first, *others = pieces_within(FARES, 120)
    assert first.startswith("# Fares\n\nThe trams")
    assert others
    assert all(piece.startswith("# Fares\n…\n| who | price |\n|---|---|\n") for piece in others)
    rows = re.findall("rider (\\d+) ", "".join([first, *others]))
    assert rows == [str(number) for number in range(40)]


def test_a_quote_of_a_heading_and_what_stands_below_it_is_found_in_the_text() -> None:
    quote = "| who | price |\n|---|---|\n…\n| rider 14 | 14.50 crowns |"
    piece = next(piece for piece in pieces_within(FARES, 120) if quote[-20:] in piece)
    assert find_quote(quote, piece)
    assert find_quote(quote, FARES)


@settings(max_examples=80, deadline=None)
@given(LINES | TEXTS, st.integers(10, 80))
@example("# A\n\n|---|\nB:", 10)
def test_pieces_fit_and_lose_nothing(text: str, budget: int) -> None:
    pieces = pieces_within(text, budget)
    assert all(estimated_tokens(piece) <= budget for piece in pieces)
    sent = iter("".join(pieces))
    assert all(char in sent for char in text if not char.isspace())


@pytest.mark.parametrize(
    ("text", "budget", "second"),
    [
        ("The tram runs daily. It is red.\n# Fares\nA trip costs 5.", 18, "# Fares"),
        ("The tram runs daily. It is red.\nFares:\n- a trip costs 5", 18, "Fares:"),
        ("The tram runs daily. It is red.\n\n| a | b |\n|--|--|\n| 1 | 2 |", 18, "| a"),
    ],
)
def test_no_piece_ends_with_a_heading(text: str, budget: int, second: str) -> None:
    one, other = pieces_within(text, budget)
    assert other.strip().startswith(second)
    assert one + other == text


def question(passages: list[str], claims: list[str]) -> Json:
    return {
        "passages": [{"id": n, "text": text} for n, text in enumerate(passages, start=1)],
        "claims": [{"id": n, "text": text} for n, text in enumerate(claims, start=1)],
    }


@settings(max_examples=60, deadline=None)
@given(
    st.lists(TEXTS.filter(bool), min_size=1, max_size=12),
    st.lists(TEXTS.filter(bool), min_size=1, max_size=6),
    st.integers(80, 400),
)
def test_every_claim_meets_every_passage_within_the_budget(
    passages: list[str], claims: list[str], budget: int
) -> None:
    asked = question(passages, claims)
    messages = VERIFY.messages(asked, budget)
    sent: dict[tuple[int, int], str] = {}
    for message in messages:
        pairs = itertools.product(message["claims"], message["passages"])
        for claim, passage in pairs:
            assert claim["text"] == claims[claim["id"] - 1]
            pair = (claim["id"], passage["id"])
            sent[pair] = sent.get(pair, "") + passage["text"]
        texts = [item["text"] for item in message["claims"] + message["passages"]]
        if all(estimated_tokens(claim["text"]) <= budget // 2 for claim in message["claims"]):
            assert sum(map(estimated_tokens, texts)) <= budget
    assert sent == {
        (claim, passage): text
        for claim in range(1, len(claims) + 1)
        for passage, text in enumerate(passages, start=1)
    }


def test_what_fits_is_one_request() -> None:
    asked = question(["a passage"] * 30, ["a claim"] * 30)
    assert VERIFY.messages(asked, 12_000) == [asked]


def test_a_long_text_to_extract_from_keeps_every_sentence() -> None:
    text = " ".join(f"Tram number {n} is yellow." for n in range(200))
    messages = EXTRACT.messages({"text": text, "question": "Why?"}, 300)
    sentences = [
        sentence
        for message in messages
        for sentence in message["sentences"]
        if sentence["id"] in message.get("only", [sentence["id"]])
    ]
    assert len(messages) > 1
    assert [sentence["id"] for sentence in sentences] == list(range(1, 201))
    assert " ".join(sentence["text"] for sentence in sentences) == text
    assert all(message["question"] == "Why?" for message in messages)


# -- several answers about one claim ---------------------------------------------------------------

CLAIM = "The tram is yellow"
PASSAGES = ["They say the tram is yellow with stripes.", "In truth the tram is blue and grey."]
PROVEN_FULL = {"verdict": "FULLY_SUPPORTED", "quote": "the tram is yellow", "passage": 1}
PROVEN_CONTRA = {"verdict": "CONTRADICTORY", "quote": "the tram is blue", "passage": 2}
INVENTED = {"quote": "as everybody in town knows", "passage": 1}


def merged(*said: Any) -> dict[str, Any]:
    replies = [{"verdicts": [verdict(1, one)]} for one in said]
    (result,) = VERIFY.merged(question(PASSAGES, [CLAIM]), replies)["verdicts"]
    return dict(result)


RANKS: list[Any] = [PROVEN_FULL, PROVEN_CONTRA, FULL, PARTIAL]


@pytest.mark.parametrize(("better", "worse"), list(itertools.combinations([*RANKS, NONE], 2)))
def test_the_stronger_verdict_counts_in_any_order(better: Any, worse: Any) -> None:
    strong = {**verdict(1, better), "packed": True}
    assert {**merged(worse, better), "conflict": None} == {**strong, "conflict": None}
    assert merged(better, worse, NONE) == merged(NONE, better, worse)


@pytest.mark.parametrize("stronger", [FULL, PARTIAL])
def test_a_contradiction_with_an_invented_quote_is_weak(stronger: Any) -> None:
    assert merged({"verdict": "CONTRADICTORY", **INVENTED}, stronger)["verdict"] == stronger.value


def test_support_with_an_invented_quote_does_not_beat_a_proven_contradiction() -> None:
    said = merged({"verdict": "FULLY_SUPPORTED", **INVENTED}, PROVEN_CONTRA)
    assert said["verdict"] == "CONTRADICTORY"
    assert "conflict" not in said


def test_an_unproven_contradiction_is_kept_where_nothing_else_was_found() -> None:
    assert merged(NONE, CONTRA, NONE)["verdict"] == "CONTRADICTORY"


def test_a_quote_that_merely_repeats_the_claim_proves_no_contradiction() -> None:
    repeating = {"verdict": "CONTRADICTORY", "quote": "the tram is yellow", "passage": 1}
    assert merged(repeating, FULL)["verdict"] == "FULLY_SUPPORTED"
    assert "conflict" not in merged(repeating, PROVEN_FULL)


def test_what_was_merged_says_so_and_a_single_reply_does_not() -> None:
    assert "packed" not in merged(PROVEN_FULL)
    assert merged(NONE, NONE)["packed"] is True
    assert merged(PARTIAL, PARTIAL)["packed"] is True
    # what is found where the passages were cut, and what was asked again of such a verdict
    found = {"verdicts": [verdict(1, PROVEN_CONTRA), verdict(2, FULL)]}
    assert [one["packed"] for one in VERIFY.of_less(found)["verdicts"]] == [True, True]
    whole = {"verdicts": [verdict(1, CONTRA), {**verdict(2, CONTRA), "packed": True}]}
    assert "packed" not in VERIFY.said(whole, 2)
    replaced = VERIFY.replaced(whole, found)["verdicts"]
    assert [one.get("packed") for one in replaced] == [None, True]


def test_both_proven_is_a_conflict() -> None:
    assert merged(PROVEN_FULL, PROVEN_CONTRA)["conflict"] is True
    assert merged(PROVEN_CONTRA, NONE, PROVEN_FULL)["conflict"] is True
    assert "conflict" not in merged(PROVEN_FULL, CONTRA)


# -- through the judge -----------------------------------------------------------------------------

FILLER = "Chunk {0} tells of depot {0}, its sheds, its staff and the long winter of that year. "
EVIDENCE = "Tram 9 was painted green in 1931."


def long_case() -> Any:
    chunks = [FILLER.format(number) * 3 for number in range(300)]
    chunks[271] += EVIDENCE
    return case(answer="Tram 9 was painted green in 1931.", retrieved_contexts=chunks)


def small(settings: MakeSettings, **more: Any) -> Settings:
    return settings(token_budget=4_000, **more)


def test_evidence_deep_in_300_chunks_is_found(judge: LoopbackJudge, settings: MakeSettings) -> None:
    judge.max_prompt_chars = 4 * 4_000 + len(VERIFY.system_message)
    result = evaluate(long_case(), ["faithfulness"], settings=small(settings))["faithfulness"]
    assert result.score == 1.0
    (claim,) = result.claims
    assert (claim.passage, claim.quote) == (271, EVIDENCE.rstrip("."))
    assert {request.status for request in judge.requests} == {200}
    sent = [p["id"] for r in judge.requests for p in r.data.get("passages", ())]
    assert sorted(set(sent)) == list(range(1, 301))
    assert result.requests == 2
    assert judge.count("verify_claims") > 3


def test_conflicting_chunks_far_apart_are_shown(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    long = long_case()
    long.retrieved_contexts[3] += "Tram 9 was painted green in 1930."
    result = evaluate(long, ["faithfulness"], settings=small(settings))["faithfulness"]
    (claim,) = result.claims
    assert (claim.verdict, claim.conflict, claim.passage) == (FULL, True, 271)


def test_after_a_failed_part_only_that_part_is_asked_again(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    def refuse_first_chunk(recorded: Recorded) -> Json | None:
        first = any(passage["id"] == 1 for passage in recorded.data.get("passages", ()))
        return {"status": 400} if first and broken else None

    broken = True
    judge.on(refuse_first_chunk)
    with pytest.raises(JudgeError, match="400"):
        evaluate(long_case(), ["faithfulness"], settings=small(settings))
    parts = judge.count("verify_claims")
    assert parts > 3
    broken = False
    judge.reset()
    results = in_new_run(long_case(), ["faithfulness"], small(settings))
    assert results["faithfulness"].score == 1.0
    (request,) = judge.requests
    assert request.data["passages"][0]["id"] == 1


def test_parts_are_no_answers_to_the_whole_question(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    evaluate(long_case(), ["faithfulness"], settings=small(settings))
    judge.reset()
    # another budget asks in other parts, and the whole answer is stored
    results = in_new_run(long_case(), ["faithfulness"], settings(token_budget=2_000))
    assert judge.count() == 0
    assert results["faithfulness"].stored
