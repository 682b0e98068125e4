"""Finds out why judgements were missing in a replay, or were asked for again in a live run."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..config.metric_table import SIDES
from ..errors import ConfigurationError
from ..storage.committed.misses import Cause, Miss, MissedQuestion, Recorded, causes
from ..storage.committed.stored_lines import CombinedLines, LinesBefore, StoredLines

if TYPE_CHECKING:
    from ..analysis.records.row_types import AskedRow, MeasuredRow, MissedJudgement
    from ..storage.keys import Question
    from ..storage.last_run import PastTest
    from .run import Run

# Causes that are found by comparing texts, whichever case they belong to.
_GUESSES: tuple[Cause, ...] = ("text changed", "passages changed")


def causes_of(
    run: Run, rows: Sequence[MeasuredRow], missed: Sequence[MissedJudgement]
) -> dict[str, Miss] | None:
    """Why a replay lacks judgements, by their keys; None if the verdicts cannot be read."""
    questions = [_missed_question(one) for one in missed]
    used = {asked["key"] for row in rows for asked in row["asked"]}
    told = (row["missed"] for row in rows if row["missed"] is not None)
    used.update(key for one in told for keys in one["known"].values() for key in keys)
    try:
        with _recorded(run, _claims(questions)) as recorded:
            found = causes(recorded, questions, used)
    except ConfigurationError:
        # the tests that found the damage report it
        return None
    return {miss.question.key: miss for miss in found}


def asked_again_line(run: Run, rows: Sequence[MeasuredRow]) -> str | None:
    """A line such as `asked again: 12 text changed, 3 other model`; None if the run asked for
    nothing that was known in another version.

    If no test has run with the store yet, its answers are those of commands, such as `generate`,
    and only committed verdicts count.
    """
    from ..storage.keys import question_key
    from ..storage.last_run import read_last_run
    from ..storage.open_store import open_store

    new = {asked["key"]: asked for row in rows for asked in row["asked"] if _is_new(asked)}
    if not new:
        return None
    before = read_last_run(run.folder)
    if not before and run.verdicts is None:
        return None
    with open_store(run.store_place, run.run_folder().add_notice) as store:
        texts = store.get_many(map(question_key, new))
        asked = {key: _question(texts.get(question_key(key))) for key in new}
    known = {key: question for key, question in asked.items() if question is not None}
    claims = _claims(known.values())
    used = {asked["key"] for row in rows for asked in row["asked"]}
    try:
        with _recorded(run, claims, new, stored=bool(before)) as recorded:
            # the judge of any of the claims may have been asked before
            judges = {line.judge for line in recorded.lines() if line.about in claims}
            found = causes(recorded, _new_questions(rows, known, judges), used)
    except ConfigurationError:
        return None
    by_key = {miss.question.key: miss.cause for miss in found}
    told = Counter(_proven(_in_rows(rows, by_key), rows, before).values())
    del told["never recorded"]
    each = sorted(told.items(), key=lambda item: (-item[1], item[0]))
    if not each:
        return None
    line = f"asked again: {', '.join(f'{n} {cause}' for cause, n in each)}"
    if not told["other endpoint"]:
        return line
    from ..report.replay_miss_lines import ONE_NAME

    return f"{line}; {ONE_NAME}"


@contextlib.contextmanager
def _recorded(
    run: Run, claims: Collection[str], new: Collection[str] = (), *, stored: bool = True
) -> Iterator[Recorded]:
    """The judgements recorded before this run, from where it reads them.

    Args:
        claims: the claims whose judgements are all needed.
        new: keys of the judgements that this run asked for.
        stored: include those of the store, which a replay never reads.

    Raises:
        ConfigurationError: the committed verdicts cannot be read.
    """
    places: list[Recorded] = []
    if run.verdicts is not None:
        from ..storage.committed.committed_verdicts import open_verdicts

        places.append(LinesBefore(open_verdicts(run.verdicts), new))
    # a replay only reads committed verdicts
    if not stored or (run.verdicts is not None and run.record_mode == "none"):
        yield CombinedLines(places)
        return
    from ..storage.open_store import open_store

    with open_store(run.store_place, run.run_folder().add_notice) as store:
        yield CombinedLines([*places, StoredLines(store, claims, new)])


def _claims(judgements: Iterable[MissedQuestion | Question]) -> set[str]:
    """The claims of the judgements that depend on passages."""
    return {one.about for one in judgements if one.passages}


def _missed_question(missed: MissedJudgement) -> MissedQuestion:
    return MissedQuestion(
        missed["key"],
        missed["step"],
        missed["judge"],
        missed["about"],
        missed["others"],
        missed["asked"],
        tuple(missed["passages"]),
        missed["beside"],
    )


# -- a live run ------------------------------------------------------------------------------------


def _is_new(asked: AskedRow) -> bool:
    known = asked["stored"] or asked["carried"]
    return asked["answered"] and not asked["embedding"] and not known


def _question(text: str | None) -> Question | None:
    """The question in a stored text; None if it is damaged, or from another release."""
    from ..storage.contents import asked_in

    if text is None:
        return None
    try:
        return asked_in(json.loads(text))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _new_questions(
    rows: Sequence[MeasuredRow], asked: Mapping[str, Question], judges: Collection[str]
) -> list[MissedQuestion]:
    """The judgements that the run asked for, in the form of missing ones.

    Args:
        judges: judges that may have been asked before.
    """
    from ..judging.scheduling.replay_misses import missed

    beside = Counter(
        one["question"] for row in rows for one in row["asked"] if one["answered"] and one["stored"]
    )
    of = {one["key"]: one["question"] for row in rows for one in row["asked"]}
    return [
        _missed_question({**missed(one, one, judges), "beside": beside[of[key]]})  # type: ignore[typeddict-item]  # plain data
        for key, one in asked.items()
    ]


def _in_rows(rows: Sequence[MeasuredRow], causes: Mapping[str, Cause]) -> dict[str, Cause]:
    """The causes, from the point of view of the measurements that asked."""
    found = dict(causes)
    for row in rows:
        own = [one["key"] for one in row["asked"] if one["key"] in causes]
        sides = SIDES.get(row["metric"], ())
        if sides and all(against in ("answer", "reference") for _, against in sides):
            # the claims were checked against another answer or reference
            changed = (key for key in own if causes[key] == "passages changed")
            found.update(dict.fromkeys(changed, "text changed"))
        steps = {one["key"]: one["step"] for one in row["asked"]}
        texts = any(steps[key] == "extract_claims" and causes[key] == "text changed" for key in own)
        for key in own:
            # the claims of a new sentence are new
            if texts and steps[key] == "verify_claims" and found[key] == "never recorded":
                found[key] = "text changed"
    return found


def _proven(
    causes: Mapping[str, Cause], rows: Sequence[MeasuredRow], before: Mapping[str, PastTest]
) -> dict[str, Cause]:
    """The causes without guesses: a judgement is new if no test that asked for it shows a change.

    Args:
        before: what the tests asked for when they last ran; empty: unknown, so guesses stay.
    """
    if not before:
        return dict(causes)
    by_test: dict[str, dict[str, str]] = {}
    for row in rows:
        own = by_test.setdefault(row["nodeid"], {})
        own.update((one["key"], one["question"]) for one in row["asked"])
    changed: set[str] = set()
    for test, own in by_test.items():
        if test in before:
            changed |= _of_changed_texts(own, {k for part in before[test].asked for k in part.keys})
    return {
        key: "never recorded" if cause in _GUESSES and key not in changed else cause
        for key, cause in causes.items()
    }


def _of_changed_texts(own: Mapping[str, str], before: Collection[str]) -> set[str]:
    """The keys that a test may ask for because its case changed: all if it no longer asks for some
    that it asked for before; otherwise those of a text of which it asked for another part before.

    Args:
        own: the question of each key.
    """
    if not own.keys() >= set(before):
        return set(own)
    known = {own[key] for key in before}
    return {key for key, question in own.items() if question in known}
