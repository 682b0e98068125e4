"""`verdicts export` and `verdicts import`: between stores by way of a file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from pytest_ragassert import evaluate
from pytest_ragassert.runtime.canonical_json import Json
from pytest_ragassert.steps.catalogue import STEPS
from pytest_ragassert.storage.answers import read_embedding
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from tests.conftest import MakeSettings, close_sessions
from tests.loopback.server import LoopbackJudge
from tests.replies import case

from .conftest import Run
from .stored import (
    FORMER_REPLIES,
    HASHES,
    PASSAGES,
    REPLIES,
    VERDICTS,
    change,
    former,
    former_line,
    line_of,
    override_line,
    put,
    put_former,
    put_texts,
    put_vector,
    question,
    texts_in,
    write_lines,
)

WRONG: Json = {"reason": None, "label": "WRONG"}


def exported(run: Run, *arguments: str) -> list[Any]:
    said = run("export", *arguments)
    assert said.status == 0
    return [json.loads(line) for line in said.lines]


# -- export ----------------------------------------------------------------------------------------


def test_the_store_is_written_as_committed_verdicts(run: Run, project: Path, store: Path) -> None:
    put(store, *map(question, STEPS))
    vector = put_vector(store, "電車\u2028 \x1b", "mine", "model v2")
    said = run("export")
    lines = [line_of(question(step)) for step in STEPS]
    about = "電車\u2028 \x1b"
    lines.append(VerdictLine(vector, "embed_text", "mine model v2", about, {"vector": [0.5, -1.0]}))
    expected = sorted(lines, key=lambda line: line.sort_key)
    assert said.out == "".join(f"{line.to_text()}\n" for line in expected)
    said = run("export", "out.jsonl")
    assert said.out == f"{len(STEPS) + 1} verdicts written to out.jsonl\n"
    assert list(open_verdicts(project / "out.jsonl").lines()) == expected
    run("export", "out/")
    assert list(open_verdicts(project / "out").lines()) == expected


def test_what_this_version_does_not_use_and_parts_stay(run: Run, store: Path) -> None:
    keys = put(store, *map(question, ("classify_answer", "rate_relevance", "grade_accuracy")))
    put(store, question("extract_claims").part({"sentences": []}))
    put_texts(
        store,
        {
            keys[0]: texts_in(store)[keys[0]].replace('"format":3', '"format":1'),
            keys[1]: texts_in(store)[keys[1]].replace(STEPS["rate_relevance"].fingerprint, "0"),
        },
    )
    assert [line["key"] for line in exported(run)] == [keys[2]]


def test_a_line_says_how_it_was_asked_and_whence_it_was_carried(run: Run, store: Path) -> None:
    put(store, question(), carried="c" * 64)
    [line] = exported(run)
    expected = replace(line_of(question()), source="c" * 64)
    assert line == json.loads(expected.to_text())
    assert line["passages"] == sorted(HASHES)
    # texts of passages leave the store with no line
    assert not any(text in json.dumps(line) for text in PASSAGES)


def test_what_an_earlier_version_kept_is_written_as_it_wrote_it(
    run: Run, project: Path, store: Path
) -> None:
    asked = [former(), former("judge_passages"), former("classify_answer")]
    put_former(store, *asked)
    lines = sorted(map(former_line, asked), key=lambda line: line.sort_key)
    assert exported(run) == [json.loads(line.to_text()) for line in lines]
    write_lines(project / "v.jsonl", lines)
    assert run("import", "v.jsonl", "--cache-dir=copy").status == 0
    assert run("export", "--cache-dir=copy").out == run("export").out
    assert run("verify", "--cache-dir=copy").status == 0


def test_a_judge_or_a_step_alone_can_be_exported(run: Run, store: Path) -> None:
    asked = [question(), question(model="b"), question("classify_answer", judge_id="gw one")]
    keys = put(store, *asked)

    def keys_of(*arguments: str) -> set[str]:
        return {line["key"] for line in exported(run, *arguments)}

    assert keys_of("--judge=model-a") == {keys[0], keys[2]}
    assert keys_of("--judge=openai http://judge") == {keys[0], keys[1]}
    assert keys_of("--judge=gw one model-a") == {keys[2]}
    assert keys_of("--judge=gw") == {keys[2]}
    assert keys_of("--judge=w one") == set()
    assert keys_of("--step=verify_claims") == {keys[0], keys[1]}
    assert keys_of("--step=verify_claims", "--judge=b") == {keys[1]}
    said = run("export", "--step=guess")
    assert said.status == 2
    assert "unknown step 'guess'; known steps are extract_claims, " in said.err


def test_a_file_that_is_there_is_not_overwritten(run: Run, project: Path, store: Path) -> None:
    put(store, question())
    (project / "out.jsonl").write_text("mine")
    said = run("export", "out.jsonl")
    assert said.status == 1
    assert "verdicts merge out.jsonl OTHER -o out.jsonl" in said.err
    assert (project / "out.jsonl").read_text() == "mine"


def test_without_a_store_there_is_nothing_to_export(run: Run, store: Path) -> None:
    said = run("export")
    assert (said.status, said.out) == (1, "")
    assert f"there is no store at {store}; name another with --cache-dir" in said.err


# -- import ----------------------------------------------------------------------------------------


def test_what_was_exported_serves_a_run_that_asks_nobody(
    run: Run, project: Path, judge: LoopbackJudge, settings: MakeSettings
) -> None:
    options: dict[str, Any] = {"embedder": "openai", "embedding_model": "vectors one"}
    metrics = ["faithfulness", "factual_f1", "answer_relevancy", "semantic_similarity"]
    first = evaluate(case(), metrics, settings=settings(**options))
    close_sessions()
    assert run("export", "out.jsonl", "--cache-dir", str(project / "store")).status == 0
    said = run("import", "out.jsonl", "--cache-dir", "copy")
    count = len((project / "out.jsonl").read_text().splitlines())
    assert said.out == (
        f"{count} verdicts imported into {project / 'copy'}, 0 replaced, 0 there already\n"
    )
    before = judge.count()
    replay = settings(cache_dir=project / "copy", record_mode="none", **options)
    again = evaluate(case(), metrics, settings=replay)
    assert judge.count() == before
    assert {name: result.score for name, result in again.items()} == {
        name: result.score for name, result in first.items()
    }


replies = st.fixed_dictionaries(
    {"reason": st.none() | st.text().map(lambda text: f"x{text}x"), "score": st.just(0.5)}
)
texts = st.text(max_size=20)
asked = st.builds(
    lambda question_text, judge, model, reply: (
        question(
            "rate_relevance",
            input={"question": question_text, "answer": "a"},
            judge_id=f"j{judge}",
            model=model,
        ),
        reply,
    ),
    texts,
    st.text(st.characters(codec="utf-8"), max_size=5),
    st.sampled_from(["", "m", "m 2"]),
    replies,
)


@examples(
    deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(asked, max_size=5), texts, st.sampled_from(["f.jsonl", "folder/"]))
def test_an_import_of_an_export_gives_the_same_store(
    run: Run,
    tmp_path_factory: pytest.TempPathFactory,
    answers: list[Any],
    text: str,
    file: str,
) -> None:
    folder = tmp_path_factory.mktemp("moved")
    for one, reply in answers:
        put(folder / "a", one, reply=reply)
    key = put_vector(folder / "a", text, "mine x", "")
    run("export", f"{folder}/{file}", "--cache-dir", str(folder / "a"))
    said = run("import", f"{folder}/{file}", "--cache-dir", str(folder / "b"))
    assert said.status == 0, said.err
    one, two = (run("export", "--cache-dir", str(folder / name)).out for name in "ab")
    assert one == two
    assert read_embedding(key, "mine x", texts_in(folder / "b")[key], True) is not None


def test_what_is_there_already_is_left(run: Run, project: Path, store: Path) -> None:
    put(store, question(), served="model-2026")
    before = texts_in(store)
    write_lines(project / "v.jsonl", [line_of(question()), line_of(question("classify_answer"))])
    said = run("import", "v.jsonl")
    assert said.out == f"1 verdict imported into {store}, 0 replaced, 1 there already\n"
    assert before.items() <= texts_in(store).items()


def test_another_reply_is_taken_only_on_demand(run: Run, project: Path, store: Path) -> None:
    [key] = put(store, question("classify_answer"))
    lines = [line_of(question()), line_of(question("classify_answer"), WRONG)]
    file = write_lines(project / "v.jsonl", lines)
    before = texts_in(store)
    said = run("import", "v.jsonl")
    assert said.status == 1
    assert said.err.splitlines() == [
        "error: nothing was imported: the store has different replies than",
        f"  {file.name}, line 2: classify_answer {key[:12]}",
        "To replace the store's replies with those of the files, add --replace",
    ]
    assert texts_in(store) == before
    said = run("import", "v.jsonl", "--replace")
    assert said.out == f"1 verdict imported into {store}, 1 replaced, 0 there already\n"
    assert json.loads(texts_in(store)[key])["reply"] == WRONG


def test_what_was_asked_gives_way_to_nothing_that_was_carried(
    run: Run, project: Path, store: Path
) -> None:
    """The same key may be asked for on one machine, and carried over on another."""
    put(store, question(), reply=VERDICTS[0], carried="c" * 64)
    asked = line_of(question(), {**VERDICTS[0], "verdict": "NO_EVIDENCE", "evidence": []})
    carried = replace(line_of(question(), VERDICTS[0]), source="d" * 64)
    write_lines(project / "a.jsonl", [asked])
    write_lines(project / "c.jsonl", [carried])
    said = run("import", "c.jsonl")
    assert said.out.endswith("0 replaced, 1 there already\n")
    assert exported(run)[0]["from"] == "c" * 64
    said = run("import", "a.jsonl")
    assert said.out == f"0 verdicts imported into {store}, 1 replaced, 0 there already\n"
    assert [line["reply"]["verdict"] for line in exported(run)] == ["NO_EVIDENCE"]
    said = run("import", "c.jsonl")
    assert said.out.endswith("0 replaced, 1 there already\n")
    assert [line["reply"]["verdict"] for line in exported(run)] == ["NO_EVIDENCE"]


def test_what_was_carried_over_stays_so_until_it_was_asked(
    run: Run, project: Path, store: Path
) -> None:
    asked = line_of(question())
    write_lines(project / "a.jsonl", [asked])
    write_lines(project / "c.jsonl", [replace(asked, source="c" * 64)])
    assert run("import", "c.jsonl").out.startswith("1 verdict imported")
    assert exported(run)[0]["from"] == "c" * 64
    # the same reply, which other verdicts may be carried over from now
    assert run("import", "a.jsonl").out.endswith("1 replaced, 0 there already\n")
    assert "from" not in exported(run)[0]


def test_a_row_that_is_not_used_gives_way(run: Run, project: Path, store: Path) -> None:
    [key] = put(store, question())
    change(store, "UPDATE Cache SET value = '{' WHERE key = ?", key)
    write_lines(project / "v.jsonl", [line_of(question())])
    assert run("import", "v.jsonl").status == 0
    assert json.loads(texts_in(store)[key])["reply"] == VERDICTS[0]


def line(**changed: Any) -> str:
    fields = {"key": "a" * 64, "step": "rate_relevance", "judge": "j", "about": "x"}
    return json.dumps({**fields, "reply": REPLIES["rate_relevance"], **changed})


VERDICT: Json = {"step": "verify_claims", "asked": "b" * 64, "reply": VERDICTS[0]}


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [
        ("{", "not JSON"),
        (line(key="a" * 63), "key must be 64 hexadecimal digits"),
        (line(step="a-guess"), "unknown step 'a-guess'; known steps are extract_claims, "),
        (
            line(reply={"score": 0.5}),
            "its reply does not fit the step rate_relevance in its normal form",
        ),
        (line(reply=REPLIES["classify_answer"]), "its reply does not fit the step rate_relevance"),
        (line(step="embed_text", reply={"vector": []}), "its reply is not a vector"),
        (line(step="embed_text", reply={"vector": [1, "2"]}), "its reply is not a vector"),
        (line(step="embed_text", reply={"vector": [True]}), "its reply is not a vector"),
        (line(step="embed_text", reply={"vector": [10**400]}), "its reply is not a vector"),
        (line(step="embed_text", reply={"vector": [1]}), "its key is not that of its text"),
        (line(more=1), "must be a JSON object with only"),
        (line(**VERDICT, passages=HASHES), "its passages are not sorted"),
        (line(**VERDICT, passages=["0" * 32, "0" * 32]), "or one is listed twice"),
        (
            line(**VERDICT, passages=HASHES[1:]),
            "its evidence names a passage that is not among its",
        ),
        (line(**VERDICT, passages=[]), "its evidence names a passage that is not among its"),
        (
            line(**{**VERDICT, "reply": FORMER_REPLIES["verify_claims"]}, passages=[]),
            "its reply does not fit",
        ),
        (override_line().to_text(), "an override is not a judge's answer and cannot be"),
        ("<<<<<<< ours", "git left a conflict here"),
    ],
)
def test_a_line_that_does_not_fit_keeps_all_out(
    run: Run, project: Path, store: Path, spoilt: str, told: str
) -> None:
    good = line_of(question()).to_text()
    (project / "v.jsonl").write_text(f"{good}\n\n{spoilt}\n")
    said = run("import", "v.jsonl")
    assert (said.status, said.out) == (1, "")
    assert "v.jsonl, line 3" in said.err
    assert told in said.err
    assert not store.exists()


def test_a_file_of_a_folder_that_does_not_fit_is_named(
    run: Run, project: Path, store: Path
) -> None:
    write_verdicts(project / "v", [line_of(question("classify_answer"), {"label": "no"})])
    said = run("import", "v")
    assert said.status == 1
    file = Path("v", "classify_answer", f"{question('classify_answer').key}.json")
    assert f"{file}: its reply does not fit the step classify_answer" in said.err
    assert not store.exists()


def test_two_files_that_differ_are_both_named(run: Run, project: Path, store: Path) -> None:
    write_lines(project / "a.jsonl", [line_of(question("classify_answer"))])
    write_lines(project / "b.jsonl", [line_of(question("classify_answer"), WRONG)])
    said = run("import", "a.jsonl", "b.jsonl", "--replace")
    assert said.status == 1
    assert "a.jsonl, line 1 and b.jsonl, line 1: two replies for the same key" in said.err
    assert not store.exists()


def test_a_file_that_is_not_there_is_a_misuse(run: Run, store: Path) -> None:
    said = run("import", "none.jsonl")
    assert said.status == 2
    assert "none.jsonl: no such file or folder" in said.err
    assert not store.exists()


def test_a_store_that_takes_nothing_is_told(run: Run, project: Path, store: Path) -> None:
    put(store, question("classify_answer"))
    (project / "elsewhere").mkdir()
    for number in range(256):
        # where the text's own file would be made
        (store / f"{number:02x}").symlink_to(project / "elsewhere")
    long = {"reason": "x" * 200_000, "label": "CORRECT"}
    write_lines(project / "v.jsonl", [line_of(question("classify_answer", sample=1), long)])
    said = run("import", "v.jsonl")
    assert (said.status, said.out) == (1, "")
    assert f"error: the verdict store {store} " in said.err
    assert list((project / "elsewhere").iterdir()) == []
