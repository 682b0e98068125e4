"""`verdicts show ID …`: shows everything known about a claim, a judgement or a passage."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ..judgements import Verdict, label_named
from ..language.escaping import is_blank, visible
from ..runtime.canonical_json import Json
from ..steps.check_criteria import CHECK_CRITERIA
from ..steps.evidence.claim_ids import criterion_id, former_claim_id
from ..steps.evidence.evidence_check import CheckedQuote, Passage, checked_quotes, gated
from ..steps.evidence.evidence_list import evidence_of
from ..steps.evidence.passage_hashes import text_hash
from ..steps.extract_claims import EXTRACT_CLAIMS
from ..steps.verify_claims import VERIFY_CLAIMS
from ..storage.failed_claims import ReportedClaim
from ..storage.judged_claims import claims_in
from .found import FoundClaim, FoundJudgement, FoundPassage
from .locations import Places, add_action
from .lookup import Finder, finder_in
from .output import say, say_text, say_value, short

_ABOUT = """\
Show the judgement behind an id: what was asked of which judge with which settings, what the judge
replied, and which verdict counts and why. An ID is the key of a judgement, the id of a claim that
failure reports show, or the hash by which committed verdicts name a passage. Its first 6 characters
are enough if they are unique."""


def add_to(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = add_action(actions, "show", "show the judgement behind an id", _ABOUT, _show)
    parser.add_argument(
        "ids", metavar="ID", nargs="+", help="the id of a claim, judgement or passage"
    )


def _show(args: argparse.Namespace, places: Places) -> int:
    with finder_in(places) as finder:
        found = [finder.found(id) for id in args.ids]
        for number, one in enumerate(found):
            if number:
                say()
            if isinstance(one, FoundClaim):
                _show_claim(one, finder, places)
            elif isinstance(one, FoundPassage):
                say(f"passage {one.hash}")
                say_text(one.text, "  ")
            else:
                _show_judgement(one, finder, places)
    return 0


# -- a claim ---------------------------------------------------------------------------------------


def _show_claim(found: FoundClaim, finder: Finder, places: Places) -> None:
    say(f"{'criterion' if found.is_criterion else 'claim'} {found.id}")
    say_text(found.claim, "  ")
    if found.passages:
        against = "checked against the answer" if found.is_criterion else "checked against"
        say(f"  {against}" + (" (shortened; in full below, if stored):" if found.cut else ":"))
        for number, text in found.passages:
            say_text(text, "    ", f"[{number}] ")
    for report in found.reports:
        _show_report(report)
    if found.override is not None:
        _show_override(found.override.reply, places)
    for line in finder.other_overrides(found):
        verdict = visible(str(line.reply.get("verdict")))
        other = "other passages, or their former order"
        if found.is_criterion:
            other = "another answer or question"
        say(f"  override for {other}: {verdict} {short(line.key)}")
    judgements = [finder.judgement(key) for key in found.judgements]
    known = [one for one in judgements if one.line or one.answer or one.asked]
    on_claims = [one for one in known if one.step == VERIFY_CLAIMS.name]
    own = [one for one in on_claims if one.is_on(found.id, found.claim)]
    if found.is_criterion:
        own = [one for one in known if one.about == found.claim]
    others = [one for one in known if one not in (*on_claims, *own)]
    for one in (one for one in others if not found.is_criterion and _tells_of(one, found.claim)):
        say(f"  see also {one.step}: python -m pytest_ragassert verdicts show {short(one.key)}")
    for one in own:
        say()
        _show_judgement(one, finder, places, found)
    if not own and found.reports and all(map(_is_offline, found.reports)):
        say("  the offline judge's answers are not stored: run the test again to see them")
    elif not own:
        say("  the judgement itself is no longer stored or committed here")


def _tells_of(one: FoundJudgement, claim: str) -> bool:
    """Whether it may be the extraction of the claim: one of the sentences of the text was."""
    if one.step != EXTRACT_CLAIMS.name:
        return True
    return any(EXTRACT_CLAIMS.is_whole(reply) and claim in reply["claims"] for reply in one.replies)


def _is_offline(report: ReportedClaim) -> bool:
    return report.judge.startswith("offline-")


def _show_report(report: ReportedClaim) -> None:
    say(f"  reported {visible(report.when)} by {visible(report.nodeid)}")
    case = "without id" if is_blank(report.case) else visible(report.case)
    say(f"    case {case}, metric {visible(report.metric)}")
    say(f"    judge {visible(report.judge)}")
    by_hand = ", overridden" if report.by_hand else ""
    say(f"    {_way(report.label_raw, report.verdict, report.gate_reason)}{by_hand}")
    if report.reason:
        say(f"    reason: {visible(report.reason)}")
    for one in report.evidence:
        say(f"    {_quote(one['quote'], None if one['passage'] is None else one['passage'] + 1)}")


def _show_override(reply: Json, places: Places) -> None:
    say(f"  override: {visible(str(reply.get('verdict')))} (in {places.verdicts})")
    say(f"    reason: {visible(str(reply.get('reason')))}")


# -- a judgement -----------------------------------------------------------------------------------


def _show_judgement(
    found: FoundJudgement, finder: Finder, places: Places, of: FoundClaim | None = None
) -> None:
    """
    Args:
        of: the claim whose passage numbers are used.
    """
    say(f"{'question' if found.is_whole else 'judgement'} {found.key}")
    record = found.answer.record if found.answer is not None else {}
    asked = found.asked or {}
    version = f" v{asked['version']}" if asked else ""
    say(f"  step: {visible(found.step)}{version}")
    say(f"  judge: {visible(asked.get('judge') or found.judge)}")
    if asked:
        say(f"  model: {visible(asked['model']) or 'none'}")
        sampling = asked["sampling"].items()
        settings = [f"{name} {value}" for name, value in sampling if value is not None]
        settings.append(f"sample {asked['sample'] + 1}")
        say(f"  settings: {visible(', '.join(settings))}")
    if record.get("when") or record.get("served"):
        say(f"  answered: {visible(str(record.get('when') or 'at an unknown time'))}")
        say(f"  served by: {visible(str(record.get('served') or 'not reported by the endpoint'))}")
    for place in _places_of(found, places):
        say(f"  from: {place}")
    if found.step == CHECK_CRITERIA.name and CHECK_CRITERIA.is_judgement(asked.get("input", {})):
        id = criterion_id(asked["input"])
        override = finder.override(id)
        by_hand = "" if override is None else f", overridden: {override.reply.get('verdict')}"
        say(f"  criterion {short(id)}{visible(by_hand)}")
    if found.source is not None:
        say(f"  carried over from: {short(found.source)}, the same claim with other passages")
    if found.claim is not None:
        numbers = _numbers(found, of)
        say_value("claim", found.claim)
        _show_passages(found, numbers)
        _show_replies(found, finder, places, numbers)
        return
    if asked:
        for name, value in asked["input"].items():
            say_value(visible(name), value)
    else:
        say_value("about", found.about)
        say("  the question is not stored here, only its subject")
    _show_replies(found, finder, places, {})


def _numbers(found: FoundJudgement, of: FoundClaim | None) -> dict[str, int]:
    """The number of each passage, by hash: as in the claim's report, if it has all of them."""
    if of is not None and not of.cut:
        reported: dict[str, int] = {}
        for number, text in of.passages:
            reported.setdefault(text_hash(text), number)
        if reported.keys() >= set(found.hashes):
            return {one: reported[one] for one in found.hashes}
    return {one: number for number, one in enumerate(found.hashes, start=1)}


def _show_passages(found: FoundJudgement, numbers: Mapping[str, int]) -> None:
    if not numbers:
        say("  passages: not recorded here")
        return
    say("  passages:")
    for one, number in sorted(numbers.items(), key=lambda pair: pair[1]):
        text = found.texts.get(one)
        if text is None:
            say(f"    [{number}] {one} (text not stored here)")
        else:
            say_text(text, "    ", f"[{number}] ")


def _places_of(found: FoundJudgement, places: Places) -> list[str]:
    from_places = []
    if found.line is not None:
        from_places.append(f"the committed verdicts {places.verdicts}")
    if found.answer is not None:
        problem = found.answer.problem
        state = f", but not used: {visible(problem)}" if problem else ""
        from_places.append(f"the store {places.store.shown}{state}")
    return from_places


def _show_replies(
    found: FoundJudgement, finder: Finder, places: Places, numbers: Mapping[str, int]
) -> None:
    """The reply that counts: the committed one, if there is one."""
    replies = found.replies
    if len(replies) == 2:
        say(
            "  the committed verdicts and the store have different replies; the committed one "
            "first:"
        )
    for reply in replies:
        verdicts = _verdicts_in(found, reply, numbers)
        if verdicts is None:
            say_value("reply", reply)
            continue
        say("  reply:")
        for verdict in verdicts:
            _show_verdict(verdict, places.gate)
            override = finder.override(*verdict.ids)
            if override is not None:
                by_hand = visible(str(override.reply.get("verdict")))
                say(f"{verdict.indent}override: {by_hand}, which counts")


@dataclass(frozen=True)
class _Said:
    """A judge's verdict on a claim, for display.

    Attributes:
        verdict: the normalized verdict, which names passages by number.
        claim: the claim's text; None if it is unknown.
        ids: the ids of the claim with its passages; empty if they are unknown.
        passages: the texts; None if some are unknown, so that quotes cannot be searched.
        first: the start of the first line; None if the claim was already shown.
    """

    verdict: Json
    claim: str | None
    ids: Sequence[str]
    passages: Sequence[Passage] | None
    first: str | None = None

    @property
    def indent(self) -> str:
        return "    " if self.first is None else "       "


def _verdicts_in(
    found: FoundJudgement, reply: Any, numbers: Mapping[str, int]
) -> list[_Said] | None:
    """The verdicts of a reply; None if it is not a valid reply on claims."""
    if found.step != VERIFY_CLAIMS.name:
        return None
    asked = found.asked["input"] if found.asked is not None else {}
    if VERIFY_CLAIMS.is_whole(reply):
        quotes = [{**one, "passage": numbers.get(one["passage"])} for one in reply["evidence"]]
        verdict = {**reply, "id": 1, "evidence": quotes}
        passages = [(n - 1, found.texts[one]) for one, n in numbers.items() if one in found.texts]
        whole = len(passages) == len(numbers) and bool(numbers or asked)
        return [_Said(verdict, found.claim, found.ids, passages if whole else None)]
    if VERIFY_CLAIMS.is_kept_whole(reply):
        texts = dict(enumerate(claims_in(asked), start=1))
        own = asked["passages"] if texts else []
        passages = [(p["id"] - 1, p["text"]) for p in own if type(p.get("id")) is int]
        return [
            _of_whole(verdict, texts.get(verdict["id"]), passages) for verdict in reply["verdicts"]
        ]
    return None


def _of_whole(verdict: Json, claim: tuple[str, str] | None, passages: Sequence[Passage]) -> _Said:
    number = verdict["id"]
    if claim is None:
        return _Said(verdict, None, (), None, f"{number}: ")
    id, text = claim
    former = former_claim_id(text, [passage for _, passage in passages])
    return _Said(verdict, text, (id, former), passages, f"{number}: {visible(text)}")


def _show_verdict(verdict: _Said, gate: bool) -> None:
    """Print a judge's verdict, and the result of the evidence check."""
    said, indent = verdict.verdict, verdict.indent
    words = Verdict(said["verdict"]).words
    checked: list[CheckedQuote] = []
    if verdict.first is not None:
        say(f"    {verdict.first}{words if verdict.claim is None else ''}")
    if verdict.ids:
        say(f"{indent}claim {short(verdict.ids[0])}")
    if verdict.claim is not None and verdict.passages is not None:
        counts = gated(said, verdict.claim, verdict.passages, gate=gate)
        say(f"{indent}{_way(counts['label_raw'], counts['verdict'], counts['gate_reason'])}")
        checked = checked_quotes(said, verdict.claim, verdict.passages)
    elif verdict.claim is not None:
        say(f"{indent}the judge said {words}")
    if said["reason"]:
        say(f"{indent}reason: {visible(said['reason'])}")
    for one, found in zip_longest(evidence_of(said), checked):
        say(f"{indent}{_quote(one['quote'], one['passage'])}")
        if found is not None:
            say(f"{indent}{_found(found)}")
    if said["confidence"] is not None:
        say(f"{indent}confidence: {said['confidence']}")
    if said.get("conflict"):
        say(f"{indent}another passage says the opposite, also with a verified quote")
    if said.get("packed"):
        say(f"{indent}merged from several requests, each with some of the passages")


def _quote(words: str, number: int | None) -> str:
    """`quote: [2] "the words"`; passages count from 1."""
    where = "" if number is None else f"[{number}] "
    return f'quote: {where}"{visible(words)}"'


def _found(checked: CheckedQuote) -> str:
    if checked.found is None:
        return f"the quote {checked.flaw}"
    start, end = checked.found.span
    where = f"found in [{checked.found.passage + 1}] at {start}-{end}"
    return f"{where}; the quote {checked.flaw}" if checked.flaw else where


def _way(raw: str, final: str, why: str | None) -> str:
    """How the judge's label led to the one that counts."""
    said, counts = label_named(raw), label_named(final)
    if said is counts:
        return f"the judge said {said.words}, and it counts" + (f"; {visible(why)}" if why else "")
    because = f", because {visible(why)}" if why else ""
    return f"the judge said {said.words}; it counts as {counts.words}{because}"
