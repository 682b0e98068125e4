"""Changes against the baseline: what got worse, claim by claim, and the number of improvements."""

from __future__ import annotations

from functools import partial

from ...analysis.regression.comparison import Change
from ...analysis.regression.conclusion import Conclusion
from ...language.number_format import changed, listed, plural
from ..comparison_lines import claim_changes, why_changed
from . import inline
from .fitting import Section

_LONGEST_NAME = 120
_MOST_CLAIMS = 10
_FORMS = (1_000, 200)  # maximum characters of a claim


def changes(conclusion: Conclusion) -> Section | None:
    """The cases that got worse, the largest drop first; None if nothing was compared."""
    comparison = conclusion.comparison
    if comparison is None:
        return None
    every = list(comparison.changes)
    worse = sorted((c for c in every if c.worse), key=lambda c: (c.difference, *c.after.key))
    better = sum(change.better for change in every)
    counts = [f"{plural(len(worse), 'result')} worse", f"{better} better"]
    if comparison.without:
        counts.append(f"{len(comparison.without)} without a baseline")
    if comparison.gone and not conclusion.partial:
        counts.append(f"{len(comparison.gone)} not measured now")
    against = inline.cut(conclusion.against, 300)
    head = f"<p>Against {against}, {plural(comparison.cases, 'case')}: {listed(counts, 'and')}.</p>"
    if not worse:
        return Section(head, [], lambda rest: "")
    return Section(
        f"<h4>Worse than before</h4>\n{head}\n<ul>",
        [partial(_change, change) for change in worse],
        lambda rest: f"<p>… {plural(rest, 'more result')} that fell less</p>",
        "</ul>",
        share=0.3,
        forms=_FORMS,
    )


def _change(change: Change, longest: int) -> str:
    after = change.after
    scores = changed(change.before.value, after.value).replace("->", "→")
    lines = [
        f"<b>{inline.cut(after.case, _LONGEST_NAME)}</b> "
        f"{inline.code(after.metric, _LONGEST_NAME)} {scores} ({inline.line(why_changed(change))})"
    ]
    claims = list(claim_changes(change.claims))
    lines += [inline.cut(f"{what}: {text}", longest) for what, text in claims[:_MOST_CLAIMS]]
    if len(claims) > _MOST_CLAIMS:
        lines.append(f"… {plural(len(claims) - _MOST_CLAIMS, 'more claim')}")
    return f"<li>{'<br>'.join(lines)}</li>"
