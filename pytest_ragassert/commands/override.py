"""`verdicts override CLAIM_ID LABEL --reason …`: overrides a judge's verdict."""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Iterator

from ..errors import ConfigurationError
from ..judgements import Met, Verdict, label_named
from ..language.escaping import is_blank, visible
from ..storage.committed.committed_verdicts import (
    CommittedVerdicts,
    check_writable,
    open_verdicts,
    update_verdicts,
)
from ..storage.committed.verdict_line import BY_HAND, OVERRIDE, VerdictLine
from .locations import Places, add_action
from .lookup import checked, finder_in
from .output import Failed, named, say, short

_ABOUT = f"""\
Override the verdict on a claim. The command writes a line to the committed verdicts, for the claim
and the passages it is checked against. The override takes precedence over every judge's verdict
until the claim or the passages change. LABEL is one of {", ".join(Verdict.__members__)}, or
the word that failures show: {", ".join(label.words for label in Verdict)}. For a
criterion, whose override applies to the same answer and question, it is one of
{", ".join(Met.__members__)}, or {", ".join(label.words for label in Met)}."""


def add_to(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = add_action(actions, "override", "override a judge's verdict", _ABOUT, _override)
    parser.add_argument(
        "id", metavar="CLAIM_ID", help="the claim's id, as shown in the failure report"
    )
    parser.add_argument("label", metavar="LABEL", nargs="?", help="the verdict that counts")
    parser.add_argument(
        "--reason", metavar="TEXT", help="the reason, for people who review the change"
    )
    parser.add_argument("--remove", action="store_true", help="remove the override")


def _override(args: argparse.Namespace, places: Places) -> int:
    if args.remove:
        if args.label is not None or args.reason is not None:
            raise ConfigurationError("--remove takes only a CLAIM_ID, without LABEL and --reason")
        return _remove(args.id, places)
    if args.label is None:
        raise ConfigurationError(f"give a LABEL after the claim's id: one of {_names(Verdict)}")
    if _bare(args.label) not in {**_LABELS[Verdict], **_LABELS[Met]}:
        raise ConfigurationError(
            f"{args.label!r} is not a label; labels are {_names(Verdict)}; for a criterion "
            f"{_names(Met)}"
        )
    if args.reason is None or is_blank(args.reason):
        raise ConfigurationError('give the reason, for people who review the change: --reason "…"')
    path = places.needed()
    check_writable(path, "--verdicts")
    with finder_in(places) as finder:
        found = finder.claim(args.id)
    label = _label(args.label, Met if found.is_criterion else Verdict)
    reply = {"verdict": label.value, "reason": args.reason.strip()}
    line = VerdictLine(found.id, OVERRIDE, BY_HAND, found.claim, reply)
    former = found.override
    # it may be under the claim's id of an earlier version
    keys = {found.id} if former is None else {found.id, former.key}
    update_verdicts(path, lambda there: [*_others(there, keys), line], "--verdicts")
    said = (
        f"; the judge said {label_named(found.reports[0].label_raw).words}" if found.reports else ""
    )
    say(f"{short(found.id)} {named(found.claim)}")
    say(f"  override: {label.value}{said}")
    if former is not None:
        say(f"  earlier override: {visible(str(former.reply.get('verdict')))}")
    say(f"  reason: {visible(reply['reason'])}")
    say(f"written to {path}; commit it")
    return 0


def _others(committed: CommittedVerdicts, keys: Collection[str]) -> Iterator[VerdictLine]:
    return (line for line in committed.lines() if line.key not in keys)


def _label(text: str, kind: type[Verdict] | type[Met]) -> Verdict | Met:
    label = _LABELS[kind].get(_bare(text))
    if label is None:
        what = "label of a criterion" if kind is Met else "label"
        raise ConfigurationError(f"{text!r} is not a {what}; labels are {_names(kind)}")
    return label


def _names(kind: type[Verdict] | type[Met]) -> str:
    words = ", ".join(label.words for label in kind)
    return f"{', '.join(kind.__members__)} (or as failures show them: {words})"


def _bare(text: str) -> str:
    return re.sub(r"[\s_-]+", " ", text).strip().lower()


# People must give an exact label: other words that judges use, such as "yes" or "true", may be
# ambiguous.
_LABELS: dict[type[Verdict] | type[Met], dict[str, Verdict | Met]] = {
    kind: {_bare(text): label for label in kind for text in (label.value, label.words)}
    for kind in (Verdict, Met)
}


def _remove(text: str, places: Places) -> int:
    path, prefix = places.needed(), checked(text)
    check_writable(path, "--verdicts")
    committed = open_verdicts(path)
    found = [line for line in committed.overrides() if line.key.startswith(prefix)]
    if not found:
        # under the claim's id of an earlier version
        with finder_in(places) as finder:
            found = finder.overrides_of(prefix)
    if not found:
        raise Failed(
            f"{path} has no override of a claim {text}; "
            "python -m pytest_ragassert verdicts info lists them"
        )
    if len(found) > 1:
        several = "\n  ".join(f"{short(line.key)}  {named(line.about)}" for line in found)
        raise Failed(f"{text} matches several ids; give more digits:\n  {several}")
    update_verdicts(path, lambda there: _others(there, {found[0].key}), "--verdicts")
    say(f"{short(found[0].key)} {named(found[0].about)}")
    say(f"  override removed: {visible(str(found[0].reply.get('verdict')))}")
    say(f"removed from {path}; commit it")
    return 0
