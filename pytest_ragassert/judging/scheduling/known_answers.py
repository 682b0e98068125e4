"""Finds answers without asking: to the judgement itself, to the whole question as earlier versions
kept it, and to another judgement, carried over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from ...config.settings import Settings
from ...runtime.canonical_json import Json
from ...storage.answers import Answer, Answers, read_answer
from ...storage.judgement_rows import rows_of
from ...storage.keys import Question
from ...storage.overrides import Overrides
from ...storage.sources import Sources
from .answer_cache import AnswerCache, PartialAnswers
from .carrying import Carrying
from .former_answers import answer_in_line, answer_in_text, is_kept_whole, is_line_of, split

if TYPE_CHECKING:
    from ...storage.committed.verdict_line import VerdictLine


_CARRIED, _STORED = attrgetter("carried"), attrgetter("stored")


class KnownAnswers:
    """The known answers of a session. May be used from any thread.

    Args:
        local: the judge answers at once, in this process, and nothing is stored.
    """

    def __init__(
        self,
        settings: Settings,
        cache: AnswerCache,
        sources: Sources,
        overrides: Overrides,
        *,
        local: bool,
    ) -> None:
        self._settings = settings
        self._cache = cache
        self._carrying = Carrying(settings, cache, sources, overrides, self._exact, local=local)
        self._reasons = settings.store_reasons == "on"
        self._names_passages = settings.store_passages == "on"

    def of(
        self, question: Question, keys: Collection[str] | None = None, *, fresh: bool = False
    ) -> Answers:
        """Return those of its judgements that are already known or can be carried over without
        asking.

        Known answers come from the store or from this run.

        Args:
            keys: the judgements to look for; None: all of them.
            fresh: as in `AnswerCache.get_many`.
        """
        judgements = {
            one.key: one for one in question.judgements if keys is None or one.key in keys
        }
        found = self._exact(judgements, fresh=fresh)
        if any(map(_CARRIED, found.values())):
            for key in self._carrying.void(judgements, found):
                del found[key]
        if len(found) < len(judgements) and is_kept_whole(question):
            found.update(self._former(question, judgements.keys() - found.keys()))
        if len(found) < len(judgements):
            found.update(self._carried(question, judgements.keys() - found.keys()))
        return found

    def _exact(self, judgements: Mapping[str, Question], *, fresh: bool = False) -> Answers:
        """Return what is stored under the keys of judgements."""
        return self._cache.get_many(
            judgements,
            lambda key, text, stored: self._checked(judgements[key], text, stored),
            lambda key, line: self._recorded(judgements[key], line),
            fresh=fresh,
        )

    def _carried(self, question: Question, keys: Collection[str]) -> Answers:
        """Carry over what can be, for the judgements with these keys, store it and return it."""
        answers = self._carrying.carried(question, keys, self.of)
        if answers and self._settings.record_mode == "none":
            self._cache.keep_to_commit(self._rows(question, answers))
        elif answers:
            answers = self.keep(question, answers)
        return answers

    def beside(self, question: Question, answers: Answers) -> Answers:
        """Return the answers to other judgements that decide whether the question's are carried
        over.

        They are the same in any process and at any time of the run.

        Args:
            answers: to the question's judgements; if one is unavailable, to the others.
        """
        found: Answers = {}
        if all_stored(question, answers):
            return found
        new = [key for key in question.keys if key not in answers or not answers[key].stored]
        for first in self.asked_first(question, new):
            known = self.of(first)
            found.update({**self.beside(first, known), **known})
        return found

    def asked_first(self, question: Question, keys: Collection[str]) -> list[Question]:
        """Return what is asked before these judgements, as in `Carrying.asked_first`."""
        return self._carrying.asked_first(question, keys)

    def _former(self, question: Question, keys: Collection[str]) -> Answers:
        """Return what an earlier version kept of these judgements, and store each on its own."""
        whole = self._cache.get(
            question.key,
            lambda text, stored: answer_in_text(question, text, stored=stored),
            lambda line: answer_in_line(question, line),
        )
        if whole is None:
            return {}
        answers = {
            key: replace(one, reply=self.kept(question, one.reply))
            for key, one in split(question, whole, keys, self._settings.token_budget).items()
        }
        rows = self._rows(question, answers)
        self._cache.store_converted(rows)
        self._cache.keep_to_commit(row for row in rows if row[0] in answers)
        return answers

    def _recorded(self, judgement: Question, line: VerdictLine) -> Answer | None:
        """Return the answer in a judgement's committed line, or None if it does not match."""
        answer = _recorded(judgement, line)
        if answer is not None and not line.asked:
            # an earlier version wrote it, and this one writes more
            text = answer.to_text(judgement, names_passages=self._names_passages)
            self._cache.keep_to_commit([(judgement.key, text)])
        return answer

    def _checked(self, question: Question, text: str, stored: bool) -> Answer | None:
        answer = read_answer(text, question, stored=stored)
        if answer is None or not question.step.fits(question.input, answer.reply):
            return None
        if self._reasons and self._names_passages:
            return answer
        # it may be stored with more by a run that keeps it
        return replace(answer, reply=self.kept(question, answer.reply))

    def kept(self, question: Question, reply: Json) -> Json:
        """Return the reply to a judgement as it is used and stored: the same in the first run and
        in every later one.
        """
        return question.step.kept(reply, reasons=self._reasons, passages=self._names_passages)

    def final(self, question: Question, reply: Json) -> Json:
        """Do the same for a message's reply, or for that of a whole question."""
        return reply if self._reasons else question.step.without_reasons(reply)

    def parts(self, question: Question) -> PartialAnswers:
        """Return where replies to the parts of a long question are stored."""
        return PartialAnswers(self._cache, question, self.final)

    def keep(self, question: Question, answers: Answers) -> Answers:
        """Store answers to judgements of the question, and return those that count: another machine
        may have answered the same meanwhile, and all use what was stored first.
        """
        rows = self._rows(question, answers)
        others = self._cache.put(*rows)
        if not others:
            return answers
        judgements = {one.key: one for one in question.judgements if one.key in others}
        adopted = {
            key: self._checked(judgements[key], text, stored=False) for key, text in others.items()
        }
        self._cache.replace([row for row in rows if adopted.get(row[0], True) is None])
        # what this run paid for its own answers remains
        return {
            key: replace(one, usage=answer.usage) if (one := adopted.get(key)) else answer
            for key, answer in answers.items()
        }

    def _rows(self, question: Question, answers: Answers) -> list[tuple[str, str]]:
        return rows_of(question, answers, names_passages=self._names_passages)


def all_stored(question: Question, answers: Answers) -> bool:
    """Whether all of the question was answered before this run began, so that nothing in it decides
    what is carried over.
    """
    return len(answers) == len(question.keys) and all(map(_STORED, answers.values()))


def _recorded(question: Question, line: VerdictLine) -> Answer | None:
    """Return the answer in a judgement's committed line, or None if it does not match."""
    if not (is_line_of(question, line) and question.step.fits(question.input, line.reply)):
        return None
    return Answer(line.reply, stored=True, committed=True, carried=line.source)
