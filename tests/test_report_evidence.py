"""Reports on evidence: issue spans, and quotes that are verified apart from those that are not."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_ragassert import ClaimVerdict, MetricResult, Quote, Verdict
from pytest_ragassert.analysis.records.row_types import MeasuredRow
from pytest_ragassert.report.summary import summary_lines
from pytest_ragassert.report.terminal import Screen
from pytest_ragassert.steps.evidence.evidence_details import EvidenceDetails
from pytest_ragassert.steps.evidence.sentence_labels import label_of, sentences_of, spans_of

from .measured import PRICE, case, claim, recorded, result, row, table

ANSWER = "The crossing costs 5 euros. It may rain. Dogs ride free, as everybody knows on the lake."


def evidence(*claims: ClaimVerdict, **fields: Any) -> MetricResult:
    labelled = [c.model_copy(update={"label_final": label_of(c.verdict)}) for c in claims]
    sentences = sentences_of(labelled, ANSWER)
    details = EvidenceDetails(sentences=sentences, spans=spans_of(labelled, sentences))
    given: dict[str, Any] = {"reason": "3 sentences: 1 incorrect, 2 uncertain"}
    return result("evidence", claims=labelled, details=details.model_dump(), **{**given, **fields})


def spot(text: str) -> tuple[int, int]:
    start = ANSWER.index(text)
    return start, start + len(text)


PRICED = claim(
    "The crossing costs 5 euros.",
    "CONTRADICTORY",
    sentence=0,
    span=spot("The crossing costs 5 euros."),
    passage=1,
    quote=PRICE,
    gate_reason="the quote is in passage 2, not 1",
)
RAIN = claim("It may rain", sentence=1, span=spot("It may rain."), reason="nothing of weather")
DOGS = ClaimVerdict(
    text="Dogs ride free of charge.",
    verdict=Verdict.NO_EVIDENCE,
    label_raw=Verdict.CONTRADICTORY,
    gate_reason="judge says contradicted, the quote is not in the passage",
    quote="Dogs must pay",
    passage=0,
    sentence=2,
    span=spot("Dogs ride free, as everybody knows on the lake."),
)


def test_a_failure_shows_spans_with_severity_evidence_and_gate() -> None:
    lines = table(row(evidence(DOGS, RAIN, PRICED), case(answer=ANSWER)))
    assert lines == [
        "case price  What does the crossing cost?",
        "evidence 0.50 < 0.70   3 sentences: 1 incorrect, 2 uncertain    judge judge-a",
        "  ✗ The crossing costs 5 euros.                                  incorrect, high",
        '      [2] "The crossing costs 9 euros."                              answer 0-27',
        "      evidence check: the quote is in passage 2, not 1",
        "  ? It may rain.                                                  uncertain, low",
        "      nothing of weather                                            answer 28-40",
        "  ? Dogs ride free, as everybody knows on the lake.            uncertain, medium",
        "      claim: Dogs ride free of charge.",
        '      unverified [1] "Dogs must pay"                                answer 41-88',
        '      nearest [1] "Dogs are not allowed on board."',
        "      evidence check: judge says contradicted, the quote is not in the passage",
        "where it broke: the answer added 3 claims (1 contradicted); check the prompt",
    ]


QUOTES = [
    Quote(quote=PRICE, passage=1, span=(33, 60), verified=True),
    Quote(quote="Dogs are not allowed", passage=0, span=(0, 20), verified=True),
    Quote(quote="The ferry runs", passage=1, span=(0, 14), verified=True),
]


def test_each_quote_has_a_line() -> None:
    several = claim("The crossing costs 5 euros.", "CONTRADICTORY", evidence=QUOTES)
    unverified = DOGS.model_copy(
        update={"evidence": [Quote(quote="Dogs must pay", passage=0), Quote(quote="Dogs \x1b")]}
    )
    lines = table(row(result("faithfulness", claims=[several, unverified])))
    assert lines[2:] == [
        "  verdicts: 1 with verified quotes, 1 without",
        "  ✗ The crossing costs 5 euros.                                     contradicted",
        '      [2] "The crossing costs 9 euros."',
        '      [1] "Dogs are not allowed"',
        '      [2] "The ferry runs"',
        "  ? Dogs ride free of charge.               judge says contradicted, no evidence",
        '      unverified [1] "Dogs must pay"                                answer 41-88',
        '      unverified "Dogs \\x1b"',
        '      nearest [1] "Dogs are not allowed on board."',
        "where it broke: the answer added 2 claims (1 contradicted); check the prompt",
    ]
    spans = table(row(evidence(several)))
    assert [line.split('"')[1] for line in spans if line.startswith("      [")] == [
        one.quote for one in QUOTES
    ]


def test_one_unverified_quote_of_a_proven_verdict_is_marked_alone() -> None:
    mixed = [QUOTES[0], Quote(quote="Nobody pays", passage=0)]
    claims = [
        claim("The crossing costs 5 euros.", "CONTRADICTORY", evidence=mixed),
        claim("Cats ride free.", "FULLY_SUPPORTED", evidence=mixed),
    ]
    assert not any(one.quote_verified for one in claims)
    lines = table(row(result("faithfulness", claims=claims)), verbose=True)
    assert not any(line.startswith("  verdicts:") for line in lines)
    assert next(line for line in lines if line.startswith("  ✗")).endswith("     contradicted")
    assert next(line for line in lines if line.startswith("  ✓")).endswith("     supported")
    quotes = [line.strip() for line in lines if '"' in line]
    assert quotes == ['[2] "The crossing costs 9 euros."', 'unverified [1] "Nobody pays"'] * 2


def test_where_lines_are_few_the_deciding_quote_is_shown_and_how_many_there_are() -> None:
    claims = [claim(f"It costs {n} euros.", "CONTRADICTORY", evidence=QUOTES) for n in range(5)]
    lines = table(row(result("faithfulness", claims=claims)))
    assert len(lines) <= 15
    shown = [line for line in lines if line.startswith("      ")]
    assert shown == ['      [2] (1 of 3) "The crossing costs 9 euros."'] * 5
    verbose = table(row(result("faithfulness", claims=claims)), verbose=True)
    assert sum('[1] "Dogs are not allowed"' in line for line in verbose) == 5


def test_with_more_to_say_the_claims_follow() -> None:
    lines = table(row(evidence(PRICED, RAIN)), verbose=True)
    assert sum("It may rain" in line for line in lines) == 2
    assert not any("no evidence" in line for line in table(row(evidence(PRICED, RAIN))))


@pytest.mark.parametrize("width", [30, 60, 100])
def test_a_failure_of_many_spans_stays_short(width: int) -> None:
    many = [
        PRICED.model_copy(update={"text": f"Claim {n} " + "of many words " * 9, "sentence": n})
        for n in range(20)
    ]
    lines = table(row(evidence(*many)), width=width)
    assert len(lines) <= 15
    (at,) = [at for at, line in enumerate(lines) if "more spans" in line]
    assert lines[at].endswith(")")
    assert lines[at + 1].startswith("where it broke: the answer")


def test_control_characters_in_a_span_are_neutralised() -> None:
    rows = row(evidence(PRICED))
    rows["details"]["spans"][0]["text"] = "\x1b[31mred\u202e"
    assert not any("\x1b" in line or "\u202e" in line for line in table(rows))


# -- quotes of the other metrics -------------------------------------------------------------------

GOOD = claim("The crossing costs 9 euros", "FULLY_SUPPORTED", passage=1, quote=PRICE)
LOOSE = claim("It is cheap", "FULLY_SUPPORTED")
INVENTED = claim("It is slow", "PARTIALLY_SUPPORTED").model_copy(
    update={"quote": "slow as a snail", "passage": 0}
)


@pytest.mark.parametrize(
    "metric", ["faithfulness", "factual_f1", "factual_recall", "context_recall"]
)
def test_verified_and_unverified_quotes_are_counted_apart(metric: str) -> None:
    claims = [GOOD, LOOSE, INVENTED, claim("Nobody knows")]
    made = result(metric, claims=claims, reason="4 claims")
    lines = table(row(made), width=120)
    assert lines[2] == "  verdicts: 1 with verified quotes, 2 without"
    (shown,) = [line for line in lines if "snail" in line]
    assert shown.lstrip().startswith("unverified [")
    proven = table(row(result(metric, claims=[GOOD, claim("Nobody")], reason="2 claims")))
    assert not any("verdicts:" in line for line in proven)


def summary(*rows: MeasuredRow) -> list[str]:
    return summary_lines(recorded(*rows), Screen())


def test_the_summary_counts_what_is_unproven() -> None:
    lines = summary(row(result("faithfulness", claims=[GOOD, LOOSE, INVENTED, DOGS])))
    at = lines.index("judge says contradicted, no evidence: 1 claim")
    assert lines[at + 1] == "judge says supported, quote unverified: 1 claim"
    proven = summary(row(result("faithfulness", claims=[GOOD])))
    assert not any("judge says" in line for line in proven)
    mixed = claim("It costs 5.", "CONTRADICTORY", evidence=[QUOTES[0], Quote(quote="None pays")])
    assert not any(
        "judge says" in line for line in summary(row(result("faithfulness", claims=[mixed])))
    )


def test_support_that_had_to_be_proven_says_so() -> None:
    kept = LOOSE.model_copy(update={"verdict": Verdict.NO_EVIDENCE})
    lines = table(row(result("faithfulness", claims=[kept])))
    assert any("judge says supported, no evidence" in line for line in lines)
