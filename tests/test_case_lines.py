"""What a failure shows of its case: the answer with its failing spans, and each passage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from pytest_ragassert import ClaimVerdict, EvalCase, MetricResult, Quote
from pytest_ragassert.analysis.records.row_types import MeasuredRow, TextsRow
from pytest_ragassert.report.failure_report import MOST_LINES, failure_lines
from pytest_ragassert.report.marked_text import Mark, marked_lines
from pytest_ragassert.report.terminal import Screen, columns

from .measured import CONTEXTS, PRICE, claim, judged, result, row
from .measured import case as case_of

ANSWER = "The ferry runs every 40 minutes. The crossing costs 5 euros. Dogs pay half."
OK = "FULLY_SUPPORTED"
SOURCES = ["docs/travel/pets-and-animals.md", "fares.md"]
PAINT = re.compile("\x1b\\[\\d*m")


def spot(text: str, of: str = ANSWER) -> tuple[int, int]:
    start = of.index(text)
    return start, start + len(text)


TIMES = claim("The ferry runs.", OK, quote="The ferry runs", passage=1, span=spot("The ferry"))
COSTS = claim(
    "The crossing costs 5 euros.",
    "CONTRADICTORY",
    quote=PRICE,
    passage=1,
    span=spot("The crossing costs 5 euros."),
)
DOGS = claim("Dogs pay half.", span=spot("Dogs pay half."), reason="nothing says so")
CLAIMS = [TIMES, COSTS, DOGS]


def case(**fields: Any) -> EvalCase:
    given = {"answer": ANSWER, "retrieved_context_sources": SOURCES}
    if "retrieved_contexts" in fields:
        del given["retrieved_context_sources"]
    return case_of(**{**given, **fields})


def known(
    made: MetricResult, of: EvalCase, name: str = "texts"
) -> tuple[MeasuredRow, dict[str, TextsRow]]:
    """A row, and the texts that it names."""
    fields = TextsRow.__required_keys__
    texts: Any = of.model_dump(include=set(fields))
    return row(made, of, texts=name), {name: texts}


def lines_of(
    made: MetricResult,
    of: EvalCase,
    *,
    verbose: bool = False,
    screen: Screen | None = None,
    beside: tuple[MeasuredRow, ...] = (),
) -> list[str]:
    failed, texts = known(made, of)
    return failure_lines(
        [failed], screen or Screen(), verbose=verbose, texts=texts, of_test=[failed, *beside]
    )


def faithfulness(*claims: ClaimVerdict) -> MetricResult:
    return result("faithfulness", 0.0, 0.8, claims=list(claims) or CLAIMS, reason="3 claims")


def test_answer_and_passages_stand_below_the_score() -> None:
    assert "\n".join(lines_of(faithfulness(), case())) == dedent(
        """\
        case price  What does the crossing cost?
        faithfulness 0.00 < 0.80   3 claims    judge judge-a
          answer: The ferry runs every 40 minutes. ⟦The crossing costs 5 euros.⟧ ⟦Dogs
                  pay half.⟧
          [1] …pets-and-animals.md  "Dogs are not allowed on board."          not quoted
          [2] fares.md              "The ferry runs every 40 minutes. The c…      quoted
          ✗ The crossing costs 5 euros.                                     contradicted
              [2] "The crossing costs 9 euros."                             answer 33-60
          ? Dogs pay half.                                                   no evidence
              nearest [1] "Dogs are not allowed on board."                  answer 61-75
        where it broke: the answer added 2 claims (1 contradicted); check the prompt"""
    )


def test_ids_name_contexts_where_there_is_no_source() -> None:
    ids = ["a-1", None]
    of = case(retrieved_context_sources=None, retrieved_context_ids=ids)
    lines = lines_of(faithfulness(), of)
    assert lines[4].startswith('  [1] a-1  "Dogs')
    assert lines[5].startswith('  [2]      "The ferry')


def names_of(*, sources: Sequence[str | None], ids: Sequence[str | None]) -> list[str]:
    """What stands before the text of each passage."""
    of = case(retrieved_context_sources=sources, retrieved_context_ids=ids)
    lines = [line for line in lines_of(faithfulness(), of) if re.match(r"  \[\d+\]", line)]
    return [line[6 : line.index('"')].strip() for line in lines]


def test_a_context_has_its_id_beside_its_source() -> None:
    assert names_of(sources=["fares.md", "x"], ids=["a-1", "x"]) == ["fares.md (a-1)", "x"]
    assert names_of(sources=["fares.md", None], ids=[None, "b-2"]) == ["fares.md", "b-2"]
    # of a long source the id is left
    long = ["docs/travel/pets.md", "A title that has no end"]
    assert names_of(sources=long, ids=["a-1", "b-2"]) == [
        "…ravel/pets.md (a-1)",
        "A title that… (b-2)",
    ]
    # as libraries make them
    made = ["3f0c0de1-94b6-4c29-8d0e-0a4a7d6d9a11", "0123456789abcdef" * 4]
    assert names_of(sources=["a.md", "b.md"], ids=made) == ["a.md", "b.md"]


def test_names_that_are_not_as_many_as_contexts_are_told() -> None:
    ids = ["a", "b", "c"]
    of = case(retrieved_context_sources=None, retrieved_context_ids=ids)
    for verbose in (False, True):
        lines = lines_of(faithfulness(), of, verbose=verbose)
        assert lines[4].startswith('  [1] "Dogs')
        said = "  retrieved_context_ids has 3 for 2: they cannot be matched"
        assert lines[6] == said
        assert lines.count(said) == 1


@pytest.mark.parametrize("verbose", [False, True])
def test_without_passages_it_is_said(verbose: bool) -> None:
    of = case(retrieved_contexts=[])
    lines = lines_of(faithfulness(DOGS), of, verbose=verbose)
    assert lines[4] == "  no passages: retrieved_contexts is empty"
    assert lines[-1] == "where it broke: nothing was retrieved; check the retriever"
    # of a metric with lines of its own for each there are none either
    none = result("context_relevance", 0.0, details={"contexts": []})
    assert "  no passages: retrieved_contexts is empty" in lines_of(none, of, verbose=verbose)
    about = lines_of(result("factual_f1", 0.0), of, verbose=verbose)
    assert not any("no passages" in line for line in about)


def labels(lines: list[str]) -> list[str]:
    """Which texts of the case are shown."""
    found = (re.match(r"  (answer|reference|\[\d+\]|…)(?=[: ])", line) for line in lines)
    return [match[1] for match in found if match]


@pytest.mark.parametrize(
    ("metric", "details", "shown"),
    [
        ("faithfulness", {}, ["answer", "[1]", "[2]"]),
        ("factual_f1", {}, ["answer", "reference"]),
        ("context_recall", {}, ["reference", "[1]", "[2]"]),
        ("answer_relevancy", {}, ["answer"]),
        ("semantic_similarity", {}, ["answer", "reference"]),
        ("ragas_score", {}, ["answer", "reference", "[1]", "[2]"]),
        # their own lines have each context
        ("context_relevance", judged(True, False), []),
        ("context_precision", judged(True, False), []),
        ("of_a_plugin", {}, ["answer", "[1]", "[2]"]),
    ],
)
def test_a_metric_shows_the_texts_that_it_is_about(
    metric: str, details: dict[str, Any], shown: list[str]
) -> None:
    lines = lines_of(result(metric, details=details), case())
    assert labels(lines) == shown
    assert not any("quoted" in line for line in lines)


def test_a_metrics_own_lines_of_contexts_have_the_sources() -> None:
    lines = lines_of(result("context_relevance", details=judged(True, False)), case())
    assert '      fares.md  "The ferry runs every 40 minutes. The crossing costs 9 euros."' in lines
    # where every text is to be whole, the lines of the metric have their beginnings alone
    of = case(retrieved_contexts=[CONTEXTS[0], "Boats are red. " * 90])
    made = result("context_relevance", details=judged(True, False))
    assert labels(lines_of(made, of)) == []
    whole = lines_of(made, of, verbose=True)
    assert labels(whole) == ["[1]", "[2]"]
    assert sum(line.count("Boats") for line in whole) > 90


def test_the_best_of_several_references_is_shown() -> None:
    of = case(ground_truth_answers=["Nine.", "It costs 9 euros."])
    made = result("semantic_similarity", details={"reference": 2})
    assert "  reference: It costs 9 euros." in lines_of(made, of)


def test_a_passage_that_a_metric_quotes_which_holds_is_quoted() -> None:
    recall = result("context_recall", claims=[claim(PRICE, source="reference")])
    assert sum(line.endswith(" not quoted") for line in lines_of(recall, case())) == 2
    held, _ = known(faithfulness(TIMES), case())
    lines = lines_of(recall, case(), beside=(held,))
    assert sum(line.endswith("  quoted") for line in lines) == 1
    other, _ = known(faithfulness(TIMES), case(retrieved_contexts=["other", *CONTEXTS]))
    assert not any(line.endswith("  quoted") for line in lines_of(recall, case(), beside=(other,)))


def test_words_that_contradict_the_reference_are_marked() -> None:
    said = "The crossing costs 5 euros."
    quotes = [Quote(quote=said, passage=0, span=spot(said), verified=True)]
    wrong = claim(PRICE, "CONTRADICTORY", "reference", evidence=quotes)
    made = result("factual_recall", claims=[wrong, claim("Other.", source="reference")])
    assert "minutes. ⟦The crossing costs 5 euros.⟧ Dogs" in "\n".join(lines_of(made, case()))


def test_only_what_was_measured_on_the_same_texts_is_marked() -> None:
    first, texts = known(faithfulness(DOGS), case(), "first")
    second, more = known(faithfulness(COSTS), case(answer=f"So: {ANSWER}"), "second")
    lines = failure_lines([first, second], Screen(), verbose=False, texts={**texts, **more})
    assert sum("answer:" in line for line in lines) == 1
    assert "The crossing costs 5 euros. ⟦Dogs pay half.⟧" in " ".join(
        " ".join(line.split()) for line in lines
    )


def test_a_passage_that_an_unverified_quote_names_is_not_quoted() -> None:
    quotes = [Quote(quote="Dogs must pay", passage=0, verified=False)]
    lines = lines_of(faithfulness(claim("Dogs pay.", evidence=quotes)), case())
    assert sum(line.endswith(" not quoted") for line in lines) == 2


MANY = [f"Boat number {n} is new and it sails in the summer." for n in range(20)]


def test_of_many_passages_those_that_claims_name_are_shown() -> None:
    contexts = [f"A ticket {n} is red." for n in range(30)] + ["A ticket costs 9 crowns."]
    unknown = claim("A ticket costs 4 crowns.")
    held = [claim(f"Held {n}.", OK, quote=f"A ticket {n} is red", passage=n) for n in range(10, 20)]
    lines = lines_of(faithfulness(unknown, *held), case(retrieved_contexts=contexts))
    assert 'nearest [31] "A ticket costs 9 crowns."' in "\n".join(lines)
    assert labels(lines) == ["answer", "[11]", "[12]", "[13]", "[14]", "[31]", "…"]
    lines = lines_of(faithfulness(unknown), case(retrieved_contexts=contexts))
    assert labels(lines) == ["answer", "[1]", "[2]", "[3]", "[4]", "[31]", "…"]


def test_of_many_passages_quoted_ones_and_the_first_are_shown() -> None:
    claims = [
        claim("Boat 7 is old.", "CONTRADICTORY", quote=MANY[7][:24], passage=7),
        claim("Boat 12 is old.", "CONTRADICTORY", quote=MANY[12][:24], passage=12),
    ]
    of = case(retrieved_contexts=MANY)
    lines = lines_of(faithfulness(*claims), of)
    assert labels(lines) == ["answer", "[1]", "[2]", "[3]", "[8]", "[13]", "…"]
    assert "  … 15 more passages, none quoted" in lines
    assert len(lines) <= MOST_LINES
    more = [*claims, *(claim(f"Boat {n} is red.") for n in range(2))]
    lines = lines_of(faithfulness(*more), of)
    assert labels(lines) == ["answer", "[8]", "[13]", "…"]
    assert "  … 18 more passages, none quoted" in lines
    # with more claims, one line counts the passages
    more = [*claims, *(claim(f"Boat {n} is red.") for n in range(3))]
    assert "  … 20 passages, quoted: [8] [13]" in lines_of(faithfulness(*more), of)
    every = [claim(f"{n}?", quote=MANY[n][:13], passage=n) for n in range(20)]
    assert "  … 20 passages, all quoted" in lines_of(faithfulness(*every), of)
    assert "  … 20 passages, 11 quoted" in lines_of(faithfulness(*every[:11]), of)
    verbose = lines_of(faithfulness(*claims), of, verbose=True)
    assert labels(verbose) == ["answer", *(f"[{n}]" for n in range(1, 21))]
    assert not any(line.endswith("…") or "… " in line for line in verbose)


@pytest.mark.parametrize("failing", [1, 3, 5, 9, 30])
@pytest.mark.parametrize("passages", [0, 1, 3, 7, 40])
def test_claims_come_first_where_lines_are_few(failing: int, passages: int) -> None:
    contexts = [f"{PRICE} This is passage {n}." for n in range(passages)]
    claims = [
        claim(f"It costs {n} euros.", "CONTRADICTORY", quote=PRICE, passage=0, reason="no")
        for n in range(failing)
    ]
    lines = lines_of(faithfulness(*claims), case(retrieved_contexts=contexts))
    assert len(lines) <= MOST_LINES
    assert lines[-1].startswith("where it broke: ")
    shown = sum(line.startswith("  ✗ ") for line in lines)
    assert shown == failing if failing <= 5 else shown >= 4
    assert labels(lines)[:1] == ["answer"]
    # each passage has a line, or a line counts them
    counted = any(re.match(r"  … \d+ (more )?passages?, ", line) for line in lines)
    assert counted or sum(one.startswith("[") for one in labels(lines)) == passages


def test_verbose_shows_passages_and_sources_whole() -> None:
    long = "Boats are red. " * 9 + "The end."
    of = case(
        retrieved_contexts=[long, *CONTEXTS], retrieved_context_sources=["a/" * 50, "b.md", None]
    )
    lines = lines_of(faithfulness(COSTS), of, verbose=True)
    text = "\n".join(lines)
    assert text[text.index("  [1]") : text.index("  ✗")] == (
        f"  [1] {'a/' * 31}  not quoted\n"
        f"      {'a/' * 19}\n"
        '      "Boats are red. Boats are red. Boats are red. Boats are red. Boats are\n'
        '      red. Boats are red. Boats are red. Boats are red. Boats are red. The end."\n'
        "  [2] b.md                                                                quoted\n"
        '      "Dogs are not allowed on board."\n'
        '  [3] "The ferry runs every 40 minutes. The crossing costs 9 euros."  not quoted\n'
    )


def test_blank_passages_keep_their_place() -> None:
    of = case(retrieved_contexts=[" ", *CONTEXTS, None])
    lines = lines_of(faithfulness(), of)
    assert "  [1] (blank)" in lines
    assert "  [4] (blank)" in lines


@pytest.mark.parametrize("answer", [None, "", " \n"])
def test_without_answer_no_line_is_for_it(answer: str | None) -> None:
    assert "answer" not in labels(lines_of(faithfulness(), case(answer=answer)))


HOSTILE = "渡轮\x1b[2J\n\ud800 ⟦>> ⟧ of {{ <|" * 9


@pytest.mark.parametrize("width", [24, 40, 60, 80, 200])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("colours", [False, True])
def test_hostile_texts_stay_within_the_lines(
    width: int, encoding: str, verbose: bool, colours: bool
) -> None:
    of = case_of(
        answer=HOSTILE,
        ground_truth_answer=HOSTILE,
        retrieved_contexts=[HOSTILE, HOSTILE, None],
        retrieved_context_sources=[HOSTILE, "a/" * 90, None],
    )
    claims = [claim(HOSTILE, span=(n, n + 30), quote=HOSTILE, passage=0) for n in range(4)]
    screen = Screen(width, encoding, colours)
    for metric in ("faithfulness", "ragas_score", "factual_f1", "of_a_plugin"):
        lines = lines_of(result(metric, claims=claims), of, screen=screen, verbose=verbose)
        plain = [PAINT.sub("", line) for line in lines]
        assert max(map(wcswidth, plain)) <= width
        assert verbose or len(lines) <= MOST_LINES
        assert not any("\x1b" in line for line in plain)
        assert colours or lines == plain
        "\n".join(lines).encode(encoding)


def test_colours_change_nothing_else() -> None:
    plain = lines_of(faithfulness(), case())
    painted = lines_of(faithfulness(), case(), screen=Screen(colours=True))
    assert [PAINT.sub("", line) for line in painted] == plain
    text = "\n".join(painted)
    for part in (
        "\x1b[1mcase price",
        "\x1b[31mfaithfulness 0.00 < 0.80\x1b[0m",
        "\x1b[31m⟦The crossing costs 5 euros.⟧\x1b[0m",
        # on two lines
        "\x1b[33m⟦Dogs\x1b[0m",
        "          \x1b[33mpay half.⟧\x1b[0m",
        "\x1b[31m✗\x1b[0m The crossing costs 5 euros.",
        "\x1b[31mcontradicted\x1b[0m",
        "\x1b[33mno evidence\x1b[0m",
        '\x1b[2m[2] "The crossing costs 9 euros."\x1b[0m',
        "\x1b[32mquoted\x1b[0m",
        "\x1b[2mnot quoted\x1b[0m",
        "\x1b[1mwhere it broke: ",
    ):
        assert part in text, part


@pytest.mark.parametrize(
    ("text", "encoding", "signs"),
    [
        ("Plain.", "utf-8", "⟦⟧"),
        ("With ⟦ in it.", "utf-8", "▸◂"),
        ("Plain.", "ascii", ">><<"),
        ("With << in it.", "ascii", "{{}}"),
    ],
)
def test_the_marks_are_signs_that_the_text_lacks(text: str, encoding: str, signs: str) -> None:
    (line,) = marked_lines(text, [Mark(0, len(text), "red")], Screen(80, encoding), 80, 2)
    half = len(signs) // 2
    assert line == f"{signs[:half]}{text}{signs[half:]}"


def test_of_a_long_answer_the_failing_spans_are_shown() -> None:
    said = "This sentence says nothing of interest to anybody at all, and yet it is here. "
    text = said * 5 + "Dogs pay half." + said * 5
    start = text.index("Dogs")
    lines = marked_lines(text, [Mark(start, start + 14, "yellow")], Screen(), 70, 2)
    assert len(lines) == 2
    whole = " ".join(lines)
    assert "⟦Dogs pay half.⟧" in whole
    assert whole.startswith("…")
    assert whole.endswith("…")
    # what stands around it fills the room
    assert sum(map(columns, lines)) > 100
    apart = f"Cats fly. {said * 9}Dogs pay half."
    marks = [Mark(0, 9, "yellow"), Mark(len(apart) - 14, len(apart), "red")]
    whole = " ".join(marked_lines(apart, marks, Screen(), 70, 2))
    assert whole.startswith("⟦Cats fly.⟧ This")
    assert whole.endswith("here. ⟦Dogs pay half.⟧")


def test_where_spans_overlap_the_worse_counts() -> None:
    marks = [Mark(0, 9, "red"), Mark(5, 14, "yellow"), Mark(15, 20, "yellow")]
    for given_marks in (marks, marks[::-1]):
        (line,) = marked_lines("Dogs pay half. Cats.", given_marks, Screen(colours=True), 80, 1)
        assert line == "\x1b[31m⟦Dogs pay half.⟧\x1b[0m \x1b[33m⟦Cats.⟧\x1b[0m"


@pytest.mark.parametrize("times", [40, 4000])
def test_a_huge_answer_is_shown_like_a_long_one(times: int) -> None:
    said = "This sentence says nothing of interest. "
    text = said * times + "Dogs pay half. " + said * times
    start = text.index("Dogs")
    lines = marked_lines(text, [Mark(start, start + 14, "yellow")], Screen(), 70, 2)
    assert lines == [
        "… of interest. This sentence says nothing of interest. ⟦Dogs pay",
        "half.⟧ This sentence says nothing of interest. This sentence…",
    ]


def test_where_not_all_spans_have_room_contradicted_ones_have() -> None:
    text = " ".join(f"Sentence number {n} is long enough to take room." for n in range(30))
    marks = [
        Mark(*spot(f"Sentence number {n} is long enough to take room.", text), "yellow")
        for n in range(30)
    ]
    marks[28] = marks[28]._replace(style="red")
    whole = " ".join(marked_lines(text, marks, Screen(), 70, 2))
    assert "⟦Sentence number 28" in whole
    assert "⟦Sentence number 0" in whole
    assert "Sentence number 20" not in whole
    # what is left out is not shown as if it held
    assert re.fullmatch(r"(⟦[^⟦⟧]+⟧|… |… …| …| )+", whole), whole
    short = "渡轮很大。票价五元。" * 20
    marks = [Mark(n, n + 5, "red" if n % 10 else "yellow") for n in range(0, 200, 5)]
    (line,) = marked_lines(short, marks, Screen(), 70, 1)
    assert re.fullmatch("( ?… ⟦票价五元。⟧){4,} …", line.strip()), line


@given(
    st.text("ab. \n渡⟦>x", max_size=300),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300), st.sampled_from(["red", "dim"]))),
    st.integers(20, 90),
    st.integers(1, 4),
    st.sampled_from(["utf-8", "ascii"]),
)
def test_marked_lines_fit(
    text: str, marks: list[tuple[int, int, Any]], width: int, most: int, encoding: str
) -> None:
    given = [Mark(*one) for one in marks]
    lines = marked_lines(text, given, Screen(width, encoding), width, most)
    assert 1 <= len(lines) <= most
    assert max(map(columns, lines)) <= width
    painted = marked_lines(text, given, Screen(width, encoding, True), width, most)
    assert [PAINT.sub("", line) for line in painted] == lines
