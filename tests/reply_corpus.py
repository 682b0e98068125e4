"""Replies to each step as judges of several makes write them, and ways in which they go wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.replies.extract_json import reply_value
from pytest_ragassert.steps.step import Reading, Step


@dataclass(frozen=True)
class Asked:
    """A reply, the step and the message that it answers."""

    step: Step
    message: Json
    text: str

    @property
    def value(self) -> Any:
        return json.loads(self.text)

    def read(self, text: str | None = None) -> Reading:
        """What the reply, or another text in its place, says."""
        said = reply_value(self.text if text is None else text, self.step.key_of_reply)
        return self.step.read(self.message, said)


_TEXTS = {
    "question": "Where does the night bus stop?",
    "reference": "At the mill and at Otter's Bridge.",
    "answer": "It stops at the mill.",
}
_MESSAGES: dict[str, Json] = {
    "extract_claims": {
        "question": _TEXTS["question"],
        "sentences": [
            {"id": 1, "text": "The night bus stops at the mill and at Otter's Bridge."},
            {"id": 2, "text": "Es kostet 4,50 €, sagt die „Lokale“."},
        ],
    },
    "verify_claims": {
        "passages": [{"id": 1, "text": "The night bus calls at the mill."}],
        "claims": [{"id": n, "text": f"claim {n}"} for n in (1, 2, 3)],
    },
    "judge_passages": {
        "question": _TEXTS["question"],
        "reference": None,
        "passages": [{"id": n, "text": f"passage {n}"} for n in (1, 2, 3)],
    },
    "generate_questions": {"answer": _TEXTS["answer"], "n": 3},
    "rate_relevance": {name: _TEXTS[name] for name in ("question", "answer")},
    "grade_accuracy": _TEXTS,
    "classify_answer": _TEXTS,
    "check_criteria": {
        "question": None,
        "answer": _TEXTS["answer"],
        "criteria": [{"id": n, "text": f"criterion {n}"} for n in (1, 2, 3)],
    },
    "write_case": {
        "passages": [{"id": 1, "text": _TEXTS["reference"]}, {"id": 2, "text": "It is blue."}],
        "kind": "several",
        "persona": None,
        "language": None,
    },
    "write_personas": {
        "documents": [{"name": "night bus.md", "headings": ["Stops", "Fares"]}],
        "number": 2,
        "language": None,
    },
}

_REPLIES: dict[str, list[str]] = {
    "extract_claims": [
        '{"claims": [{"sentence": 1, "text": "The night bus stops at the mill"}, {"sentence": 1, '
        '"text": "The night bus stops at Otter\'s Bridge"}, {"sentence": 2, "text": "Der Nachtbus '
        'kostet 4,50 €, sagt die „Lokale“"}]}',
        '{\n  "claims": [\n    "The night bus stops at Otter\'s Bridge",\n    "Der Bus kostet '
        '4,50\\u00a0\\u20ac"\n  ]\n}',
        '[{"sentence":1,"text":"The sign reads \\"mill\\""},{"sentence":2,"text":"Es ist 1"}]',
    ],
    "verify_claims": [
        '{"verdicts": [{"id": 1, "reason": "Passage 1 says so.", "evidence": [{"passage": 1, '
        '"quote": "The night bus calls"}, {"passage": 1, "quote": "calls at the mill"}], '
        '"verdict": "FULLY_SUPPORTED", "confidence": 0.9}, {"id": 2, "reason": "It doesn\'t '
        'mention a price.", "evidence": [], "verdict": "NO_EVIDENCE", "confidence": null}, '
        '{"id": 3, "reason": "It calls at the mill, not at the quay.", "evidence": [{"passage": 1, '
        '"quote": "calls at the mill"}], "verdict": "CONTRADICTORY", "confidence": 1}]}',
        '{"verdicts": [{"id": 1, "reason": "Passage 1 says so.", "passage": 1, "quote": "The night '
        'bus calls at the mill", "verdict": "FULLY_SUPPORTED", "confidence": 0.9}, {"id": 2, '
        '"reason": "It doesn\'t mention a price.", "passage": null, "quote": null, "verdict": '
        '"NO_EVIDENCE", "confidence": null}, {"id": 3, "verdict": "yes", "evidence": null}]}',
        '{\n    "verdicts": [\n        {"id": "1", "verdict": "supported"},\n        {"id": "2", '
        '"verdict": "unsupported"},\n        {"id": "3", "verdict": "Refuted."}\n    ]\n}',
        '{"verdicts":[{"verdict":"partially_supported","id":3,"reason":"Half of it: {the mill}."},'
        '{"verdict":"contradicted","id":1,"quote":"the mill"},{"verdict":"yes","id":2}]}',
    ],
    "judge_passages": [
        '{"passages": [{"id": 1, "reason": "It names the stop.", "relevant": true}, {"id": 2, '
        '"reason": "It\'s about trams.", "relevant": false}, {"id": 3, "reason": "", "relevant": '
        "true}]}",
        '{"passages":[{"id":3,"relevant":"no"},{"id":2,"relevant":"Yes"},{"id":1,"relevant":"no"}]}',
    ],
    "generate_questions": [
        '{"questions": ["Where does the night bus stop?", "Does it stop at the mill?", "What is '
        "the night bus's stop?\"]}",
        '["Wo hält der Nachtbus?", "夜班车停在哪里？"]',
    ],
    "rate_relevance": [
        '{"reason": "It names the stop that was asked for.", "score": 0.75}',
        '{"score": "0.5", "reason": "Half of it; \\"the mill\\" only"}',
    ],
    "grade_accuracy": [
        '{"correctness": {"reason": "All it says is right.", "score": 100}, "completeness": '
        '{"reason": "Otter\'s Bridge is missing.", "score": 50}, "consistency": {"reason": '
        '"Nothing is at odds.", "score": 95.5}}',
        '{"correctness":{"score":80},"completeness":{"score":40},"consistency":{"score":60}}',
    ],
    "classify_answer": [
        '{"reason": "The answer lacks the bridge.", "label": "WRONG"}',
        '{"label": "don\'t know", "reason": "It says \\"no idea\\"."}',
    ],
    "check_criteria": [
        '{"checks": [{"id": 1, "reason": "It names the mill.", "quote": "at the mill", "met": '
        '"YES"}, {"id": 2, "reason": "It doesn\'t name a price.", "quote": null, "met": "NO"}, '
        '{"id": 3, "reason": "It is no statement about the answer: \\"hello\\".", "quote": null, '
        '"met": "UNCLEAR"}]}',
        '{"checks":[{"id":3,"met":"unclear"},{"id":2,"met":false},{"id":1,"met":"Met"}]}',
    ],
    "write_case": [
        '{"question": "Where does the blue night bus stop?", "answer": "The blue night bus stops '
        'at the mill and at Otter\'s Bridge.", "evidence": [{"passage": 1, "quote": "At the mill '
        'and at Otter\'s Bridge"}, {"passage": 2, "quote": "It is blue"}]}',
        '{"question":"Wo hält der blaue Bus?","answer":"An der Mühle.","evidence":'
        '[{"quote":"At the mill","passage":"1"},{"quote":"blue","passage":2}]}',
        '{\n  "question": "",\n  "answer": "",\n  "evidence": []\n}',
    ],
    "write_personas": [
        '{"personas": ["A nurse who works at night, needs the last bus, and writes in a hurry.", '
        '"A visitor who doesn\'t know the town, and is polite."]}',
        '["Ein Pendler, der knapp schreibt.", "夜班工人，提问很短。"]',
    ],
}

CORPUS = [
    Asked(STEPS[name], _MESSAGES[name], text) for name, texts in _REPLIES.items() for text in texts
]


# -- the same said otherwise -----------------------------------------------------------------------


def _python(value: Any) -> str:
    return repr(value)


def _trailing_commas(value: Any) -> str:
    return re.sub(r"\n(\s*[\]}])", r",\n\1", json.dumps(value, indent=2, ensure_ascii=False))


def _commented(value: Any) -> str:
    *lines, last = json.dumps(value, indent=1, ensure_ascii=False).splitlines()
    return "\n".join(f"{line} // so it's said" for line in lines) + f"\n# done\n{last}"


def _no_commas(value: Any) -> str:
    return re.sub(r",\n", "\n", json.dumps(value, indent=1, ensure_ascii=False))


def _bare_names(value: Any) -> str:
    return re.sub(r'"(\w+)":', r"\1:", json.dumps(value, ensure_ascii=False)[:-1]) + (
        "}" if isinstance(value, dict) else "]"
    )


def _curly(value: Any) -> str:
    """Typographic quotation marks around names and texts."""
    string = re.compile(r'"((?:[^"\\]|\\.)*)"')
    return string.sub("“\\1”", json.dumps(value, ensure_ascii=False))


# Ways to write a value that are no JSON, but leave no doubt of what was meant.
NEAR: dict[str, Callable[[Any], str]] = {
    "python": _python,
    "trailing commas": _trailing_commas,
    "comments": _commented,
    "no commas": _no_commas,
    "bare names": _bare_names,
    "curly marks": _curly,
}

_DRAFT = '{"claims": ["draft"], "verdicts": [], "passages": [], "checks": [], "questions": []'
DRAFT = (
    f'{_DRAFT}, "score": 1, "label": "CORRECT", "correctness": 3, "question": "draft?", '
    '"personas": ["draft"]}'
)

# What judges put around an answer.
AROUND: dict[str, str] = {
    "fence": "```json\n{}\n```",
    "fence without end": "```\n{}",
    "chatter": "Sure! {{sentence by sentence}}:\n\n```json\n{}\n```\n\nShall I go on? {{yes/no}}",
    "thought": f"<think>\nDraft: {DRAFT} Wait.\n</think>\n\n{{}}",
    "thought and fence": f"<Thinking>\n```json\n{DRAFT}\n```\n</Thinking>\n```json\n{{}}\n```",
    "no opening tag": f"First {DRAFT}, no: {{\n</think>\n{{}}",
    "thought in thought": f"<think>a<reflection>{DRAFT}</reflection>{DRAFT}</think>{{}}",
    "thoughts": f"<reasoning>{DRAFT}</reasoning> So:\n<reflection>{DRAFT}</reflection>\n{{}}",
    "thought behind": f"```json\n{{}}\n```\n<think>Or {DRAFT}?</think>",
    "brackets for tags": f"[THINK]{DRAFT}[/THINK]\n{{}}",
    "channels": f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant"
    "<|channel|>final<|message|>{}",
    "byte order mark": "\ufeff{}",
    "twice": "```json\n{0}\n```\nOnce more:\n```json\n{0}\n```",
}


def around(form: str, text: str) -> str:
    """The text in one of the forms of `AROUND`."""
    out = AROUND[form].replace("{0}", "\0").replace("{}", "\0")
    return out.replace("{{", "{").replace("}}", "}").replace("\0", text)


# -- damage ----------------------------------------------------------------------------------------

STRUCTURE = "{}[]\",:'\\ \n"


def edits(text: str, at: int) -> Iterator[str]:
    """The text with one character deleted, doubled or put in at a place."""
    yield text[:at] + text[at + 1 :]
    yield text[:at] + text[at : at + 1] + text[at:]
    for char in STRUCTURE:
        yield text[:at] + char + text[at:]
