"""A judge that writes cases, by a rule that tests can predict, and documents for it.

It asks about sentences such as "The height of the lighthouse in Skarn is 12 metres.": "What is the
height of the lighthouse in Skarn?" Its unanswerable questions ask who decided on it. Claims are
extracted and verified as by the loopback judge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .loopback.judge import answer
from .loopback.scripts import Recorded, Reply
from .loopback.server import LoopbackJudge

Json = dict[str, Any]

WRITER = "writer"  # the name of the judge in projects with `CONFTEST`
CONFTEST = """\
from tests.writing_judge import hook_judge


def pytest_ragassert_make_judge(config, name):
    return hook_judge() if name == "writer" else None
"""
_FACT = re.compile(r"The ([a-z ]+?) of ([^.?!]+?) is [^.?!]+\.")
_DECIDED = re.compile(r"Who (decided on .+)\?")
_UNCLEAR = re.compile(r"\b(?:it|this|they)\b", re.IGNORECASE)
_NOT_SAID = "The documents do not say"


def reply_to(step: str, data: Json) -> Json:
    """Return the reply to a question."""
    rule = {
        "write_case": _case,
        "check_criteria": _checks,
        "judge_passages": _judged,
        "write_personas": _personas,
    }.get(step)
    return answer(step, data) if rule is None else rule(data)


def writes(judge: LoopbackJudge) -> LoopbackJudge:
    """Let a loopback judge reply as this judge does; rules that come before take precedence."""

    def reply(recorded: Recorded) -> Reply:
        return {"content": json.dumps(reply_to(recorded.step, recorded.data))}

    judge.on(lambda recorded: reply(recorded) if recorded.step else None)
    return judge


class HookJudge:
    """The judge for a hook. It appends each question to the file `asked.jsonl`.

    Attributes:
        change: changes replies: takes the step's name, the data and the reply.
    """

    id = WRITER

    def __init__(self) -> None:
        self._log = Path("asked.jsonl").absolute()

    def run(self, step: Any, input: Json) -> str:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step.name, "input": input}) + "\n")
        return json.dumps(self.change(step.name, input, reply_to(step.name, input)))

    def change(self, step: str, input: Json, reply: Json) -> Json:
        return reply


def hook_judge() -> HookJudge:
    return HookJudge()


# Replies


def _case(data: Json) -> Json:
    facts = [(one["id"], fact) for one in data["passages"] if (fact := _FACT.search(one["text"]))]
    count = 2 if data["kind"] == "several" else 1
    if len(facts) < count:
        return {"question": "", "answer": "", "evidence": []}
    used = facts[:count]
    if data["kind"] == "unanswerable":
        decided = f"decided on the {used[0][1][1]} of {used[0][1][2]}"
        said = f"{_NOT_SAID} who {decided}."
        return {"question": f"Who {decided}?", "answer": said, "evidence": []}
    asked = ", and what is ".join(f"the {fact[1]} of {fact[2]}" for _, fact in used)
    return {
        "question": f"What is {asked}?",
        "answer": " ".join(fact[0] for _, fact in used),
        "evidence": [{"passage": id, "quote": fact[0]} for id, fact in used],
    }


def _checks(data: Json) -> Json:
    """A question is unclear if it has a pronoun; "says that it can't …" needs a "not"."""
    checks = []
    for criterion in data["criteria"]:
        unclear = _UNCLEAR.search(data["answer"]) if data["question"] is None else None
        if unclear:
            met, reason = "NO", f'"{unclear[0]}" names nothing'
        elif criterion["text"].startswith("says that it can't") and "not" not in data["answer"]:
            met, reason = "NO", "It gives an answer."
        else:
            met, reason = "YES", "It is as the criterion says."
        checks.append({"id": criterion["id"], "reason": reason, "quote": None, "met": met})
    return {"checks": checks}


def _judged(data: Json) -> Json:
    asked = _DECIDED.fullmatch(data["question"])
    judged = []
    for passage in data["passages"]:
        says = asked is not None and asked[1] in passage["text"]
        reason = "It says who decided." if says else "It does not say who decided."
        judged.append({"id": passage["id"], "reason": reason, "relevant": says})
    return {"passages": judged}


def _personas(data: Json) -> Json:
    headings = [one for document in data["documents"] for one in document["headings"]]
    people = ("A visitor", "A skipper", "A teacher", "A clerk", "A reporter")
    return {
        "personas": [
            f"{people[n % len(people)]} who asks about {headings[n % len(headings)]}."
            for n in range(data["number"])
        ]
    }


# Documents

TOWNS = ("Skarn", "Malvik", "Trelde", "Orsa", "Viken", "Halden", "Brekke", "Nesna")
THINGS = ("lighthouse", "ferry", "museum", "library", "bridge", "market")
_MEASURES = ("height", "age", "length", "price", "capacity", "weight")
_FILLING = (
    "People come from far away on Sundays, when the {thing} is lit with lanterns and music plays",
    "In winter the snow lies deep around the {thing}, and only a narrow path leads to its door",
    "Whoever works there wears a blue coat, and greets guests with a bell and a cup of warm tea",
    "Its walls were painted in the colours of the harbour by those who live in the street nearby",
)


def section(thing: str, *facts: str) -> str:
    """Return a section of a document, long enough to be a passage of its own."""
    filling = " ".join(f"{line.format(thing=thing)}." for line in _FILLING)
    return f"## {thing.capitalize()}\n\n{' '.join(facts)} {filling}\n"


def fact(town: str, thing: str, number: int = 0) -> str:
    """Return the sentence that the document of a town states of a thing."""
    measure = _MEASURES[(TOWNS.index(town) + THINGS.index(thing) + number) % len(_MEASURES)]
    value = 100 + 7 * TOWNS.index(town) + 31 * THINGS.index(thing) + number
    return f"The {measure} of the {thing} in {town} is {value} units."


def document(town: str, things: Sequence[str] = THINGS) -> str:
    """Return a document with a section for each thing."""
    sections = (section(thing, fact(town, thing)) for thing in things)
    return "\n".join([f"# {town}\n", *sections])


def write_documents(folder: Path, towns: int = 4, things: int = 4) -> Path:
    """Write a document for each town to a folder, in which every section is a passage."""
    folder.mkdir(exist_ok=True)
    for town in TOWNS[:towns]:
        path = folder / f"{town.lower()}.md"
        path.write_text(document(town, THINGS[:things]), encoding="utf-8")
    return folder


def asked_of(folder: Path) -> Iterator[tuple[str, Json]]:
    """Yield the steps and inputs that a `HookJudge` was asked in a folder."""
    path = folder / "asked.jsonl"
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        asked = json.loads(line)
        yield asked["step"], asked["input"]
