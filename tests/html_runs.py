"""Runs made by hand for the page: many languages, hostile texts, and all that may happen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from pytest_ragassert import ClaimVerdict, EvalCase, MetricResult, Verdict
from pytest_ragassert.analysis.records.conclusion_record import GateRecord
from pytest_ragassert.analysis.records.measurement import measurements_of
from pytest_ragassert.analysis.records.result_record import CaseTexts
from pytest_ragassert.analysis.records.results_file import HistoryEntry
from pytest_ragassert.analysis.records.row_types import MeasuredRow
from pytest_ragassert.analysis.regression.comparison import compared
from pytest_ragassert.analysis.regression.conclusion import Conclusion
from pytest_ragassert.analysis.regression.gates import GateResult
from pytest_ragassert.analysis.run_record import RunRecord
from pytest_ragassert.config.gate_syntax import read_gate
from pytest_ragassert.runtime.canonical_json import digest

from .measured import claim, recorded, result, row

# What would run, be fetched, or break out of the page, were it not text there.
HOSTILE = (
    "<script>window.hacked = 1</script>",
    "<img src=https://evil.example/x onerror='window.hacked = 2'>",
    "</script><script>window.hacked = 3</script>",
    "<!--<script>",
    "]]>'\"`&lt;{{ 7 * 7 }}{% raw %}<!-- texts -->",
    "javascript:window.hacked=4",
    "\u202eright to left\u2066 \x00\x07\x1b[31m \ud800 lone",
    "<style>body{display:none}</style><base href=//evil.example>",
)
LONG_WORD = "Donaudampfschifffahrtsgesellschaft" * 12


class Made:
    """Cases and their results, as a run."""

    def __init__(self) -> None:
        self.rows: list[MeasuredRow] = []
        self.cases: dict[str, CaseTexts] = {}

    def add(self, case: EvalCase, *results: MetricResult | MeasuredRow, **fields: Any) -> None:
        """Results of a case; fields are the rows'."""
        texts = case.model_dump(include=set(CaseTexts.model_fields))
        name = digest(texts)[:16]
        self.cases[name] = CaseTexts(**texts)
        for one in results:
            made = row(one, case) if isinstance(one, MetricResult) else one
            nodeid = f"tests/test_it.py::test_{made['metric']}[{case.id}]"
            steps = {"verify_claims": "v2"}
            given: Any = {**made, "nodeid": nodeid, "texts": name, "steps": steps, **fields}
            self.rows.append(given)

    @staticmethod
    def of(run: RunRecord, **fields: Any) -> RunRecord:
        """The run with other fields."""
        return replace(run, **fields)

    def record(self, **fields: Any) -> RunRecord:
        run = replace(recorded(*self.rows), cases=self.cases)
        return replace(run, **fields)


def passing(metric: str = "faithfulness", **fields: Any) -> MetricResult:
    return result(metric, **{"score": 1.0, "passed": True, **fields})


def ferry() -> RunRecord:
    """Some cases of a ferry: contradicted, carried over, by hand, voted on, and in four scripts."""
    made = Made()
    answer = "\U0001f6a2 The crossing costs 5 euros. Dogs are welcome. It runs daily."
    price = "The crossing costs 9 euros for adults"
    contexts = [
        f"Timetable \U0001f552: every 40 minutes.\n{price}, and 4 for children.",
        "Dogs are not allowed on board. " + "The café opens at nine. " * 40,
        None,
    ]
    case = EvalCase(
        id="fha-12",
        question="What does the crossing cost?",
        history=[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}],
        answer=answer,
        retrieved_contexts=contexts,
        ground_truth_answer="It costs 9 euros.",
        metadata={"topic": "fares", "language": "en"},
        tags=["smoke"],
    )
    start = (contexts[0] or "").index(price)
    claims = [
        claim(
            "The crossing costs 5 euros.",
            "CONTRADICTORY",
            span=(2, 29),
            quote=price,
            passage=0,
            quote_span=(start, start + len(price)),
            reason="The passage says 9.",
        ),
        claim("Dogs are welcome.", span=(30, 47), reason="Nothing says so."),
        claim("It runs daily.", "PARTIALLY_SUPPORTED", span=(48, 62), by_hand="ask the captain"),
        claim(
            "It runs.",
            "FULLY_SUPPORTED",
            span=(48, 62),
            carried="0a1b",
            votes={"FULLY_SUPPORTED": 2, "NO_EVIDENCE": 1},
        ),
    ]
    made.add(
        case,
        result(
            "faithfulness",
            0.25,
            0.8,
            claims=claims,
            votes=3,
            judgements=4,
            split=1,
            by_model={"model-a": 0.25, "model-b": 0.5},
        ),
    )
    made.add(
        case,
        passing(
            "factual_recall",
            claims=[claim("It costs 9 euros.", "FULLY_SUPPORTED", "reference", span=(0, 17))],
        ),
    )
    for id, language, question, said in (
        ("zh-1", "zh", "冬季末班船几点开出？", "冬季末班船18:30从布兰诺克开出。"),
        ("ar-1", "ar", "متى تغادر العبارة؟", "تغادر العبارة في الساعة التاسعة."),
        ("de-1", "de", "Wann fährt die Fähre?", f"Die {LONG_WORD} fährt um neun."),
    ):
        own = EvalCase(
            id=id,
            question=question,
            answer=said,
            retrieved_contexts=[said],
            metadata={"language": language, "topic": "times"},
        )
        whole = claim(
            said,
            "FULLY_SUPPORTED",
            span=(0, len(said)),
            quote=said,
            passage=0,
            quote_span=(0, len(said)),
        )
        made.add(own, passing(claims=[whole]), stored=True)
    return made.record(exit_status=1)


def hostile() -> RunRecord:
    """Each hostile text in every field that a case, a judge, or a project may fill."""
    made = Made()
    for number, text in enumerate(HOSTILE):
        case = EvalCase(
            id=f"{text} {number}",
            question=text,
            history=[{"role": "user", "content": text}],
            answer=f"{text} said",
            retrieved_contexts=[text, f"{text} {text}"],
            retrieved_context_sources=[text, None],
            ground_truth_answers=[text, f"{text}!"],
            ground_truth_contexts=[text],
            metadata={text: text, "language": text, "topic": text},
            tags=[text],
        )
        fields: dict[str, Any] = {
            "reason": text,
            "gate_reason": text,
            "coverage_note": text,
            "selection_reason": text,
            "votes": {"NO_EVIDENCE": 2, "CONTRADICTORY": 1},
        }
        claims = [
            claim(
                text,
                "CONTRADICTORY",
                span=(0, len(text)),
                quote=text,
                passage=0,
                quote_span=(0, len(text)),
                **fields,
            ),
            claim(text, span=(0, len(text)), by_hand=text, **fields),
            ClaimVerdict(
                text=text,
                verdict=Verdict.NO_EVIDENCE,
                label_raw=Verdict.FULLY_SUPPORTED,
                quote=text,
                **fields,
            ),
        ]
        made.add(
            case,
            result(
                "faithfulness",
                0.0,
                0.8,
                claims=claims,
                judge=text,
                by_model={text: 0.5},
                details={text: text},
                reason=text,
            ),
            result(text, label=text, grade="A", reason=text),
            quarantine=None,
        )
        made.add(case, error_row(case, text), quarantine=text)
    return made.record(
        exit_status=1,
        judge=HOSTILE[0],
        notices=list(HOSTILE),
        settings={"model": HOSTILE[1]},
        partial=HOSTILE[0],
        conclusion=concluded(made.rows, HOSTILE[2]),
    )


def error_row(case: EvalCase, message: str) -> MeasuredRow:
    """A metric that could not be measured."""
    made = row(result("context_recall"), case)
    error: Any = {"type": "JudgeError", "kind": "timeout", "message": message, "fields": []}
    return {**made, "score": None, "claims": [], "error": error}


def concluded(rows: Iterable[MeasuredRow], what: str = "the baseline b.jsonl") -> Conclusion:
    """What came of gates and of a baseline in which every score was 1 and claims were others."""
    after = measurements_of(rows)
    before = tuple(
        replace(one, score=1.0, inputs={**one.inputs, "answer": "another"}, claims=one.claims[1:])
        for one in after
    )
    gates = [
        GateRecord(
            text="mean(faithfulness) >= 0.9",
            value=0.5,
            n=3,
            passed=False,
            why=what,
            pulling=[(one.case, "0.00") for one in after[:2]],
        ),
        GateRecord(text="min(faithfulness) >= 0", value=0.0, n=3, passed=True),
    ]
    return Conclusion(
        comparison=compared(before, after),
        before=before,
        against=what,
        gates=tuple(
            GateResult(read_gate(g.text), g.value, g.n, g.passed, g.why, tuple(g.pulling))
            for g in gates
        ),
        outcome="failed",
        notes=(what,),
    )


def earlier(*means: float) -> list[HistoryEntry]:
    """Runs before, of these means of faithfulness."""
    return [
        HistoryEntry(
            date=datetime(2026, 1, day, tzinfo=timezone.utc),
            commit=f"c0ffee{day}",
            judge=f"judge-{day % 2}",
            means={"faithfulness": (4, mean)},
        )
        for day, mean in enumerate(means, start=1)
    ]


def numbered(count: int, texts: Mapping[str, Any] | None = None) -> RunRecord:
    """So many cases that are alike, every tenth failing."""
    made = Made()
    for number in range(count):
        said = f"Answer {number}."
        case = EvalCase(
            id=f"case-{number}",
            question=f"Question {number}?",
            **{"answer": said, "retrieved_contexts": [f"{said} It is so."], **(texts or {})},
            metadata={"topic": f"t{number % 3}"},
        )
        verdict = "CONTRADICTORY" if number % 10 == 0 else "FULLY_SUPPORTED"
        one = claim(
            said, verdict, span=(0, len(said)), quote=said, passage=0, quote_span=(0, len(said))
        )
        score = 0.0 if number % 10 == 0 else 1.0
        made.add(case, result("faithfulness", score, 0.8, passed=score == 1, claims=[one]))
    return made.record(exit_status=1)
