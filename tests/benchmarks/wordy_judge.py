"""The loopback judge, with reasons as long as a model's: one sentence of 20 words a verdict.

python -m tests.benchmarks.wordy_judge --latency 0.3
"""

from __future__ import annotations

import argparse
import json
import threading

from tests.loopback.judge import answer
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

REASON = (
    "The passage states the same amount, the same time and the same place for this, "
    "so it supports the whole claim."
)


def reply(request: Recorded) -> str | None:
    """The loopback judge's verdicts, each with a whole sentence as its reason."""
    if request.step != "verify_claims":
        return None
    said = answer(request.step, request.data)
    return json.dumps({"verdicts": [{**one, "reason": REASON} for one in said["verdicts"]]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS")
    with LoopbackJudge(latency=parser.parse_args().latency, keep_bodies=False) as judge:
        judge.on(reply)
        print(judge.base_url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
