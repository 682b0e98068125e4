"""The loopback judge, which also answers what DeepEval, ragas and promptfoo ask over HTTP.

python -m tests.rivals.served --latency 0.3

It answers as if the texts were right: every sentence is a claim, and the contexts support each
claim, except one that contains `WRONG`.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from typing import Any

from tests.loopback.judge import completion, texts
from tests.loopback.scripts import Recorded, Reply
from tests.loopback.server import serve_replies

Json = dict[str, Any]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
# ragas: the title of the schema that it asks for, and what is asked about.
_RAGAS = re.compile(r'"title": "(\w+)", "type": "object"\}Do not use single quotes')
_RAGAS_INPUT = re.compile(r"following input\ninput: (.*)\nOutput: \Z", re.DOTALL)
# DeepEval: the key that the reply is to have, and what comes last, claims as a Python list.
_DEEPEVAL = re.compile(r"the ['\"](\w+)['\"] key")
_DEEPEVAL_TEXT = re.compile(
    r"(?:Text|AI Output|Claims|Contradictions):\n(.*)\n\nJSON:\s*\Z", re.DOTALL
)
# How many passages it wants to be judged, or has had judged.
_DEEPEVAL_PASSAGES = re.compile(r"Retrieval Context +\((\d+) documents?\):\n")
_DEEPEVAL_PRECISION = "\nContextual Precision Score:\n"
# promptfoo: the last of its examples, then what it asks about.
_PROMPTFOO_ANSWER = re.compile(
    r"create one or more statements from each sentence .*\nanswer: (.*)\nstatements:\n\Z", re.DOTALL
)
_PROMPTFOO_CLAIMS = re.compile(
    r"\APrompt: Natural language inference\n.*\nstatements:\n(.*)\nAnswer:\n\Z", re.DOTALL
)

# What a claim contains that the contexts deny, and why.
WRONG = "costs 7 crowns"
WHY = "The context says that a child's ticket costs 4 crowns."


def reply(recorded: Recorded) -> Reply | None:
    """A rule of the loopback judge; None where one of our own steps asks.

    Raises:
        ValueError: it is nobody's question that is known.
    """
    if recorded.step:
        return None
    prompt = texts(recorded.body)[-1]
    ragas = _RAGAS.search(prompt)
    body = completion(
        _to_promptfoo(prompt)
        or json.dumps(_to_ragas(ragas[1], prompt) if ragas else _to_deepeval(prompt)),
        number=0,
        model=recorded.body.get("model"),
        prompt_tokens=recorded.prompt_tokens,
        changes={},
    )
    choice = body["choices"][0]
    count = recorded.body.get("n") or 1
    body["choices"] = [{**choice, "index": index} for index in range(count)]
    return {"body": body}


def _to_ragas(wanted: str, prompt: str) -> Json:
    found = _RAGAS_INPUT.search(prompt)
    if found is None:
        raise ValueError("a prompt of ragas without input")
    asked: Json = json.loads(found[1])
    match wanted:
        case "StatementGeneratorOutput":
            return {"statements": _sentences(asked["answer"])}
        case "ClaimDecompositionOutput":
            return {"claims": _sentences(asked["response"])}
        case "NLIStatementOutput":
            return {"statements": [_judged(one, "verdict") for one in asked["statements"]]}
        case "ContextRecallClassifications":
            judged = [_judged(one, "attributed") for one in _sentences(asked["answer"])]
            return {"classifications": judged}
        case "Verification":
            return {"reason": "It names what the answer says.", "verdict": 1}
        case "ResponseRelevanceOutput":
            return {"question": f"Is it true that {asked['response']}?", "noncommittal": 0}
    raise ValueError(f"ragas wants a {wanted}, and nothing is known of that")


def _to_deepeval(prompt: str) -> Json:
    keys = _DEEPEVAL.findall(prompt)
    passages = _DEEPEVAL_PASSAGES.search(prompt)
    if passages:
        said = {"reason": "It names what the answer says.", "verdict": "yes"}
        return {"verdicts": [said] * int(passages[1])}
    if _DEEPEVAL_PRECISION in prompt:
        return {"reason": "The score is 1.00 because all nodes are relevant."}
    found = _DEEPEVAL_TEXT.search(prompt)
    if not keys or found is None:
        raise ValueError(f"nobody's prompt that is known: {prompt[-400:]}")
    match keys[-1]:
        case "truths" | "claims" as key:
            return {key: _sentences(found[1])}
        case "verdicts":
            return {"verdicts": [_said_of(claim) for claim in ast.literal_eval(found[1])]}
        case "reason" if WHY in found[1]:
            return {"reason": f"The score is 0.00 because the answer is contradicted. {WHY}"}
        case "reason":
            return {"reason": "The score is 1.00 because nothing contradicts the contexts."}
    raise ValueError(f"DeepEval wants {keys[-1]}, and nothing is known of that")


def _to_promptfoo(prompt: str) -> str | None:
    """Text, not JSON; None where it is not promptfoo that asks."""
    answer = _PROMPTFOO_ANSWER.search(prompt)
    if answer:
        return "\n".join(_sentences(answer[1]))
    asked = _PROMPTFOO_CLAIMS.search(prompt)
    if not asked:
        return None
    said = ["No." if WRONG in claim else "Yes." for claim in asked[1].splitlines()]
    return f"Final verdict for each statement in order: {' '.join(said)}"


def _said_of(claim: str) -> Json:
    return {"verdict": "no", "reason": WHY} if WRONG in claim else {"verdict": "yes"}


def _sentences(text: str) -> list[str]:
    return [one for one in _SENTENCE_END.split(text.strip()) if one]


def _judged(statement: str, label: str) -> Json:
    wrong = WRONG in statement
    reason = WHY if wrong else "The context says so in these words."
    return {"statement": statement, "reason": reason, label: int(not wrong)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.rivals.served", description=__doc__)
    serve_replies(parser, reply)


if __name__ == "__main__":
    main()
