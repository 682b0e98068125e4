"""Generated cases as lines of a file: which ones a person changed, and which are out of date."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert import ConfigurationError, EvalCase, load_cases
from pytest_ragassert.generation.candidates import Candidate
from pytest_ragassert.generation.case_lines import CaseLine, passage_hash, read_lines, record_of
from pytest_ragassert.generation.draft import Draft, SourceQuote
from pytest_ragassert.report.markdown.review_list import review_list

from .drafts import TEXTS, drafts, passage

MADE_BY = {"judge": "writer", "seed": 0}
KEYS = st.text(max_size=10)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-100, 100) | st.floats(-1e9, 1e9) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=6)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines") / "cases.jsonl"


def draft(**changed: Any) -> Draft:
    fares = passage("fares.md#children", "A child pays 4 crowns. Bring a coat.", "Fares")
    fields = {
        "candidate": Candidate("single", (fares,), "A skipper."),
        "question": "What does a child pay?",
        "answer": "A child pays 4 crowns.",
        "quotes": (SourceQuote(0, "A child pays 4 crowns.", (0, 22)),),
    }
    return Draft(**{**fields, **changed})


def test_a_record() -> None:
    record = record_of(draft(), MADE_BY)
    params = record.pop("generation_params")
    key = params["candidate"]
    assert record == {
        "id": f"fares.md#children-{key[:8]}",
        "question": "What does a child pay?",
        "ground_truth_answer": "A child pays 4 crowns.",
        "ground_truth_contexts": ["A child pays 4 crowns. Bring a coat."],
        "ground_truth_context_ids": ["fares.md#children"],
        "source_units": [
            {
                "id": "fares.md#children",
                "document": "fares.md",
                "headings": ["Fares"],
                "text": "A child pays 4 crowns. Bring a coat.",
                "quotes": [{"text": "A child pays 4 crowns.", "start": 0, "end": 22}],
            }
        ],
        "persona": "A skipper.",
        "metadata": {"question_type": "single"},
    }
    assert params.keys() == {
        *("kind", "candidate", "documents", "passages", "judge", "seed", "written")
    }
    assert params["documents"] == ["fares.md"]
    assert params["passages"].keys() == {"fares.md#children"}


def test_a_draft_uses_the_passages_that_it_quotes() -> None:
    texts = ("A child pays 4 crowns.", "Dogs are not allowed.", "The ferry is blue and white.")
    passages = tuple(passage(f"{n}.md", text) for n, text in enumerate(texts))
    quoted = SourceQuote(1, "Dogs are not allowed.", (0, 21))
    one = draft(candidate=Candidate("several", passages), quotes=(quoted,))
    record = record_of(one, {})
    assert record["ground_truth_context_ids"] == ["1.md"]
    # the others may change
    assert record["generation_params"]["passages"].keys() == {"1.md"}
    heading_only = replace(one, quotes=(SourceQuote(0, "x", None),))
    assert [one.id for one in heading_only.used] == ["0.md", "1.md", "2.md"]
    assert heading_only.places == ()


@given(drafts(), st.sampled_from(["\n", "\r\n"]))
def test_what_is_read_again_is_unedited(path: Path, one: Draft, end: str) -> None:
    line = CaseLine.of_draft(one, MADE_BY)
    path.write_bytes(f"{line.text}{end}".encode())
    [read] = read_lines(path)
    assert (read.text, read.record, read.kind) == (line.text, line.record, one.candidate.kind)
    assert not read.edited
    assert read.passages == {passage.id: passage_hash(passage) for passage in one.used}
    assert read.documents == list(dict.fromkeys(passage.document for passage in one.used))
    assert read.as_earlier().quotes == one.places
    assert read.as_earlier().key == one.candidate.key
    assert load_cases(path)[0].generation_params == line.record["generation_params"]


@given(drafts(), JSON)
def test_each_change_is_seen(one: Draft, value: Any) -> None:
    record = json.loads(CaseLine.of_draft(one, MADE_BY).text)
    names = [*(record.keys() - {"generation_params"}), "tags"]
    changes = [{**record, name: value} for name in names]
    removed = [{k: record[k] for k in record if k != name} for name in names[:-1]]
    for changed in [*changes, *removed]:
        # as JSON, in which 1, 1.0 and true differ
        same = json.dumps(changed, sort_keys=True) == json.dumps(record, sort_keys=True)
        assert CaseLine("", changed).edited is not same


@given(drafts(), st.randoms(use_true_random=False))
def test_the_order_of_fields_and_their_spacing_are_no_change(one: Draft, random: Any) -> None:
    record = CaseLine.of_draft(one, MADE_BY).record
    names = list(record)
    random.shuffle(names)
    text = json.dumps({name: record[name] for name in names}, indent=None, separators=(" ,", ": "))
    assert not CaseLine(text, json.loads(text)).edited


@given(drafts(), TEXTS)
def test_a_changed_passage_or_heading_has_another_hash(one: Draft, text: str) -> None:
    for old in one.candidate.passages:
        assert passage_hash(old) != passage_hash(replace(old, text=old.text + text))
        assert passage_hash(old) != passage_hash(replace(old, headings=(*old.headings, text)))


@st.composite
def spoiled(draw: st.DrawFn) -> dict[str, Any]:
    """Generated cases of which a person replaced some value, also deep inside."""
    record: dict[str, Any] = json.loads(CaseLine.of_draft(draw(drafts()), MADE_BY).text)
    place: Any = record
    while True:
        key = draw(st.sampled_from(sorted(place)) if isinstance(place, dict) else st.just(0))
        if not isinstance(place[key], dict | list) or not place[key] or draw(st.booleans()):
            break
        place = place[key]
    place[key] = draw(JSON)
    return record


@given(OBJECTS | spoiled())
def test_any_object_can_be_looked_at(record: dict[str, Any]) -> None:
    line = CaseLine(json.dumps(record), record)
    assert isinstance(line.name, str)
    assert line.edited or line.kind is not None
    assert (line.kind is None) is (line.key is None)
    texts = [*line.documents, *line.quotes, *line.rejected, *line.passages]
    assert all(isinstance(one, str) for one in texts)
    earlier = line.as_earlier()
    assert {earlier.key, *earlier.quotes}
    if line.kind is not None:
        renamed = line.renamed(dict.fromkeys(line.passages, "new"), {})
        assert renamed.edited is line.edited
        assert line.remembering(["key"]).rejected[:] == sorted({*line.rejected, "key"})
    review_list([line])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{}", "line 2: not a JSON object with the fields of a case"),
        ("[1]", "line 2: not a JSON object with the fields of a case"),
        ('{"foo": 1}', "foo"),
        ('{"id": "a", "question": "How?"}', "lines 1 and 2 have the same id a"),
        ("{", "line 2: "),
    ],
)
def test_a_line_that_is_no_case(path: Path, line: str, told: str) -> None:
    path.write_text(f'{{"id": "a", "question": "Why?"}}\n{line}\n', "utf-8")
    with pytest.raises(ConfigurationError, match=r"cases\.jsonl") as error:
        read_lines(path)
    assert told in str(error.value)


def test_a_case_of_a_person(path: Path) -> None:
    path.write_text('\ufeff{"question": "Why?"}\n\n {"id": "b", "question": "How?"} \n', "utf-8")
    first, second = read_lines(path)
    assert (first.name, second.name) == ("Why?", "b")
    assert first.edited
    assert first.passages == {}
    assert first.documents == []
    assert second.text == ' {"id": "b", "question": "How?"} '


def test_a_case_with_lone_surrogates(path: Path) -> None:
    one = draft(question="What is \ud800?")
    line = CaseLine.of_draft(one, {})
    path.write_text(line.text + "\n", "utf-8")
    [read] = read_lines(path)
    assert read.record == line.record
    assert not read.edited
    [case] = load_cases(path)
    assert isinstance(case, EvalCase)
    assert case.question == "What is \ud800?"
