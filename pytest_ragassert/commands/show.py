"""`verdicts show ID …`: shows a claim or a question with all that is known of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from ..judgements import Verdict
from ..language.escaping import is_blank, visible
from ..runtime.canonical_json import Json
from ..steps.catalogue import STEPS
from ..steps.evidence.evidence_check import CheckedQuote, Passage, checked_quotes, gated
from ..steps.evidence.evidence_list import evidence_of
from ..steps.extract_claims import EXTRACT_CLAIMS
from ..steps.verify_claims import VERIFY_CLAIMS
from ..storage.failed_claims import ReportedClaim
from ..storage.judged_claims import claims_in
from .locations import Places, add_action
from .lookup import Finder, FoundClaim, FoundQuestion, finder_in
from .output import say, say_text, say_value, short

_ABOUT = """\
Show the whole question behind an id: what was asked, of whom, with which settings, what the judge
replied, and which verdict counts and why. An ID is that of a claim, as reports of failures show it,
or a question's key; its first 6 characters are enough where no other id begins so."""


def add_to(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = add_action(actions, "show", "show the question behind an id", _ABOUT, _show)
    parser.add_argument("ids", metavar="ID", nargs="+", help="a claim's or question's id")


def _show(args: argparse.Namespace, places: Places) -> int:
    with finder_in(places) as finder:
        found = [finder.claim_or_question(id) for id in args.ids]
        for number, one in enumerate(found):
            if number:
                say()
            if isinstance(one, FoundClaim):
                _show_claim(one, finder, places)
            else:
                _show_question(one, finder, places)
    return 0


# -- a claim ---------------------------------------------------------------------------------------


def _show_claim(found: FoundClaim, finder: Finder, places: Places) -> None:
    say(f"claim {found.id}")
    say_text(found.claim, "  ")
    if found.passages:
        say("  held against" + (" (cut; whole in the question below)" if found.cut else "") + ":")
        for number, text in found.passages:
            say_text(text, "    ", f"[{number}] ")
    for report in found.reports:
        _show_report(report)
    if found.override is not None:
        _show_override(found.override.reply, places)
    asked = [finder.question(key) for key in found.questions]
    known = [one for one in asked if one.line or one.answer or one.asked]
    whole = [one for one in known if one.step == VERIFY_CLAIMS.name]
    for one in (one for one in known if one not in whole and _tells_of(one, found.claim)):
        say(f"  see also {one.step}: python -m pytest_ragassert verdicts show {short(one.key)}")
    for one in whole:
        say()
        _show_question(one, finder, places)
    if not whole and found.reports and all(map(_is_offline, found.reports)):
        say("  the offline judge's answers are not stored: run the test again to see them anew")
    elif not whole:
        say("  the question itself is neither stored nor committed here any more")


def _tells_of(one: FoundQuestion, claim: str) -> bool:
    """Whether it may have led to the claim; of the sentences of a text one did."""
    if one.step != EXTRACT_CLAIMS.name:
        return True
    replies: list[Any] = [one.line.reply] if one.line else []
    replies += [one.answer.record.get("reply")] if one.answer else []
    return any(EXTRACT_CLAIMS.is_whole(reply) and claim in reply["claims"] for reply in replies)


def _is_offline(report: ReportedClaim) -> bool:
    return report.judge.startswith("offline-")


def _show_report(report: ReportedClaim) -> None:
    say(f"  reported {visible(report.when)} by {visible(report.nodeid)}")
    case = "without id" if is_blank(report.case) else visible(report.case)
    say(f"    case {case}, metric {visible(report.metric)}")
    say(f"    judge {visible(report.judge)}")
    by_hand = ", by hand" if report.by_hand else ""
    say(f"    {_way(report.label_raw, report.verdict, report.gate_reason)}{by_hand}")
    if report.reason:
        say(f"    reason: {visible(report.reason)}")
    for one in report.evidence:
        say(f"    {_quote(one['quote'], None if one['passage'] is None else one['passage'] + 1)}")


def _show_override(reply: Json, places: Places) -> None:
    say(f"  by hand: {visible(str(reply.get('verdict')))} (in {places.verdicts})")
    say(f"    reason: {visible(str(reply.get('reason')))}")


# -- a question ------------------------------------------------------------------------------------


def _show_question(found: FoundQuestion, finder: Finder, places: Places) -> None:
    say(f"question {found.key}")
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
        say(f"  served by: {visible(str(record.get('served') or 'the endpoint did not say'))}")
    for place in _places_of(found, places):
        say(f"  from: {place}")
    if asked:
        for name, value in asked["input"].items():
            say_value(visible(name), value)
    else:
        say_value("about", found.about)
        say("  the whole question is not stored here, only what it is about")
    _show_reply(found, finder, places)


def _places_of(found: FoundQuestion, places: Places) -> list[str]:
    from_places = []
    if found.line is not None:
        from_places.append(f"the committed verdicts {places.verdicts}")
    if found.answer is not None:
        problem = found.answer.problem
        state = f", but not used: {visible(problem)}" if problem else ""
        from_places.append(f"the store {places.folder}{state}")
    return from_places


def _show_reply(found: FoundQuestion, finder: Finder, places: Places) -> None:
    """The reply that counts: where both have one, the committed verdicts' stands."""
    replies: list[Any] = []
    if found.line is not None:
        replies.append(found.line.reply)
    if found.answer is not None and found.answer.record.get("reply") not in replies:
        replies.append(found.answer.record.get("reply"))
    if len(replies) == 2:
        say("  the committed verdicts and the store have different replies; first the committed:")
    for reply in replies:
        step = STEPS.get(found.step)
        asks_claims = step is VERIFY_CLAIMS and step.is_whole(reply)
        if not asks_claims:
            say_value("reply", reply)
            continue
        say("  reply:")
        asked = found.asked["input"] if found.asked is not None else {}
        claims = dict(enumerate(claims_in(asked), start=1))
        passages = _passages_of(asked) if claims else []
        for verdict in reply["verdicts"]:
            claim = claims.get(verdict["id"])
            _show_verdict(verdict, claim, passages, places.gate)
            override = finder.override(claim[0]) if claim is not None else None
            if override is not None:
                say(f"       by hand: {visible(str(override.reply.get('verdict')))}, and it counts")


def _passages_of(asked: Json) -> list[Passage]:
    passages = asked["passages"]
    return [(p["id"] - 1, p["text"]) for p in passages if type(p.get("id")) is int]


def _show_verdict(
    said: Json, claim: tuple[str, str] | None, passages: Sequence[Passage], gate: bool
) -> None:
    """A judge's verdict, and what the evidence check makes of it."""
    if claim is None:
        say(f"    {said['id']}: {Verdict(said['verdict']).words}")
    else:
        id, text = claim
        say(f"    {said['id']}: {visible(text)}")
        say(f"       claim {short(id)}")
        counts = gated(said, text, passages, gate=gate)
        say(f"       {_way(counts['label_raw'], counts['verdict'], counts['gate_reason'])}")
    if said["reason"]:
        say(f"       reason: {visible(said['reason'])}")
    quotes = evidence_of(said)
    checked = [] if claim is None else checked_quotes(said, text, passages)
    for one, found in zip_longest(quotes, checked):
        say(f"       {_quote(one['quote'], one['passage'])}")
        if found is not None:
            say(f"       {_found(found)}")
    if said["confidence"] is not None:
        say(f"       confidence: {said['confidence']}")
    if said.get("conflict"):
        say("       another passage says the opposite, with a verified quote too")


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
    """From the judge's label to the one that counts."""
    said, counts = Verdict(raw), Verdict(final)
    if said is counts:
        return f"the judge said {said.words}, and it counts" + (f"; {visible(why)}" if why else "")
    because = f", because {visible(why)}" if why else ""
    return f"the judge said {said.words}; it counts as {counts.words}{because}"
