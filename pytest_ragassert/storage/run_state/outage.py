"""What the processes of one run know about a failing endpoint: since when, how often, and whether
they all wait for it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from ...errors import JudgeError
from ...runtime.canonical_json import canonical_json
from .run_folder import RunFolder


@dataclass
class Outage:
    """Consecutive failed requests; times are seconds of `Clock.now`.

    Attributes:
        since: when the first of them was sent.
        noticed: when that one failed.
        last: when the last one failed.
        failures: how many failed.
        questions: how many questions failed; the last one answered before may be one of them.
        given_up: questions that are not asked again because of them.
        probes: requests that failed while all others waited.
        next: when the next one is sent, alone; None: nothing waits.
        kind: the kind of the last error.
        words: its message.
    """

    since: float
    noticed: float
    last: float
    failures: int = 0
    questions: int = 0
    given_up: int = 0
    probes: int = 0
    next: float | None = None
    kind: str = "connection"
    words: str = ""

    @property
    def pauses(self) -> bool:
        """Whether all processes wait."""
        return self.next is not None

    def end(self, now: float) -> JudgeError:
        """Return the error that ends judging."""
        return JudgeError(
            f"{self.words}; the endpoint did not answer for {seconds_told(now - self.since)}: "
            "nothing more is asked",
            kind=self.kind,
            ends_judging=True,
        )


def read_outage(run: RunFolder, what: str) -> Outage | None:
    """Return the outage, if there is one.

    Args:
        what: `JUDGING` or `EMBEDDING` of the run's folder.
    """
    text = run.value(_name(what))
    return None if text is None else Outage(**json.loads(text))


def write_outage(run: RunFolder, what: str, outage: Outage) -> None:
    run.set_value(_name(what), canonical_json(asdict(outage)))


def end_outage(run: RunFolder, what: str, waited: float | None) -> None:
    """Forget the outage, because the endpoint answers.

    Args:
        waited: seconds that the run waited, which the summary reports; None: it did not wait.
    """
    run.delete_value(_name(what))
    if waited is None:
        return
    known = json.loads(run.value(f"{what}-waited") or "[0, 0]")
    times, seconds = known[0] + 1, known[1] + waited
    run.set_value(f"{what}-waited", canonical_json([times, seconds]))
    how_often = "" if times == 1 else f" {times} times,"
    run.add_notice(
        f"the endpoint{'' if what == 'judging' else ' of the embedder'} did not answer{how_often} "
        f"for {seconds_told(seconds)}{'' if times == 1 else ' in all'}; the run waited",
        place=f"{what}-waited",
    )


def seconds_told(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def _name(what: str) -> str:
    return f"{what}-outage"
