"""What a judge gets and returns for each step: an example, checked, and the reply's schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pytest_ragassert import Settings
from pytest_ragassert.judging.judges.openai.request_parameters import RequestShape
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.steps.replies import labels

from .markdown import block, table

_BUDGET = 12_000  # estimated tokens of a message: more than an example has
_QUESTION = "What do I need for an FHA loan?"
_ANSWER = "You need a credit score of 640. The down payment is 3.5%."
_REFERENCE = "A credit score of 580 and a down payment of 3.5%."
_PASSAGES = [
    "FHA loans require a minimum credit score of 580.",
    "The down payment of an FHA loan is 3.5%.",
]


class Example(NamedTuple):
    """A question and a good reply.

    Attributes:
        input: as metrics give it, from which the message is made.
    """

    input: Mapping[str, Any]
    reply: Mapping[str, Any]


def _numbered(texts: list[str]) -> list[dict[str, Any]]:
    return [{"id": number, "text": text} for number, text in enumerate(texts, 1)]


EXAMPLES: Mapping[str, Example] = {
    "extract_claims": Example(
        {"question": _QUESTION, "text": _ANSWER},
        {
            "claims": [
                {"sentence": 1, "text": "An FHA loan needs a credit score of 640."},
                {"sentence": 2, "text": "The down payment of an FHA loan is 3.5%."},
            ]
        },
    ),
    "verify_claims": Example(
        {
            "passages": _numbered(_PASSAGES),
            "claims": _numbered(["An FHA loan needs a credit score of 640."]),
        },
        {
            "verdicts": [
                {
                    "id": 1,
                    "reason": "The first passage states 580, not 640.",
                    "evidence": [{"passage": 1, "quote": "a minimum credit score of 580"}],
                    "verdict": "CONTRADICTORY",
                    "confidence": 0.95,
                }
            ]
        },
    ),
    "judge_passages": Example(
        {"question": _QUESTION, "reference": _REFERENCE, "passages": _numbered(_PASSAGES)},
        {
            "passages": [
                {"id": 1, "reason": "It states the credit score.", "relevant": True},
                {"id": 2, "reason": "It states the down payment.", "relevant": True},
            ]
        },
    ),
    "generate_questions": Example(
        {"answer": _ANSWER, "n": 3},
        {
            "questions": [
                "Which credit score does an FHA loan need?",
                "How high is the down payment of an FHA loan?",
                "What do I need for an FHA loan?",
            ]
        },
    ),
    "rate_relevance": Example(
        {"question": _QUESTION, "answer": _ANSWER},
        {"reason": "It names the credit score and the down payment.", "score": 1},
    ),
    "grade_accuracy": Example(
        {"question": _QUESTION, "reference": _REFERENCE, "answer": _ANSWER},
        {
            "correctness": {"reason": "The credit score is wrong.", "score": 50},
            "completeness": {"reason": "Both requirements are named.", "score": 100},
            "consistency": {"reason": "It does not contradict itself.", "score": 100},
        },
    ),
    "classify_answer": Example(
        {"question": _QUESTION, "reference": _REFERENCE, "answer": _ANSWER},
        {"reason": "The credit score is 580, not 640.", "label": "WRONG"},
    ),
    "check_criteria": Example(
        {
            "question": _QUESTION,
            "answer": _ANSWER,
            "criteria": _numbered(["names the down payment"]),
        },
        {
            "checks": [
                {
                    "id": 1,
                    "reason": "The second sentence names it.",
                    "quote": "The down payment is 3.5%.",
                    "met": "YES",
                }
            ]
        },
    ),
    "write_case": Example(
        {
            "passages": _numbered(_PASSAGES),
            "kind": "several",
            "persona": "A couple that buys its first home and asks in plain words.",
            "language": None,
        },
        {
            "question": "What credit score and what down payment do we need for an FHA loan?",
            "answer": "An FHA loan needs a credit score of 580 and a down payment of 3.5%.",
            "evidence": [
                {"passage": 1, "quote": "a minimum credit score of 580"},
                {"passage": 2, "quote": "The down payment of an FHA loan is 3.5%"},
            ],
        },
    ),
    "write_personas": Example(
        {
            "documents": [{"name": "loans.md", "headings": ["FHA loans", "Refinancing"]}],
            "number": 1,
            "language": "en",
        },
        {
            "personas": [
                "A couple that buys its first home, needs the conditions of loans, and asks in "
                "plain words."
            ]
        },
    ),
}


def parts() -> dict[str, str]:
    return {"request": _request(), "steps": _overview(), "labels": _labels()} | {
        f"step {name}": _example(name) for name in STEPS
    }


def message_of(name: str) -> dict[str, Any]:
    """The user message of a step's example."""
    [message] = STEPS[name].messages(dict(EXAMPLES[name].input), _BUDGET)
    return message


def _request() -> str:
    """The body of a request as it is sent, with the beginning of its instructions."""
    name = "rate_relevance"
    settings = Settings(judge="openai", api_key="sk-test")
    body = RequestShape().body(settings, STEPS[name], message_of(name), settings.model[0], 0)
    system, user = body["messages"]
    head, first, *_ = system["content"].split("\n")
    shown = {**system, "content": f"{head}\n{first.split('. ')[0]}. …"}
    return block(_json({**body, "messages": [shown, user]}), "json")


def _overview() -> str:
    return table(
        ("step", "version", "the message has", "the reply"),
        (
            (
                f"[`{name}`](#{name})",
                str(step.version),
                ", ".join(f"`{member}`" for member in message_of(name)),
                f"[its schema](schemas/reply-{name}.json)",
            )
            for name, step in STEPS.items()
        ),
    )


def _labels() -> str:
    """The words that are read as each label, beside its own name."""
    tables: dict[str, Mapping[str, Any]] = {
        "verdict": labels._TABLE,
        "relevant": labels._RELEVANT,
        "met": labels._MET,
        "label": labels._ANSWERS,
    }
    rows = []
    for member, words in tables.items():
        for value in dict.fromkeys(words.values()):
            name = (
                json.dumps(value)
                if isinstance(value, bool)
                else str(getattr(value, "value", value))
            )
            also = [word for word, said in words.items() if said == value and word != _bare(name)]
            rows.append((f"`{member}`", f"`{name}`", ", ".join(also)))
    return table(("member", "value", "also read as that value"), rows)


def _bare(name: str) -> str:
    return name.lower().replace("_", " ")


def _example(name: str) -> str:
    message, reply = message_of(name), EXAMPLES[name].reply
    return (
        f"The message:\n\n{block(_json(message), 'json')}\n"
        f"A reply, [by its schema](schemas/reply-{name}.json):\n\n{block(_json(reply), 'json')}"
    )


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
