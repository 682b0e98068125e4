"""The loopback judge, with reasons as long as a model's: one sentence of 20 words a verdict.

python -m tests.benchmarks.wordy_judge --latency 0.3
"""

from __future__ import annotations

import argparse
import json

from tests.loopback.judge import answer
from tests.loopback.scripts import Recorded
from tests.loopback.server import serve_replies

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
    serve_replies(parser, reply)


if __name__ == "__main__":
    main()
