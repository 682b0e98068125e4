"""A failed case as a folded block: question, answer, evidence, and where the case broke."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...analysis.records.row_types import ClaimRow, MeasuredRow
from ...analysis.run_record import RunRecord
from ...case import references_of
from ...judgements import Verdict
from ...language.number_format import plural
from ..attribution import where_it_broke
from ..case_lines import quoted_contexts
from ..claim_lines import MARKS, evidence_words, shown, verdict_words
from ..context_names import names_in
from ..criterion_lines import spans_against
from ..failed_cases import FailedCase
from ..finding_blocks import ALL_LINES, blocks_of, head_of, score_line
from ..rerun_words import rerun_words
from ..terminal import Screen
from . import inline

# Maximum characters of a text, from the longest form of a case to the shortest.
FORMS = (8_000, 2_000, 600, 200)
_LONGEST_NAME = 120
_LONGEST_QUESTION = 100  # maximum characters of the question in the visible line of a folded block
_LONGEST_COMMAND = 1_000
_QUOTES = 3  # maximum characters of a claim
_MOST_CLAIMS = 30
_MOST_PASSAGES = 30
# Lines are not wrapped here, since the renderer does it.
_WIDE = Screen(width=4_000)


def case_block(case: FailedCase, run: RunRecord, longest: int) -> str:
    """
    Args:
        run: the run in which the case was measured.
        longest: maximum number of characters of a text.
    """
    nodeid = case.worst["nodeid"]
    return "\n".join(
        [
            "<details>",
            f"<summary>{_summary(case)}</summary>",
            *_asked(case, longest),
            *_passages(case, longest),
            *(part for row in case.failed for part in _found(row, longest)),
            *_broken(case),
            f"<p>{_again(run, nodeid)}</p>",
            "</details>",
        ]
    )


def _again(run: RunRecord, nodeid: str) -> str:
    """The command that reruns the test; if it cannot be copied, the name of the test."""
    command = inline.whole_code(rerun_words(run, nodeid), _LONGEST_COMMAND)
    if command is None:
        return f"Test: {inline.code(nodeid, _LONGEST_NAME)}"
    return f"Run it again: {command}"


def _summary(case: FailedCase) -> str:
    heads = ", ".join(inline.cut(score_line(row), _LONGEST_NAME) for row in case.failed[:5])
    question = case.worst["question"]
    beside = f" {inline.cut(question, _LONGEST_QUESTION)}" if question else ""
    return f"<b>{inline.cut(case.name, _LONGEST_NAME)}</b>: {heads}{beside and ' –'}{beside}"


def _asked(case: FailedCase, longest: int) -> list[str]:
    row, texts = case.worst, case.texts
    parts = []
    question = row["question"] if texts is None else texts.question
    if row["previous_turn"] is not None:
        parts.append(_paragraph("Earlier turns", inline.lines(row["previous_turn"], longest)))
    if question:
        parts.append(_paragraph("Question", inline.lines(question, longest)))
    answer = row["answer"] if texts is None else texts.answer
    if answer:
        parts.append(_paragraph("Answer", inline.lines(answer, longest, _failing(case.failed))))
    if texts is not None:
        references = references_of(texts.ground_truth_answer, texts.ground_truth_answers)
        parts += [_paragraph("Reference", inline.lines(one, longest)) for one in references if one]
    return parts


def _failing(rows: Iterable[MeasuredRow]) -> list[tuple[int, int]]:
    """The spans of the answer with unsupported claims, or that violate a criterion."""
    spans = []
    for row in rows:
        spans += spans_against(row)
        spans += [
            claim["span"]
            for claim in _shown(row)
            if claim["source"] == "answer" and claim["span"] is not None
        ]
    return spans


def _paragraph(what: str, text: str) -> str:
    return f"<p><b>{what}</b><br>{text}</p>"


def _passages(case: FailedCase, longest: int) -> list[str]:
    texts = case.texts
    if texts is None or not texts.retrieved_contexts:
        return []
    contexts, names = texts.retrieved_contexts, names_in(texts)
    quoted = quoted_contexts(case.failed)
    columns = ["", "retrieved"]
    columns += ["quoted"] * (quoted is not None) + ["source"] * any(names)
    lines = ["<table>", "<tr>" + "".join(f"<th>{one}</th>" for one in columns) + "</tr>"]
    for place, text in enumerate(contexts[:_MOST_PASSAGES]):
        cells = [f"{place + 1}", inline.lines(text or "", longest)]
        if quoted is not None:
            cells.append("✓" * (place in quoted))
        if any(names):
            cells.append(inline.cut(names[place] or "", _LONGEST_NAME))
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    lines.append("</table>")
    if len(contexts) > _MOST_PASSAGES:
        lines.append(f"<p>… {plural(len(contexts) - _MOST_PASSAGES, 'more passage')}</p>")
    return lines


def _found(row: MeasuredRow, longest: int) -> list[str]:
    """A metric: its score, its findings, and the relevant claims."""
    judge = row["judge"] if row["judged"] else ""
    source = f", judge {inline.cut(judge, _LONGEST_NAME)}" if judge else ""
    head = inline.cut(_parts(head_of(row, _WIDE)), longest)
    lines = [f"<p><b>{head}</b>{source}</p>"]
    blocks = blocks_of(row, _WIDE, verbose=False)
    # the claims themselves show which of them have quotes
    others = [one for one in blocks if one.kind not in ("claims", "quotes")]
    items = [_block(one.lines(ALL_LINES), longest) for one in others]
    claims = [] if any(one.kind == "spans" for one in blocks) else _shown(row)
    items += [_claim(claim, longest) for claim in claims[:_MOST_CLAIMS]]
    if len(claims) > _MOST_CLAIMS:
        items.append(f"<li>… {plural(len(claims) - _MOST_CLAIMS, 'more claim')}</li>")
    return [*lines, "<ul>", *items, "</ul>"] if items else lines


def _shown(row: MeasuredRow) -> list[ClaimRow]:
    return shown(row["claims"], verbose=False)


def _block(lines: Sequence[str], longest: int) -> str:
    # terminal columns become parts of a sentence here
    return f"<li>{'<br>'.join(inline.cut(_parts(line), longest) for line in lines)}</li>"


def _parts(line: str) -> str:
    return " · ".join(filter(None, (part.strip() for part in line.split("  "))))


def _claim(claim: ClaimRow, longest: int) -> str:
    mark = _WIDE.glyph(MARKS[Verdict(claim["verdict"])])
    words = inline.line(verdict_words(claim))
    lines = [
        f"{mark} {inline.lines(claim['text'], longest)} – <b>{words}</b>",
        *(inline.cut(one, longest) for one in evidence_words(claim, _QUOTES)),
    ]
    return f"<li>{'<br>'.join(lines)}</li>"


def _broken(case: FailedCase) -> list[str]:
    contexts = None if case.texts is None else case.texts.retrieved_contexts
    said = where_it_broke(case.failed, case.of_test, contexts)
    return [f"<p>Where it broke: {inline.line(said)}</p>"] if said else []
