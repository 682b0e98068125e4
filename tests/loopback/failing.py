"""A judge that fails now and then, each time the same way, and keeps a log of what it was asked.

    python -m tests.loopback.failing --share 0.05 --latency 0.02

What becomes of a request depends on the seed, the question and how often that was asked before. Who
writes the path of a file, in a line of the process's input, gets the log there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from .judge import Json
from .scripts import Recorded, Reply
from .server import LoopbackJudge

SLOW = 1.0  # seconds
KINDS: dict[str, Reply] = {
    "500": {"status": 500},
    "429": {"status": 429, "headers": {"retry-after": "0.1"}},
    "dropped": {"reset": True},
    "malformed": {"content": "The claims are fine, as far as I can see."},
    "slow": {"latency": SLOW},
}
# What of these the asker can use.
_USABLE = (None, "slow")


class Logged(NamedTuple):
    """A request.

    Attributes:
        question: the same for all requests of one question, also where it is asked again because
            a reply could not be used.
        judgements: what it asks for: each sentence, claim or passage by itself.
        kind: of `KINDS`; None: it was answered at once.
        answered: a reply that can be used was sent to somebody who was still there.
        at: when it came, and `ended` when it was over, in seconds since 1970.
    """

    question: str
    judgements: list[str]
    kind: str | None
    answered: bool
    at: float
    ended: float


class FailingJudge(LoopbackJudge):
    """
    Args:
        share: of all requests, those that fail; as many of each kind.
    """

    def __init__(self, share: float, *, seed: int = 0, latency: float = 0.0) -> None:
        super().__init__(latency=latency, keep_bodies=False)
        self._share, self._seed = share, seed
        self._asked: Counter[str] = Counter()
        self._log: list[tuple[str, list[str], str | None, Recorded]] = []
        self.on(self._rule)

    def __enter__(self) -> FailingJudge:
        self.start()
        return self

    def log(self) -> list[Logged]:
        """The requests that are over, and forget them."""
        with self._lock:
            log, self._log = self._log, []
        return [
            Logged(question, judgements, kind, r.status == 200 and kind in _USABLE, r.at, r.ended)
            for question, judgements, kind, r in log
            if r.ended is not None
        ]

    def _rule(self, recorded: Recorded) -> Reply | None:
        data = {name: value for name, value in recorded.data.items() if name != "previous_reply"}
        question = _digest([recorded.step, data])
        self._asked[question] += 1
        drawn = int(_digest([self._seed, question, self._asked[question]])[:12], 16) / 16**12
        kind = None
        if drawn < self._share:
            kind = list(KINDS)[int(drawn / self._share * len(KINDS))]
        # bodies are not kept
        self._log.append((question, judgements_in(recorded.step, data), kind, recorded))
        return None if kind is None else KINDS[kind]


def judgements_in(step: str, data: Json) -> list[str]:
    """A digest of each judgement that a request asks for: of claims the claim and its passages."""
    if step == "verify_claims":
        passages = sorted({passage["text"] for passage in data["passages"]})
        return [_digest([step, claim["text"], *passages]) for claim in data["claims"]]
    if step == "judge_passages":
        asked = [data["question"], data["reference"]]
        return [_digest([step, *asked, passage["text"]]) for passage in data["passages"]]
    if step != "extract_claims":
        return [_digest([step, data])]
    texts = {sentence["id"]: sentence["text"] for sentence in data["sentences"]}
    return [
        _digest([step, data["question"], *(texts.get(one, "") for one in (id - 2, id - 1, id))])
        for id in data.get("only", texts)
    ]


def _digest(value: list[Json | str | int]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def read_log(path: Path) -> list[Logged]:
    return [Logged(*json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a judge on 127.0.0.1 that fails at times.")
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS")
    given = parser.parse_args()
    with FailingJudge(given.share, seed=given.seed, latency=given.latency) as judge:
        print(judge.base_url, flush=True)
        for line in sys.stdin:
            lines = [json.dumps(logged) + "\n" for logged in judge.log()]
            Path(line.rstrip("\n")).write_text("".join(lines), encoding="utf-8")
            print("written", flush=True)


if __name__ == "__main__":
    main()
