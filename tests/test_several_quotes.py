"""Verdicts that rest on several quotes: which of them count, and what is kept of the others."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import ClaimVerdict, Quote, Verdict, evaluate
from pytest_ragassert.analysis.records.claims_jsonl import debug_claims
from pytest_ragassert.analysis.records.evidence_figures import evidence_figures
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.evidence.coverage import coverage_of
from pytest_ragassert.steps.evidence.evidence_check import gated
from pytest_ragassert.storage.committed.committed_verdicts import write_verdicts
from pytest_ragassert.storage.committed.verdict_line import line_of

from .conftest import MakeSettings
from .loopback.server import LoopbackJudge
from .measured import result, row
from .replies import CONTRA, FULL, NONE, PARTIAL, case, in_new_run, quoted, says_verdicts, verdict

PASSAGES = [
    (0, "Dogs ride free on the Grey Heron. Cats pay 3 crowns."),
    (2, "The Grey Heron has no lounge. Bicycles pay 5 crowns each way."),
]
CLAIM = "Dogs pay 4 crowns on the Grey Heron."
FREE = quoted("Dogs ride free on the Grey Heron", 1)
CATS = quoted("Cats pay 3 crowns", 1)
LOUNGE = quoted("The Grey Heron has no lounge", 3)
INVENTED = quoted("Dogs never pay anything at all", 3)
SHORT = quoted("3 crowns", 1)
REPEATED = quoted(CLAIM, 1)


def counted(evidence: list[Json], label: str = "CONTRADICTORY", **options: Any) -> ClaimVerdict:
    said = verdict(1, {"verdict": label, "evidence": evidence})
    passages = [*PASSAGES, (3, CLAIM)]
    return ClaimVerdict(text=CLAIM, **gated(said, CLAIM, passages, **{"gate": True, **options}))


def words(claim: ClaimVerdict) -> list[str]:
    return [one.quote for one in claim.evidence]


def test_every_quote_is_looked_for_in_its_passage() -> None:
    claim = counted([FREE, LOUNGE])
    assert (claim.verdict, claim.quote_verified, claim.gate_reason) == (CONTRA, True, None)
    assert claim.evidence == [
        Quote(quote=FREE["quote"], passage=0, span=(0, 32), verified=True),
        Quote(quote=LOUNGE["quote"], passage=2, span=(0, 28), verified=True),
    ]
    # the first one's
    assert (claim.quote, claim.passage, claim.quote_span) == (FREE["quote"], 0, (0, 32))


def test_of_a_proven_verdict_what_stands_nowhere_is_kept_unverified() -> None:
    claim = counted([FREE, INVENTED, SHORT])
    assert (claim.verdict, claim.proven, claim.quote_verified) == (CONTRA, True, False)
    assert claim.evidence == [
        Quote(quote=FREE["quote"], passage=0, span=(0, 32), verified=True),
        Quote(quote=INVENTED["quote"], passage=2),
        Quote(quote=SHORT["quote"], passage=0),
    ]
    assert claim.gate_reason == ("quote 2 is not in the passage; quote 3 is too short to prove it")
    # nothing of what is said is lost, though it names no passage
    (_, nowhere) = counted([FREE, quoted("of no passage", None)]).evidence
    assert nowhere == Quote(quote="of no passage")


def test_the_first_quote_that_proves_it_decides() -> None:
    claim = counted([INVENTED, REPEATED, FREE])
    assert (claim.verdict, claim.quote, claim.passage) == (CONTRA, FREE["quote"], 0)
    assert (claim.proven, claim.quote_verified) == (True, False)
    assert words(claim) == [FREE["quote"], REPEATED["quote"], INVENTED["quote"]]
    assert [one.verified for one in claim.evidence] == [True, True, False]
    assert claim.gate_reason == ("quote 1 is not in the passage; quote 2 merely repeats the claim")
    # a passage that says the claim stands beside the one that decides against it
    assert counted([FREE, REPEATED]).quote_verified


def test_of_an_unproven_verdict_all_is_kept_as_it_was_said() -> None:
    claim = counted([INVENTED, SHORT, REPEATED])
    assert (claim.verdict, claim.label_raw, claim.quote_verified) == (NONE, CONTRA, False)
    assert not claim.proven
    assert words(claim) == [INVENTED["quote"], SHORT["quote"], REPEATED["quote"]]
    assert [one.passage for one in claim.evidence] == [2, 0, 0]
    assert not any(one.verified or one.span for one in claim.evidence)
    assert claim.gate_reason == (
        "judge says contradicted, quote 1 is not in the passage, quote 2 is too short to prove it, "
        "quote 3 merely repeats the claim"
    )
    # a quote of no passage says nothing that could be looked up
    assert words(counted([INVENTED, quoted("of no passage", None)])) == [INVENTED["quote"]]


def test_each_quote_is_put_right_by_itself() -> None:
    moved = quoted(LOUNGE["quote"], 1)
    small = quoted("The grey Heron has no lounge. Bicycles pay 5 crowns each way", 3)
    claim = counted([FREE, moved, small])
    assert words(claim) == [FREE["quote"], LOUNGE["quote"], PASSAGES[1][1][:-1]]
    assert claim.gate_reason == "quote 2 is in passage 3, not 1; quote 3 corrected"
    # there is no passage of this number
    assert counted([quoted(LOUNGE["quote"], 9)]).gate_reason == ("the quote is in passage 3, not 9")
    assert counted([quoted(LOUNGE["quote"], -1)]).gate_reason is None


def test_a_place_is_quoted_once() -> None:
    assert words(counted([FREE, quoted(f'"{FREE["quote"]}"', 1)])) == [FREE["quote"]]
    twice = [INVENTED, LOUNGE, quoted(f"«{LOUNGE['quote']}»", 1)]
    assert words(counted(twice)) == [LOUNGE["quote"], INVENTED["quote"]]


SENTENCES = [FREE, CATS, LOUNGE, INVENTED, SHORT, REPEATED]
LABELS = st.sampled_from(["FULLY_SUPPORTED", "PARTIALLY_SUPPORTED", "CONTRADICTORY"])


@given(LABELS, st.lists(st.sampled_from(SENTENCES), max_size=3), st.randoms(), st.booleans())
def test_the_order_of_quotes_decides_nothing(
    label: str, evidence: list[Json], shuffle: Any, require: bool
) -> None:
    other = list(evidence)
    shuffle.shuffle(other)
    one, two = (counted(each, label, require=require) for each in (evidence, other))
    assert (one.verdict, one.quote_verified) == (two.verdict, two.quote_verified)
    assert one.proven == two.proven
    assert sorted(words(one)) == sorted(words(two))


@given(LABELS, st.lists(st.sampled_from(SENTENCES), max_size=2), st.booleans(), st.booleans())
def test_a_quote_that_stands_nowhere_changes_no_verdict(
    label: str, evidence: list[Json], gate: bool, require: bool
) -> None:
    alone = counted(evidence, label, gate=gate, require=require)
    more = counted([*evidence, INVENTED], label, gate=gate, require=require)
    assert (more.verdict, more.proven) == (alone.verdict, alone.proven)
    assert not more.quote_verified
    if alone.quote_verified:
        assert more.evidence == [*alone.evidence, Quote(quote=INVENTED["quote"], passage=2)]


def test_the_list_and_the_first_quotes_fields_say_the_same() -> None:
    given: dict[str, Any] = {"text": "x", "verdict": FULL, "label_raw": FULL}
    of_fields = ClaimVerdict(
        **given, quote="a b c", passage=1, quote_span=(0, 5), quote_verified=True
    )
    of_list = ClaimVerdict(**given, evidence=of_fields.evidence)
    assert of_fields == of_list
    unverified = ClaimVerdict(**given, evidence=[*of_list.evidence, Quote(quote="d", passage=0)])
    assert (unverified.quote, unverified.quote_verified) == ("a b c", False)
    assert ClaimVerdict(**given, quote_verified=True).quote_verified is False
    for made in (of_list, unverified):
        assert ClaimVerdict.model_validate_json(made.model_dump_json()) == made


COSTS = "The lamp of Anna Berg costs 12 coins."

# -- coverage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "quotes", "note"),
    [
        (COSTS, ["the lamp is Anna Berg's", "it costs 12 coins"], None),
        (COSTS, ["it costs 12 coins", "the lamp is Anna Berg's"], None),
        (COSTS, ["the lamp is Anna Berg's"], "the quote has no 12"),
        (COSTS, ["the lamp costs 12 coins"], "the quote has no name anna, berg; 3 of 5 content"),
        (COSTS, ["it costs 12 coins"], "the quote has no name anna, berg; 2 of 5 content words"),
        (COSTS, ["it costs 12 coins", "never"], "the quotes have no name anna, berg; a negation;"),
        ("The old lamp is green.", ["the lamp is green"], None),
        ("The old lamp is green.", ["the lamp", "it is green"], None),
        ("The old lamp is green.", ["the lamp is red"], "the quote has 1 of 3 content words"),
        ("The old lamp of ours is green.", ["the old lamp is red"], None),
        ("The old lamp by the gate is green.", ["the lamp is green"], "the quote has 2 of 4"),
    ],
)
def test_all_quotes_of_a_claim_cover_it_together(
    claim: str, quotes: list[str], note: str | None
) -> None:
    found = coverage_of(claim, quotes)
    assert found.ok is (note is None)
    assert (found.note or "").startswith(note or "")


# -- a run -----------------------------------------------------------------------------------------


def test_several_quotes_go_through_a_measurement(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    claim = "The tram costs 5 crowns on weekdays."
    contexts = ["The tram runs on weekdays. It is blue.", "A ride on the tram costs 5 crowns."]
    evidence = [quoted("A ride on the tram costs 5 crowns", 2), quoted("on weekdays. It is blue")]
    said = {"verdict": FULL, "evidence": evidence, "confidence": 0.9}
    says_verdicts(judge, {claim: said})
    given = case(answer=claim, retrieved_contexts=contexts)
    first, again = (
        evaluate(given, ["faithfulness", "evidence"], settings=settings()) for _ in range(2)
    )
    for name, measured in first.items():
        (one,) = measured.claims
        assert [(q.passage, q.quote) for q in one.evidence] == [
            (q["passage"] - 1, q["quote"]) for q in evidence
        ]
        assert (one.quote_verified, one.passage) == (True, 1)
        assert again[name].claims == measured.claims
    (one,) = first["evidence"].claims
    assert (one.coverage_ok, one.confidence) == (True, 0.9)


@pytest.mark.parametrize("label", [FULL, PARTIAL, CONTRA])
def test_one_quote_that_stands_nowhere_leaves_the_verdict_and_is_told(
    judge: LoopbackJudge, settings: MakeSettings, label: Verdict
) -> None:
    claim = "The tram costs 5 crowns on weekdays."
    invented = quoted("nobody pays on any day", 2)
    right = quoted("A ride on the tram costs 4 crowns", 1)  # in the other passage
    for number, evidence in enumerate(([right, invented], [invented, right])):
        says_verdicts(judge, {claim: {"verdict": label, "evidence": evidence}})
        contexts = ["The tram runs daily. It is blue.", "A ride on the tram costs 4 crowns."]
        given = case(answer=claim, retrieved_contexts=contexts)
        own = settings(cache_dir=None, record_mode="off")
        asked = judge.count("verify_claims")
        results = in_new_run(given, ["faithfulness", "evidence"], own)
        # a proven verdict is not asked for again
        assert judge.count("verify_claims") - asked <= 2, number  # a question of each metric
        for measured in results.values():
            (one,) = measured.claims
            assert (one.verdict, one.proven, one.quote_verified) == (label, True, False)
            assert (one.quote, one.passage, one.quote_span) == (right["quote"], 1, (0, 33))
            assert [q.verified for q in one.evidence] == [True, False]
            assert (one.evidence[1].quote, one.evidence[1].passage) == (invented["quote"], 1)
        assert results["evidence"].details["with_evidence"] == 1
        assert results["evidence"].claims[0].coverage_ok is not None


def test_files_count_verdicts_with_a_verified_quote_and_the_quotes_that_are() -> None:
    proven, unproven = counted([FREE, LOUNGE, INVENTED]), counted([INVENTED])
    rows = [row(result("faithfulness", claims=[proven, unproven]))]
    debug = list(debug_claims(rows, "r"))
    assert [one.evidence_found for one in debug] == [True, False]
    assert [len(one.evidence) for one in debug] == [3, 1]
    figures = evidence_figures(rows)["faithfulness"]
    assert (figures.quotes, figures.verified, figures.withheld) == (2, 1, 1)
    assert figures.quote_chars is not None
    assert (figures.quote_chars.n, figures.quote_chars.max) == (2, len(FREE["quote"]))


def test_a_committed_line_of_the_first_version_is_read(
    judge: LoopbackJudge, settings: MakeSettings, tmp_path: Path
) -> None:
    claim = "The tram runs every 12 minutes on weekdays."
    recorded = evaluate(case(answer=claim), ["faithfulness"], settings=settings())["faithfulness"]
    with closing(sqlite3.connect(tmp_path / "store" / "cache.db")) as connection:
        rows = connection.execute("SELECT key, value FROM Cache").fetchall()
    lines = [line for key, text in rows if (line := line_of(key, text)) is not None]
    for line in lines:
        for said in line.reply.get("verdicts", ()):
            (quote,) = said.pop("evidence")
            said.update(quote)
    write_verdicts(tmp_path / "v.jsonl", lines)
    own = settings(verdicts=tmp_path / "v.jsonl", record_mode="none")
    replayed = evaluate(case(answer=claim), ["faithfulness"], settings=own)["faithfulness"]
    assert replayed.claims == recorded.claims
    assert replayed.claims[0].evidence


def test_a_jury_shows_the_quotes_of_a_judge_that_says_so(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    said = {"verdict": CONTRA, "evidence": [FREE, LOUNGE]}
    for model, of_model in (
        ("a", FULL),
        ("b", {**said, "evidence": [INVENTED, FREE]}),
        ("c", said),
    ):
        says_verdicts(judge, {CLAIM: of_model}, model)
    given = case(answer=CLAIM, retrieved_contexts=[PASSAGES[0][1], "Not this.", PASSAGES[1][1]])
    own = settings(model=["a", "b", "c"])
    result = evaluate(given, {"faithfulness": {"aggregate": "majority"}}, settings=own)
    (claim,) = result["faithfulness"].claims
    assert (claim.verdict, words(claim)) == (CONTRA, [FREE["quote"], INVENTED["quote"]])
    assert claim.gate_reason == "quote 1 is not in the passage"


VERIFY = STEPS["verify_claims"]
ASKED = {
    "passages": [{"id": n + 1, "text": text} for n, text in PASSAGES],
    "claims": [{"id": 1, "text": CLAIM}],
}


def reply(label: str, *evidence: Json) -> Json:
    return {"verdicts": [verdict(1, {"verdict": label, "evidence": list(evidence)})]}


def test_of_several_requests_the_verdict_that_counts_keeps_its_quotes() -> None:
    unproven = reply("FULLY_SUPPORTED", INVENTED)
    contradicted = reply("CONTRADICTORY", INVENTED, FREE)
    (merged,) = VERIFY.merged(ASKED, [unproven, contradicted])["verdicts"]
    assert merged == {**contradicted["verdicts"][0], "packed": True}
    proven = reply("FULLY_SUPPORTED", INVENTED, CATS)
    (merged,) = VERIFY.merged(ASKED, [contradicted, proven])["verdicts"]
    assert merged == {**proven["verdicts"][0], "conflict": True, "packed": True}


def test_parts_that_several_requests_found_are_quoted_together() -> None:
    none = reply("NO_EVIDENCE", INVENTED)
    one, two = reply("PARTIALLY_SUPPORTED", FREE, CATS, SHORT), reply("PARTIALLY_SUPPORTED", LOUNGE)
    for replies, evidence in (
        ([none, one, two], [FREE, LOUNGE, CATS]),
        ([two, one], [LOUNGE, FREE, CATS]),
        ([two, none, two], [LOUNGE]),
    ):
        (merged,) = VERIFY.merged(ASKED, replies)["verdicts"]
        assert (merged["verdict"], merged["evidence"]) == ("PARTIALLY_SUPPORTED", evidence)
        (kept,) = VERIFY.judgement_replies(ASKED, {"verdicts": [merged]}, [0])
        assert VERIFY.is_whole(kept)
