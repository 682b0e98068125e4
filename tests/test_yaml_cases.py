"""Cases from YAML: what PyYAML writes, texts as they were written, lines, and hostile files."""

from __future__ import annotations

import gzip
import io
import re
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.analysis.calibration.labelled_claims import LabelledFiles
from pytest_ragassert.datasets.yaml_reader import YamlReader
from pytest_ragassert.datasets.yaml_scalars import field_value
from pytest_ragassert.errors import ConfigurationError, RagAssertWarning

CASES = """\
# Questions of the first week
- id: a
  question: "How often: does the ferry run?"
  contexts: [Every day., "Twice on Sundays."]
- id: b
  question: >-
    When is
    the last one?
  answer: |
    At ten.
    Or later.
"""
READ = [
    EvalCase(
        id="a",
        question="How often: does the ferry run?",
        retrieved_contexts=["Every day.", "Twice on Sundays."],
    ),
    EvalCase(id="b", question="When is the last one?", answer="At ten.\nOr later.\n"),
]


@pytest.fixture(params=["the C parser", "Python's parser"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "Python's parser":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


def written(folder: Path, text: str | bytes, name: str = "tram.yaml") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


# -- shapes of files -------------------------------------------------------------------------------


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("name", ["tram.yaml", "tram.YML", "tram.yaml.gz", "tram", "tram.txt"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_list_of_mappings(tmp_path: Path, name: str, encoding: str) -> None:
    raw = CASES.encode(encoding)
    path = written(tmp_path, gzip.compress(raw) if name.endswith(".gz") else raw, name)
    assert load_cases(path) == READ


def test_other_sources(tmp_path: Path) -> None:
    path = written(tmp_path, CASES, "tram")
    assert load_cases(path, format="yaml") == READ
    assert load_cases(io.StringIO(CASES), format="yaml") == READ
    with open(path, "rb") as file:
        assert load_cases(file) == READ
    path.rename(tmp_path / "tram.yml")
    (tmp_path / "more.jsonl").write_text('{"id": "m"}')
    assert [case.id for case in load_cases(tmp_path)] == ["m", "a", "b"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("name: set\ncases:\n- id: x\n- id: y\n", ["x", "y"]),
        ("id: x\nhistory:\n- {role: user, content: Hi}\n", ["x"]),
        ("id: x\ncontexts:\n- text: one\n", ["x"]),
        ("---\nid: x\n---\n# nothing\n---\n- id: y\n- id: z\n...\n", ["x", "y", "z"]),
        ("question: Why?\n---\nquestion: How?\n", ["tram-1", "tram-2"]),
        ("%YAML 1.2\n---\n[{id: x}]\n", ["x"]),
        ('[{"id": "x"}, {"id": "y\\u00e9"}]', ["x", "yé"]),
    ],
)
def test_where_the_cases_are(tmp_path: Path, text: str, ids: list[str]) -> None:
    assert [case.id for case in load_cases(written(tmp_path, text))] == ids


@pytest.mark.parametrize("text", ["", "# nothing\n", "[]", "cases: []\n"])
def test_a_file_without_cases_is_warned_of(tmp_path: Path, text: str) -> None:
    with pytest.warns(RagAssertWarning, match=r"tram\.yaml has no cases"):
        assert load_cases(written(tmp_path, text)) == []


@pytest.mark.parametrize(
    ("head", "accepted"),
    [
        (b"- question: Why?\n", True),
        (b"# a\n\n---\n-   user_input: Why?\n", True),
        (b'"question": Why?\nanswer: A\n', True),
        (b"version: 1\n", False),
        (b"cases:\n  - id: a\n", True),
        (b"steps:\n  - run: a\n", False),
        (b"- name: a\n  question: b\n", False),
        (b"Why is the question: answer: so?\n", False),
        (b"question,answer\n", False),
        (b"\xff\xfe", False),
        (b"", False),
    ],
)
def test_it_is_known_by_its_first_key(head: bytes, accepted: bool) -> None:
    assert YamlReader().accepts(head) is accepted


# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["yes", "no", "on", "true", "2024-05-01", "1.50", "007", "0x1F", "1_000", "12:30"]
)
def test_a_field_of_texts_takes_what_was_written(tmp_path: Path, text: str) -> None:
    fields = f"id: {text}x\nquestion: {text}\ncontexts: [{text}, {text}]\npersona: {text}\n"
    turns = f"history: [{{role: user, content: {text}}}]\ntags: [{text}]\n"
    (case,) = load_cases(written(tmp_path, fields + turns))
    assert case == EvalCase(
        id=f"{text}x",
        question=text,
        retrieved_contexts=[text, text],
        persona=text,
        history=[{"role": "user", "content": text}],
        tags=[text],
    )
    assert type(case.question) is str


def test_other_fields_take_values(tmp_path: Path) -> None:
    text = """\
    prompt: 7
    topic: 7
    metadata: {n: 5, f: 1.5, t: True, no: no, day: 2024-05-01, hex: 0x1F, oct: 0o17, inf: -.inf,
               none: ~, quoted: "5", tagged: !!str 5, typed: !!int "5", deep: [1, {1: 2e3}]}
    minimums: {faithfulness: 1}
    generation_params: {temperature: .5}
    persona: {age: 30}
    """
    path = written(tmp_path, text)
    (case,) = load_cases(path, fields={"prompt": "question", "topic": "metadata"})
    assert case.question == "7"
    assert case.metadata == {
        **{"n": 5, "f": 1.5, "t": True, "no": "no", "day": "2024-05-01", "hex": 31, "oct": 15},
        **{"inf": -float("inf"), "none": None, "quoted": "5", "tagged": "5", "typed": 5},
        **{"deep": [1, {"1": 2000.0}], "topic": 7},
    }
    assert (case.minimums, case.generation_params) == ({"faithfulness": 1}, {"temperature": 0.5})
    assert case.persona == {"age": 30}


@pytest.mark.parametrize("text", ["", "~", "null", "NULL", ".nan", "''"])
def test_null_and_empty_are_no_field(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, f"id: x\nanswer: {text}\ncontexts: {text}\n")
    (case,) = load_cases(path)
    assert (case.answer, case.retrieved_contexts) == (None, None)


def test_anchors_and_merge_keys(tmp_path: Path) -> None:
    text = """\
    - &first
      id: a
      contexts: &texts [one, two]
      answer: A
    - id: b
      <<: *first
      answer: B
    - {id: c, <<: [{answer: C}, *first], reference_contexts: *texts}
    """
    cases = load_cases(written(tmp_path, text))
    assert [(case.id, case.answer) for case in cases] == [("a", "A"), ("b", "B"), ("c", "C")]
    assert [case.retrieved_contexts for case in cases] == [["one", "two"]] * 3
    assert cases[2].ground_truth_contexts == ["one", "two"]


# texts that PyYAML writes without quotes, and that are numbers in YAML 1.2
PLAIN = re.compile(r"[-+]?[0-9.]+[eE]|0o")
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not PLAIN.match(text))
    | st.sampled_from(["yes", "NO", "null", "~", "1.0e+3", "0x10", "12:30", "2024-05-01", "="])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab:#- ,"), inner),
    max_leaves=8,
)


@pytest.mark.usefixtures("parser")
@given(
    rows=st.lists(st.dictionaries(st.text("abc: -", min_size=1), values), min_size=1, max_size=4),
    options=st.fixed_dictionaries(
        {"allow_unicode": st.booleans(), "default_flow_style": st.sampled_from([None, True, False])}
    ),
)
def test_what_pyyaml_writes_is_read(rows: list[dict[str, Any]], options: dict[str, Any]) -> None:
    text = yaml.safe_dump(rows, **options)
    assume(yaml.safe_load(text) == rows)  # U+0085 is lost in what it writes
    read = [row.content for row in YamlReader().read(io.BytesIO(text.encode()))]
    assert field_value("metadata", {"rows": read}) == {"rows": rows}


# -- what is wrong ---------------------------------------------------------------------------------

WRONG: dict[str, tuple[str | bytes, str]] = {
    "an unknown field": (
        "- id: a\n\n- id: b\n  anwser: x\n",
        r"line 3: case 'b': unknown field 'anwser' \(did you mean 'answer'\?\)",
    ),
    "a type": ("- id: a\n- question: [x]\n", r"line 2: case .*question is \['x'\]"),
    "one key twice": (
        "- id: a\n  answer: b\n  answer: c\n",
        r"line 1: the key 'answer' occurs twice in one mapping \(line 3\)",
    ),
    "one key twice, deep": (
        "cases:\n- id: a\n  metadata: {b: 1, b: 2}\n",
        r"the key 'b' occurs twice in one mapping \(line 3\)",
    ),
    "an item that is a text": ("- id: a\n- b\n", "line 2: a case must be a mapping, .* a text"),
    "an empty item": ("- id: a\n-\n", "line 2: a case must be a mapping, .* this is nothing"),
    "a text": ("Why?\n", "line 1: a case must be a mapping, such as 'question: Why"),
    "several lists": ("train: [{id: a}]\ntest: [{id: b}]\n", "several lists: 'train', 'test'"),
    "a colon": ("- answer: at: ten\n", r"line 1, column 13\); write a text that has \": \" in "),
    "an open quote": (
        '- answer: "b\n- answer: c\n',
        r"not YAML: found unexpected end of stream while scanning a quoted scalar from line 1 on",
    ),
    "a tab": ("- id: a\n\tanswer: b\n", r"not YAML: .*\(line 2, column 1\); indent lines"),
    "an at": ("- answer: @b\n", "quote a text that begins with @, % or `"),
    "a control character": ("- id: a\n- answer: \x07\n", r'line 2 has U\+0007; .* it is "\\u0007"'),
    "a conflict": ("<<<<<<< HEAD\n- id: a\n=======\n- id: b\n>>>>>>> x\n", "git left a conflict"),
    "a null character": ("- id: a\0\n", "not text: it has a null character, first in line 1"),
    "Latin-1": (b"- answer: caf\xe9\n", r"not UTF-8 \(it has the byte 0xe9\), first in line 1"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", "it is a picture"),
    "UTF-32": ("- id: a".encode("utf-32"), "it is UTF-32; save the file as UTF-8"),
    "a future version": ("%YAML 3.0\n---\nid: a\n", "incompatible YAML document"),
    # what a reader that trusts the file would run, expand or hang on
    "code in a tag": (
        "- answer: !!python/object/apply:os.system ['touch ran']\n",
        "line 1: the tag '!!python/object/apply:os.system' is not supported",
    ),
    "code in a key": (
        "- ? !!python/object/apply:os.system ['touch ran']\n  : x\n",
        "line 1 has a key that is not a text",
    ),
    "a name in a tag": (
        "- answer: !!python/name:os.system x\n",
        "the tag '!!python/name:os.system' is not supported",
    ),
    "a tag of one's own": (
        "- contexts: !include [a]\n",
        "line 1: the tag '!include' is not supported",
    ),
    "bytes": ("- answer: !!binary aGk=\n", "the tag '!!binary' is not supported"),
    "a billion laughs": (
        "- &a0 [lol, lol]\n" + "".join(f"- &a{n} [{f'*a{n - 1},' * 9}]\n" for n in range(1, 20)),
        "its aliases expand to more than 64 MiB, first in line ",
    ),
    "a billion laughs by merging": (
        "m:\n - &a0 {" + "".join(f"k{n}: v, " for n in range(1000)) + "}\n"
        " - <<: [" + "*a0, " * 10_000 + "]\n",
        "its aliases expand to more than 64 MiB",
    ),
    "long texts by alias": (
        f"- answer: &a {'x' * 100_000}\n" + "- answer: *a\n" * 10_000,
        "its aliases expand to more than 64 MiB",
    ),
    "an alias in itself": (
        "- &a\n  contexts: [*a]\n",
        "the anchor 'a' has an alias within itself",
    ),
    "an alias of nothing": ("- answer: *a\n", "line 1: there is no anchor 'a' before its alias"),
    "another document's anchor": ("a: &a 1\n---\nb: *a\n", "there is no anchor 'a'"),
    "deep lists": ("- contexts: " + "[" * 100_000, "line 1 nests deeper|maximum nesting depth"),
    "deep mappings": ("- metadata: " + "{a: " * 100_000, "line 1 nests deeper than 100 levels"),
    "deep blocks": ("- " * 100_000 + "a", "line 1 nests deeper than 100 levels"),
    "deep keys": ("? " * 100_000 + "a", "line 1 "),
    "a huge number": (
        f"- metadata: {{n: {'9' * 100_000}}}\n",
        r"line 1: the number '999.* has 100000 digits; put a text in quotes",
    ),
    "a merged text": ("- <<: text\n  id: a\n", r"<< takes a mapping, or a list of them \(line 1\)"),
}


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    content, words = WRONG[name]
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, content)
    began = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=words) as raised:
            load_cases(path)
        assert tracemalloc.get_traced_memory()[1] < 300 * 2**20
    finally:
        tracemalloc.stop()
    assert str(raised.value).startswith(str(path))
    assert len(str(raised.value)) < 1000
    assert not (tmp_path / "ran").exists()
    assert time.process_time() - began < 60


def test_a_wrong_case_leaves_the_others(tmp_path: Path) -> None:
    path = written(tmp_path, "- id: a\n- {id: b, id: c}\n- !x {id: d}\n- 5\n- id: e\n")
    with pytest.raises(ValueError, match=r"3 mistakes\n  line 2: .*\n  line 3: .*\n  line 4: "):
        load_cases(path)
    with pytest.warns(RagAssertWarning, match="skipped 3 cases"):
        assert [case.id for case in load_cases(path, on_error="skip")] == ["a", "e"]


def test_the_number_of_a_long_text_is_a_text(tmp_path: Path) -> None:
    (case,) = load_cases(written(tmp_path, f"answer: {'9' * 100_000}\n"))
    assert case.answer == "9" * 100_000


def test_calibrate_reads_it_too(tmp_path: Path) -> None:
    text = "- {claim: 1.50, context: [Tea is hot., no], label: supported, lang: no}\n"
    path = written(tmp_path, text, "c.yaml")
    with LabelledFiles([path], ["lang"]) as files:
        (row,) = files.rows
        assert (row.id, row.groups, files.text(row)) == (
            "c.yaml:1",
            ("no",),
            ("1.50", ["Tea is hot.", "no"]),
        )
    with pytest.raises(ConfigurationError, match="line 1: the key 'claim' occurs twice"):
        LabelledFiles([written(tmp_path, "- {claim: a, claim: b}\n", "d.yaml")])


def test_the_parser_is_imported_for_yaml_alone(tmp_path: Path) -> None:
    written(tmp_path, '{"id": "a"}', "a.jsonl")
    written(tmp_path, "id: b", "b.yaml")
    code = (
        "import sys, pytest_ragassert.plugin\nfrom pytest_ragassert import load_cases\n"
        "load_cases('a.jsonl'); print('yaml' in sys.modules)\n"
        "load_cases('b.yaml'); print('yaml' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
