"""Checks lines of committed verdicts from other sources, and finds their place in a file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from ..errors import ConfigurationError
from ..judgements import Met, Verdict
from ..language.escaping import is_blank
from ..steps.catalogue import STEPS
from ..steps.evidence.passage_hashes import passage_set
from ..steps.stored_step import stored_step
from ..steps.verify_claims import VERIFY_CLAIMS
from ..storage.answers import vector_key, vector_of
from ..storage.committed.committed_verdicts import is_folder, open_verdicts
from ..storage.committed.verdict_line import BY_HAND, EMBED_TEXT, OVERRIDE, VerdictLine
from ..storage.files.json_lines import lines_of
from ..storage.files.plain_files import open_plain
from .output import Failed


def problem_of(line: VerdictLine) -> str | None:
    """Why a line does not fit its step; None if it does."""
    if line.step == OVERRIDE:
        return _problem_of_override(line)
    if line.step == EMBED_TEXT:
        if line.reply.keys() != {"vector"} or vector_of(line.reply["vector"]) is None:
            return "its reply is not a vector: a list of finite numbers"
        if embedder_of(line) is None:
            return "its key is not that of its text and embedder"
        return None
    step = stored_step(line.step)
    if step is None:
        return (
            f"unknown step {line.step!r}; known steps are {', '.join((*STEPS, EMBED_TEXT))}, and "
            "the project's own, whose names consist of ASCII letters, digits and _"
        )
    if not step.is_whole(line.reply) and not is_of_whole_question(line):
        return f"its reply does not fit the step {line.step} in its normal form"
    if line.passages != tuple(passage_set(line.passages)):
        return "its passages are not sorted, or one is listed twice"
    if line.step != VERIFY_CLAIMS.name:
        return None
    named = {one["passage"] for one in line.reply.get("evidence", ())} - {None}
    if not named.issubset(line.passages):
        return "its evidence names a passage that is not among its passages"
    return None


def is_of_whole_question(line: VerdictLine) -> bool:
    """Whether it is the answer to a whole question of several judgements, as committed by earlier
    versions.
    """
    step = STEPS.get(line.step)
    return step is not None and not line.asked and step.is_kept_whole(line.reply)


def _problem_of_override(line: VerdictLine) -> str | None:
    said = line.reply
    if line.judge != BY_HAND:
        return f"the judge of an override must be {BY_HAND!r}"
    if said.keys() != {"verdict", "reason"}:
        return "the reply of an override must have verdict and reason, and nothing else"
    labels = [*Verdict.__members__, *Met.__members__]
    if said["verdict"] not in labels:
        return f"the verdict of an override must be one of {', '.join(labels)}"
    if not isinstance(said["reason"], str) or is_blank(said["reason"]):
        return "an override must have a reason"
    return None


def embedder_of(line: VerdictLine) -> tuple[str, str] | None:
    """An embedder's id and model; both may contain spaces, and the key shows where to split.

    None if the key is not a key of the line's text.
    """
    words = line.judge.split(" ")
    ways = [(line.judge, "")]
    ways += [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    for embedder, model in ways:
        if vector_key(embedder, model, line.about) == line.key:
            return embedder, model
    return None


def lines_in(path: str) -> list[VerdictLine]:
    """The lines of a file or folder given on the command line.

    Raises:
        ConfigurationError: it does not exist.
        Failed: it is damaged.
    """
    check_there(path)
    with damage_fails():
        return list(open_verdicts(path).lines())


def check_there(path: str) -> None:
    """
    Raises:
        ConfigurationError: there is no such file or folder.
    """
    if not os.path.exists(path):
        raise ConfigurationError(f"{path}: no such file or folder")


@contextlib.contextmanager
def damage_fails() -> Iterator[None]:
    """Turn errors about the content of committed verdicts into failures, since they are not misuse
    of the command.
    """
    try:
        yield
    except ConfigurationError as error:
        raise Failed(str(error)) from None


def place_of(path: str, line: VerdictLine) -> str:
    """The file with a line, and the line number if the file has several lines."""
    if is_folder(path):
        return str(Path(path) / line.step / f"{line.key}.json")
    key = line.key.encode()
    with contextlib.suppress(OSError), open_plain(path) as file:
        for number, _, raw in lines_of(file):
            if key in raw:
                return f"{path}, line {number}"
    return path
