"""The loopback judge, which answers what DeepEval and ragas ask over HTTP too.

python -m tests.rivals.served --latency 0.3

Whatever is asked is answered as if the texts were right: every sentence is a claim, and each claim
stands in the contexts.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import threading
from typing import Any

from tests.loopback.judge import completion, texts
from tests.loopback.scripts import Recorded, Reply
from tests.loopback.server import LoopbackJudge

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


def reply(recorded: Recorded) -> Reply | None:
    """A rule of the loopback judge; None where one of our own steps asks.

    Raises:
        ValueError: it is nobody's question that is known.
    """
    if recorded.step:
        return None
    prompt = texts(recorded.body)[-1]
    ragas = _RAGAS.search(prompt)
    said = _to_ragas(ragas[1], prompt) if ragas else _to_deepeval(prompt)
    body = completion(
        json.dumps(said),
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
            return {"verdicts": [{"verdict": "yes"} for _ in ast.literal_eval(found[1])]}
        case "reason":
            return {"reason": "The score is 1.00 because nothing contradicts the contexts."}
    raise ValueError(f"DeepEval wants {keys[-1]}, and nothing is known of that")


def _sentences(text: str) -> list[str]:
    return [one for one in _SENTENCE_END.split(text.strip()) if one]


def _judged(statement: str, label: str) -> Json:
    return {"statement": statement, "reason": "The context says so in these words.", label: 1}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.rivals.served", description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS")
    with LoopbackJudge(latency=parser.parse_args().latency, keep_bodies=False) as judge:
        judge.on(reply)
        print(judge.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
