"""Deterministic answers to the judging steps, by rules simple enough to predict in a test.

Also the bodies they travel in: chat requests are read and chat completions are made here.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any

Json = dict[str, Any]

STEP_LINE = re.compile(r"ragassert step: (\S+) v\S+")

# Fullwidth ones are escaped, as they look like their ASCII kin: ideographic stop, ! and ?.
WIDE = "\u3002\uff01\uff1f"
FINAL = f" \t\r\n.!?…;:,\"'“”{WIDE}"
QUESTION_MARKS = ("?", "\uff1f", "\u061f")
SENTENCE_END = re.compile(rf"(?<=[.!?…])\s+|(?<=[{WIDE}])|[\n;]+")
APOSTROPHE = "\u2019"
WORD = re.compile(r"[^\W\d_]{4,}")
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NEGATION = re.compile(r"\b(?:(?:does|do|did)\s+not|not|never)\b")
CONTRACTED = re.compile(r"n't\b")
GREETING = re.compile(
    r"(?:hello|hi|hey|greetings|dear|good (?:morning|day|afternoon|evening)|welcome|thanks"
    r"|thank you|you're welcome|you are welcome|sure|of course|certainly|okay|ok|yes|no|bye)\b"
)
REFUSAL = re.compile(
    r"(?:(?:unfortunately|sorry|well|i am afraid|i'm afraid)[,:]?\s+(?:but\s+)?)*"
    r"(?:i (?:do not|don't|did not|didn't) (?:know|have|find|see)\b"
    r"|i (?:am not|'m not) sure|i'm not sure|i (?:cannot|can't|could not|couldn't|am unable)\b"
    r"|no (?:information|idea)\b|sorry\b|let me know\b|i hope\b|hope this helps\b)"
)
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "what when where which whose does have that this these those with from they them there"
        " about often into will would could should been were your than then some such also only",
    )
)


def texts(body: Mapping[str, Any]) -> list[str]:
    """Every text of the conversation in order, whether messages hold strings or lists of parts."""
    found: list[str] = []
    messages = body.get("messages")
    for message in messages if isinstance(messages, list) else []:
        content = message.get("content") if isinstance(message, dict) else None
        parts = content if isinstance(content, list) else [{"text": content}]
        found += [
            p["text"] for p in parts if isinstance(p, dict) and isinstance(p.get("text"), str)
        ]
    return found


def read_question(body: Mapping[str, Any]) -> tuple[str, Json]:
    """Return the step and its data: the instructions are the first text, the JSON the last one.

    That holds for a system and a user message as well as for two parts of one user message.
    """
    found = texts(body)
    match = STEP_LINE.match(found[0].lstrip()) if found else None
    try:
        data = json.loads(found[-1]) if found else {}
    except (ValueError, RecursionError):
        data = {}
    return (match.group(1) if match else ""), (data if isinstance(data, dict) else {})


def parse_object(content: bytes) -> Json | None:
    try:
        body = json.loads(content.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def system_role(body: Json) -> str | None:
    """Return where the system role stands, as OpenAI names it in a refusal, or None."""
    for index, message in enumerate(body.get("messages") or []):
        if isinstance(message, dict) and message.get("role") == "system":
            return f"messages[{index}].role"
    return None


def completion(
    content: Any, *, number: int, model: Any, prompt_tokens: int, changes: Mapping[str, Any]
) -> Json:
    """Return a chat completion; `changes` may hold a message, finish_reason, usage or model."""
    message = changes.get("message", {"role": "assistant", "content": content, "refusal": None})
    told = len(json.dumps(message)) // 4
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": told,
        "total_tokens": prompt_tokens + told,
        "prompt_tokens_details": {"cached_tokens": 0},
    }
    finish_reason = changes.get("finish_reason", "stop")
    return {
        "id": f"chatcmpl-loopback-{number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": changes.get("model", model),
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": changes.get("usage", usage),
    }


def error_body(message: str, param: str | None = None, code: str | None = None) -> Json:
    kind = "invalid_request_error" if code or param else "loopback_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def bad_request(message: str, param: str | None = None, code: str | None = None) -> Json:
    return {"status": 400, "body": error_body(message, param, code)}


def http_bytes(status: int, body: Any, headers: Mapping[str, Any] | None = None) -> bytes:
    kind = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
    text = body if isinstance(body, str) else json.dumps(body)
    content = text.encode("utf-8", "surrogatepass")
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"
    fields = {"content-type": kind, "content-length": len(content)}
    fields.update({name.lower(): value for name, value in (headers or {}).items()})
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} {phrase}\r\n{head}\r\n".encode("latin-1") + content


def answer(step: str, data: Json) -> Json:
    """Return the reply to one question; an unknown step gets an empty object."""
    judge = STEPS.get(step)
    return judge(data) if judge else {}


def extract_claims(data: Json) -> Json:
    wanted = data.get("only", [s["id"] for s in _items(data, "sentences")])
    sentences = [
        s for s in _items(data, "sentences") if s["id"] in wanted and carries_claim(s["text"])
    ]
    return {"claims": [{"sentence": s["id"], "text": s["text"].strip()} for s in sentences]}


def verify_claims(data: Json) -> Json:
    passages = list(_items(data, "passages"))
    lowered = [(p, _flat(p["text"])) for p in passages]
    pieces = [(p["id"], piece, skeleton(piece)) for p in passages for piece in _pieces(p["text"])]
    return {"verdicts": [_verdict(c, lowered, pieces) for c in _items(data, "claims")]}


def judge_passages(data: Json) -> Json:
    wanted = words(_text(data, "question")) | words(_text(data, "reference"))
    judged = []
    for passage in _items(data, "passages"):
        shared = sorted(words(passage["text"]) & wanted)
        reason = f"shares {', '.join(shared[:3])}" if shared else "shares no word"
        judged.append({"id": passage["id"], "reason": reason, "relevant": bool(shared)})
    return {"passages": judged}


def generate_questions(data: Json) -> Json:
    pieces = [p for p in _pieces(_text(data, "answer")) if carries_claim(p)] or ["anything"]
    forms = ("Is it true that {}?", "How is it known that {}?", "Who says that {}?")
    count = data.get("n", 3)
    questions = [
        forms[i // len(pieces) % len(forms)].format(pieces[i % len(pieces)].strip(FINAL))
        for i in range(count)
    ]
    return {"questions": questions}


def rate_relevance(data: Json) -> Json:
    reply = _text(data, "answer")
    if not _claims_anything(reply):
        return {"reason": "the answer says nothing", "score": 0}
    share = _share(words(_text(data, "question")), words(reply))
    return {"reason": f"names {share:.0%} of the question", "score": round(share * 4) / 4}


def grade_accuracy(data: Json) -> Json:
    correct, complete, consistent = _compare(_text(data, "reference"), _text(data, "answer"))
    return {
        "correctness": {"reason": "tokens that the reference has", "score": correct},
        "completeness": {"reason": "reference tokens that are told", "score": complete},
        "consistency": {"reason": "numbers and negations agree", "score": consistent},
    }


def classify_answer(data: Json) -> Json:
    reference, reply = _text(data, "reference"), _text(data, "answer")
    if not _claims_anything(reply):
        return {"reason": "the answer says nothing", "label": "DONT_KNOW"}
    _, complete, consistent = _compare(reference, reply)
    same = complete >= 60 and consistent == 100
    reason = "as the reference says" if same else "not what the reference says"
    return {"reason": reason, "label": "CORRECT" if same else "WRONG"}


def check_criteria(data: Json) -> Json:
    """Met where the answer has all words of the criterion; unclear where it has no words."""
    said = words(_text(data, "answer"))
    checks = []
    for criterion in _items(data, "criteria"):
        wanted = words(criterion["text"]) - {"mentions"}
        met = "UNCLEAR" if not wanted else "YES" if wanted <= said else "NO"
        found = sorted(wanted & said)
        quote = found[0] if found else None
        reason = f"has {len(found)} of {len(wanted)} words"
        checks.append({"id": criterion["id"], "reason": reason, "quote": quote, "met": met})
    return {"checks": checks}


def write_case(data: Json) -> Json:
    """Ask for the words of a passage's longest sentence, whose answer is this sentence.

    An unanswerable question asks who invented them; nothing is asked where no sentence says
    anything.
    """
    longest = [
        (passage["id"], max(said, key=len))
        for passage in _items(data, "passages")
        if (said := [piece for piece in _pieces(passage["text"]) if carries_claim(piece)])
    ]
    count = 2 if data.get("kind") == "several" else 1
    if len(longest) < count:
        return {"question": "", "answer": "", "evidence": []}
    evidence = [{"passage": id, "quote": piece} for id, piece in longest[:count]]
    named = " and ".join(_named(one["quote"]) for one in evidence)
    if data.get("kind") == "unanswerable":
        answer = f"The documents do not say who invented {named}."
        return {"question": f"Who invented {named}?", "answer": answer, "evidence": []}
    answer = " ".join(piece.rstrip(FINAL) + "." for _, piece in longest[:count])
    return {"question": f"What is known of {named}?", "answer": answer, "evidence": evidence}


def _named(sentence: str) -> str:
    """The first three long words of a sentence."""
    known = words(sentence)
    return ", ".join([word for word in WORD.findall(sentence.lower()) if word in known][:3])


def write_personas(data: Json) -> Json:
    names = [document["name"] for document in data.get("documents", ())] or ["anything"]
    personas = [
        f"Reader {number} needs to know about {names[number % len(names)]} and writes briefly."
        for number in range(data.get("number", 1))
    ]
    return {"personas": personas}


STEPS: dict[str, Callable[[Json], Json]] = {
    "extract_claims": extract_claims,
    "verify_claims": verify_claims,
    "judge_passages": judge_passages,
    "generate_questions": generate_questions,
    "rate_relevance": rate_relevance,
    "grade_accuracy": grade_accuracy,
    "classify_answer": classify_answer,
    "check_criteria": check_criteria,
    "write_case": write_case,
    "write_personas": write_personas,
}


def carries_claim(sentence: str) -> bool:
    """Whether a sentence says something: no question, no short greeting, no "I don't know"."""
    low = sentence.strip().lower().replace(APOSTROPHE, "'")
    if not low.strip(FINAL) or low.rstrip(" \"'”)").endswith(QUESTION_MARKS):
        return False
    # A short greeting only: "Thanks to the dam the lake is deep" says something.
    greets = GREETING.match(low) and len(low.split()) <= 4
    return not greets and not REFUSAL.match(low)


def words(text: str) -> frozenset[str]:
    """Words of four or more letters, without question and function words."""
    return frozenset(WORD.findall(text.lower())) - STOP_WORDS


# Cached, as benchmarks send the same passages over and over.
@lru_cache(maxsize=4096)
def skeleton(sentence: str) -> tuple[str, tuple[str, ...], bool]:
    """Return the sentence without numbers and negation, its numbers, and whether it is negated."""
    low = _flat(sentence).strip(FINAL).replace(APOSTROPHE, "'")
    low = CONTRACTED.sub(" not", low.replace("can't", "cannot").replace("cannot", "can not"))
    bare = NEGATION.sub(" ", low)
    # "does not run" and "runs" must meet, so the s at the end of a word goes.
    stems = [word.rstrip("s") or word for word in NUMBER.sub("#", bare).split()]
    return " ".join(stems), tuple(NUMBER.findall(low)), bool(NEGATION.search(low))


def find_stretch(claim: str, passage: str) -> str | None:
    """Return the passage's own stretch that says the claim, spaced and cased as it stands there."""
    core = [re.escape(word) for word in claim.strip(FINAL).split()]
    if not core:
        return None
    # "costs 5" does not stand in "costs 50"; scripts without spaces have no such borders.
    pattern = r"(?<![A-Za-z0-9])" if claim.strip(FINAL)[0].isascii() else ""
    pattern += r"\s+".join(core)
    pattern += r"(?![A-Za-z0-9]|[.,:]\d)" if claim.strip(FINAL)[-1].isascii() else ""
    match = re.search(pattern, passage, re.IGNORECASE)
    return match.group() if match else None


Pieces = list[tuple[Any, str, tuple[str, tuple[str, ...], bool]]]


def _verdict(claim: Json, lowered: list[tuple[Json, str]], pieces: Pieces) -> Json:
    text = claim["text"]
    core = _flat(text).strip(FINAL)
    for passage, flat in lowered:
        # The plain look-up spares a regular expression for every pair that does not match.
        quote = find_stretch(text, passage["text"]) if core in flat else None
        if quote:
            evidence = [{"passage": passage["id"], "quote": quote}]
            return _reply(claim, "stated there", evidence, "FULLY_SUPPORTED", 0.95)
    bare, numbers, negated = skeleton(text)
    for number, piece, (other, other_numbers, other_negated) in pieces:
        if bare and bare == other and (numbers, negated) != (other_numbers, other_negated):
            evidence = [{"passage": number, "quote": piece}]
            return _reply(claim, "says otherwise", evidence, "CONTRADICTORY", 0.9)
    return _reply(claim, "nothing says so", [], "NO_EVIDENCE", 0.8)


def _reply(claim: Json, reason: str, evidence: list[Json], verdict: str, confidence: float) -> Json:
    return {
        "id": claim["id"],
        "reason": reason,
        "evidence": evidence,
        "verdict": verdict,
        "confidence": confidence,
    }


def _compare(reference: str, reply: str) -> tuple[int, int, int]:
    """Correctness, completeness and consistency of a reply, each from 0 to 100."""
    if not _claims_anything(reply):
        return 0, 0, 100
    wanted, told = _tokens(reference), _tokens(reply)
    (_, numbers, negated), (_, own_numbers, own_negated) = skeleton(reference), skeleton(reply)
    if _flat(reference).strip(FINAL) in _flat(reply) and negated == own_negated:
        return 100, 100, 100
    strange = numbers and set(own_numbers) - set(numbers)
    consistent = 0 if strange or negated != own_negated else 100
    correct = min(round(100 * _share(told, wanted)), consistent)
    return correct, round(100 * _share(wanted, told)), consistent


def _claims_anything(text: str) -> bool:
    return any(carries_claim(piece) for piece in _pieces(text))


def _tokens(text: str) -> frozenset[str]:
    return words(text) | frozenset(NUMBER.findall(text))


def _share(wanted: frozenset[str], told: frozenset[str]) -> float:
    return len(wanted & told) / len(wanted) if wanted else 0.0


def _pieces(text: str) -> list[str]:
    """Sentences as they stand in the text, so that each is a verbatim quote."""
    return [piece.strip() for piece in SENTENCE_END.split(text) if piece.strip()]


def _flat(text: str) -> str:
    return " ".join(text.lower().split())


def _text(data: Json, name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""


def _items(data: Json, name: str) -> Iterator[Json]:
    items = data.get(name)
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict) and "id" in item and isinstance(item.get("text"), str):
            yield item
