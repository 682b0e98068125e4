"""Formats what was generated from documents, and what was not, as lines for display."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ..corpus.passages import Corpus
from ..engine.jobs import Asked
from ..generation.candidates import KINDS, Candidate, Kind
from ..generation.case_lines import CaseLine
from ..generation.data_set import DataSet
from ..generation.generator import NO_ANSWER, Generated, Rejection, Wanted
from ..language.escaping import shortened, visible
from ..language.number_format import plural, tokens
from ..usage import Prices, Usage, cost_of

_MOST_NAMES = 5
_MOST_SKIPPED = 10  # files
_ENOUGH_PERSONAS = 2
_LONGEST_DETAILS = 200  # characters


def corpus_lines(corpus: Corpus, *, verbose: bool = False) -> list[str]:
    """Format what was read, and which files were skipped, with the reason.

    Args:
        verbose: list all skipped files.
    """
    read = f"{plural(len(corpus.documents), 'document')}, {plural(len(corpus.passages), 'passage')}"
    most = len(corpus.skipped) if verbose else _MOST_SKIPPED
    skipped = [visible(f"skipped: {one.name}: {one.reason}") for one in corpus.skipped[:most]]
    rest = len(corpus.skipped) - len(skipped)
    return [read, *skipped, *([f"skipped: {rest} more; -v lists them"] if rest else [])]


def generated_lines(
    made: Generated,
    wanted: Wanted,
    data_set: DataSet,
    lines: Sequence[CaseLine],
    corpus: Corpus,
    *,
    verbose: bool = False,
    named: Callable[[str], str] = str,
) -> list[str]:
    """Format the outcome.

    Args:
        data_set: the data set before.
        lines: the data set now.
        verbose: list dropped candidates and documents without a case.
        named: returns an error's message with the command's names of options.
    """
    return [
        *_cases(lines),
        *_coverage(lines, corpus, verbose=verbose),
        *earlier_lines(data_set),
        *_dropped(made, named, verbose=verbose),
        *_by_words(made, named),
        *_shares(made),
        *_fewer(made, wanted, lines, named),
    ]


def _cases(lines: Sequence[CaseLine]) -> list[str]:
    counts = Counter(line.kind for line in lines)
    parts = [f"{counts[kind]} {kind}" for kind in KINDS if counts[kind]]
    if counts[None]:
        parts.append(f"{counts[None]} of your own")
    return [f"{plural(len(lines), 'case')}: {', '.join(parts)}"] if lines else []


def _coverage(lines: Sequence[CaseLine], corpus: Corpus, *, verbose: bool) -> list[str]:
    if not lines:
        return []
    covered = {name for line in lines for name in line.documents}
    rest = [one.name for one in corpus.documents if one.name not in covered]
    have = len(corpus.documents) - len(rest)
    line = f"documents with a case: {have} of {len(corpus.documents)}"
    if not rest:
        return [line]
    return [f"{line}; without one: {_names(rest, len(rest) if verbose else _MOST_NAMES)}"]


def _names(names: Sequence[str], most: int) -> str:
    shown = [visible(name) for name in names[:most]]
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return ", ".join([*shown, *more])


def earlier_lines(data_set: DataSet) -> list[str]:
    """Format what happens to the cases that the data set has already."""
    lines = []
    if data_set.lines:
        edited = sum(line.edited for line in data_set.lines)
        yours = f", {edited} of them yours or changed by you" if edited else ""
        lines.append(f"kept as they are: {plural(len(data_set.lines), 'case')}{yours}")
    if data_set.unread:
        unread = sum(map(len, data_set.unread.values()))
        names = _names(list(data_set.unread), _MOST_NAMES)
        lines.append(f"  although their documents were skipped: {plural(unread, 'case')} ({names})")
    if data_set.still_proven:
        names = _names([line.name for line in data_set.still_proven], _MOST_NAMES)
        lines.append(
            "  changed by you, and their passages changed too, but still contain the quotes; check "
            f"them: {names}"
        )
    for why, removed in (
        ("their passages changed", data_set.outdated),
        ("their documents are gone", data_set.gone),
    ):
        if removed:
            lines.append(f"removed, because {why}: {plural(len(removed), 'case')}")
            lines += [line for one in removed if one.edited for line in _lost(one)]
    return lines


def _lost(line: CaseLine) -> list[str]:
    """What a person wrote in a line that is removed."""
    question, answer = (line.record.get(name) for name in ("question", "ground_truth_answer"))
    return [
        f"  {line.name}, with your changes: {visible(str(question))}",
        f"    {visible(str(answer))}",
    ]


def _dropped(made: Generated, named: Callable[[str], str], *, verbose: bool) -> list[str]:
    if not made.dropped:
        return []
    tried = len(made.kept) + len(made.dropped)
    lines = [f"dropped: {len(made.dropped)} of {plural(tried, 'candidate')}"]
    by_reason = Counter(one.reason for one in made.dropped)
    for reason, count in sorted(by_reason.items(), key=lambda pair: (-pair[1], pair[0])):
        lines.append(f"  {count:>3}  {reason}")
        if verbose:
            some = [one for one in made.dropped if one.reason == reason]
            lines += [f"       {line}" for one in some for line in _rejection(one, named)]
    return lines if verbose else [*lines, "  -v lists them"]


def _rejection(one: Rejection, named: Callable[[str], str]) -> list[str]:
    asked = shortened(visible(one.question), _LONGEST_DETAILS) if one.question else ""
    question = f": {asked}" if asked else ""
    lines = [f"{_place(one.candidate)}{question}"]
    if one.details:
        details = named(one.details) if one.reason == NO_ANSWER else one.details
        lines.append(f"  {shortened(visible(details), _LONGEST_DETAILS)}")
    return lines


def _place(candidate: Candidate) -> str:
    return f"{candidate.kind} {' + '.join(visible(one.id) for one in candidate.passages)}"


def _by_words(made: Generated, named: Callable[[str], str]) -> list[str]:
    unchecked = [one.by_words for one in made.kept if one.by_words is not None]
    if not unchecked:
        return []
    return [
        f"note: of {plural(len(unchecked), 'case')}, only the words of the question were checked, "
        f"because the judge did not check the question: {visible(named(unchecked[0]))}"
    ]


def is_enough(wanted: Wanted, lines: Sequence[CaseLine]) -> bool:
    """Whether there are as many generated cases as requested."""
    return _generated(lines) >= wanted.number


def _generated(lines: Sequence[CaseLine]) -> int:
    return sum(line.kind is not None for line in lines)


def _shares(made: Generated) -> list[str]:
    """Which kinds have fewer cases than their share, and why."""
    return [
        f"{kind}: {have} of {share}{_why(made, kind)}"
        for kind, (have, share) in made.short.items()
        if made.ended is None
    ]


def _why(made: Generated, kind: Kind) -> str:
    tried = sum(one.candidate.kind == kind for one in made.dropped)
    tried += sum(one.draft.candidate.kind == kind for one in made.kept)
    if kind in made.exhausted:
        return f", because the documents give no more than {plural(tried, 'new candidate')}"
    return f", because too many of {plural(tried, 'candidate')} were dropped"


def _fewer(
    made: Generated, wanted: Wanted, lines: Sequence[CaseLine], named: Callable[[str], str]
) -> list[str]:
    """Why there are fewer cases than requested."""
    if is_enough(wanted, lines):
        return []
    missing = wanted.number - _generated(lines)
    told = f"{plural(missing, 'case')} fewer than the {wanted.number} requested"
    if made.ended is not None:
        return [f"{told}: {visible(named(str(made.ended)))}"]
    if made.exhausted and len(wanted.personas) < _ENOUGH_PERSONAS:
        told += "; --personas 3 asks about each passage for three different people"
    return [told]


def planned_lines(made: Generated, wanted: Wanted, data_set: DataSet) -> list[str]:
    """Say if the documents give fewer candidates than cases are requested."""
    most = len(made.kept) + _generated(data_set.lines)
    if most >= wanted.number or made.ended is not None:
        return []
    return [f"the documents give at most about {plural(most, 'case')} of {wanted.number}"]


def spent_lines(asked: Sequence[Asked], prices: Prices) -> list[str]:
    """Format how many judgements were asked and stored, and what they cost."""
    judgements = {one.key: one for one in asked if not one.embedding and not one.failed}
    stored = sum(one.stored for one in judgements.values())
    line = f"judgements: {len(judgements) - stored} asked, {stored} stored"
    spent = _spent(asked)
    if spent:
        whole = sum(spent.values(), Usage())
        used = tokens(whole.prompt_tokens, whole.completion_tokens) or "none reported"
        line += f"; {plural(whole.requests, 'request')}, tokens: {used}{_cost(spent, prices)}"
    return [line]


def _spent(asked: Iterable[Asked]) -> dict[str, Usage]:
    """What each model's answers cost, each once."""
    new = {(one.key, one.failed): one for one in asked if not one.stored}
    spent: dict[str, Usage] = {}
    for one in new.values():
        usage = one.answer.usage
        if usage.requests:
            spent[one.model] = spent.get(one.model, Usage()) + usage
    return spent


def _cost(spent: dict[str, Usage], prices: Prices) -> str:
    costs = [
        cost_of(model, usage.prompt_tokens, usage.completion_tokens, prices)
        for model, usage in spent.items()
    ]
    known = [cost for cost in costs if cost is not None]
    return f", cost {sum(known):.4f}" if known and len(known) == len(costs) else ""
