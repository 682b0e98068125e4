"""Converts committed verdicts: replaces the line of a whole answer by one line per judgement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..judging.scheduling.former_answers import answer_in_line
from ..runtime.canonical_json import Json
from ..steps.catalogue import STEPS
from ..steps.evidence.claim_ids import claim_id, former_claim_id
from ..steps.evidence.passage_hashes import text_hash
from ..storage.committed.committed_verdicts import CommittedVerdicts
from ..storage.committed.verdict_line import OVERRIDE, VerdictLine, one_of
from ..storage.failed_claims import ReportedClaim
from ..storage.keys import Question
from ..storage.store import Store
from .conversion import DAMAGE, UNFIT, UNKNOWN, Counts, judgements_of, question_in
from .foreign_lines import is_of_whole_question
from .locations import Places


class LineConversion:
    """Converts committed verdicts, using the questions in the store.

    Args:
        reported: claims with the passages that they were checked against, in order.
    """

    def __init__(self, places: Places, store: Store, reported: Sequence[ReportedClaim]) -> None:
        self._places = places
        self._store = store
        self._reported = reported
        self.counts = Counts()

    def changed(self, committed: CommittedVerdicts) -> list[VerdictLine]:
        """The converted lines; resets the counts.

        Raises:
            ConfigurationError: a line is damaged; the message names file and line.
        """
        self.counts = Counts()
        lines: dict[str, VerdictLine] = {}
        made: list[VerdictLine] = []
        for line in committed.lines():
            own = self._converted(line, committed)
            if own is None:
                lines[line.key] = line
            else:
                made += own
        for line in made:
            known = lines.setdefault(line.key, line)
            if known is not line:
                self.counts.there += 1
                lines[line.key] = one_of(known, line) or known
        return list(lines.values())

    def _converted(
        self, line: VerdictLine, committed: CommittedVerdicts
    ) -> list[VerdictLine] | None:
        """The replacement of a line; None if it stays."""
        if line.step == OVERRIDE:
            return self._override(line, committed)
        if line.asked or line.step not in STEPS:
            return None
        whole = is_of_whole_question(line)
        question = question_in(self._store, line.key)
        if question is None:
            self.counts.stay[UNKNOWN if whole else f"{UNKNOWN}, each one judgement"] += 1
            return None
        try:
            made = self._whole(question, line) if whole else self._single(question, line)
        except DAMAGE:
            made = []
        if not made:
            self.counts.stay[UNFIT] += 1
            return None
        self.counts.whole += whole
        self.counts.made += len(made) if whole else 0
        self.counts.single += not whole
        return made

    def _whole(self, question: Question, line: VerdictLine) -> list[VerdictLine]:
        """The lines of a whole answer's judgements; empty if the answer does not fit the
        question.
        """
        answer = answer_in_line(question, line)
        if answer is None:
            return []
        asked = {one.key: one for one in question.judgements}
        answers = judgements_of(question, answer, self._places)
        return [self._line(asked[key], line, one.reply) for key, one in answers.items()]

    def _single(self, question: Question, line: VerdictLine) -> list[VerdictLine]:
        step = question.step
        fits = step.name == line.step and step.fits(question.input, line.reply)
        return [self._line(question, line, line.reply)] if fits else []

    def _line(self, judgement: Question, line: VerdictLine, reply: Json) -> VerdictLine:
        passages = tuple(judgement.passages) if self._places.names_passages else ()
        return VerdictLine(
            judgement.key, line.step, line.judge, judgement.about, reply, judgement.asked, passages
        )

    def _override(
        self, line: VerdictLine, committed: CommittedVerdicts
    ) -> list[VerdictLine] | None:
        """The override under the current id of its claim, if its passages are known."""
        held_against = (
            texts
            for texts in self._passages_of(line.about)
            if former_claim_id(line.about, texts) == line.key
        )
        id = next((claim_id(line.about, texts) for texts in held_against), line.key)
        if id in committed:
            return None
        self.counts.overrides += 1
        return [replace(line, key=id)]

    def _passages_of(self, claim: str) -> list[list[str]]:
        """The passages that the claim was checked against, in the order in which they were sent."""
        known = [one.passages for one in self._reported if one.claim == claim]
        for judged in self._store.judged_claims(about={text_hash(claim)}):
            question = question_in(self._store, judged.key)
            if question is not None and "claims" in question.input:
                known.append([passage["text"] for passage in question.input["passages"]])
        return known
