"""`verdicts convert`: what earlier versions kept becomes judgements, and nothing is lost."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.commands import convert_store
from pytest_ragassert.steps.evidence.claim_ids import claim_id, former_claim_id
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from pytest_ragassert.storage.committed.verdict_line import VerdictLine
from pytest_ragassert.storage.disk import stored_rows
from pytest_ragassert.storage.disk.disk_store import DiskStore
from pytest_ragassert.storage.failed_claims import keep_reported
from pytest_ragassert.storage.judgement_rows import passage_key
from pytest_ragassert.storage.keys import Question, question_key
from pytest_ragassert.usage import Usage
from tests.test_former_answers import details, questions, store_former
from tests.test_former_answers import former_line as line_of_run
from tests.test_verdict_judgements import CLAIMS as RUN_CLAIMS
from tests.test_verdict_judgements import PASSAGES as RUN_PASSAGES
from tests.test_verdict_judgements import Judging, of

from .conftest import Run
from .stored import (
    CLAIMS,
    FORMER_REPLIES,
    HASHES,
    NOTHING,
    PASSAGES,
    VERDICTS,
    WHEN,
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
    question_on,
    reported,
    texts_in,
    write_lines,
)

COMMAND = "python -m pytest_ragassert verdicts convert"


def records_in(folder: Path) -> dict[str, Any]:
    return {key: json.loads(text) for key, text in texts_in(folder).items()}


# -- the store -------------------------------------------------------------------------------------


def test_whole_answers_become_judgements(run: Run, store: Path) -> None:
    paid = Usage(requests=2, prompt_tokens=70, completion_tokens=7)
    put_former(store, former(), former("judge_passages"), usage=paid, served="model-2026")
    vector = put_vector(store)
    said = run("convert")
    assert said.status == 0
    assert said.lines == [
        f"store {store}: 2 answers to whole questions converted into 4 judgements"
    ]
    records = records_in(store)
    asked = [*former().judgements, *former("judge_passages").judgements]
    keys = [*dict.fromkeys(one.key for one in asked)]
    assert records.keys() == {
        vector,
        *keys,
        *map(question_key, keys),
        *map(passage_key, PASSAGES),
    }
    for one, reply in zip(asked[:2], VERDICTS, strict=True):
        record = records[one.key]
        assert record["format"] == 3
        assert record["reply"] == reply
        assert (record["asked"], record["passages"]) == (one.asked, sorted(HASHES))
        assert (record["when"], record["served"]) == (WHEN, "model-2026")
        question = records[question_key(one.key)]
        assert question["id"] == claim_id(one.input["claim"], PASSAGES)
    # of one question and for both of its judgements
    assert [records[one.key]["usage"].get("requests", 0) for one in asked[:2]] == [2, 0]
    assert [records[key]["reply"]["relevant"] for key in keys[2:]] == [True, False]
    assert run("verify").status == 0


def test_single_judgements_say_how_they_were_asked(run: Run, store: Path) -> None:
    steps = ("extract_claims", "classify_answer", "rate_relevance")
    keys = put_former(store, *map(former, steps))
    before = records_in(store)
    said = run("convert")
    assert said.lines == [
        f"store {store}: 0 answers to whole questions converted into 0 judgements",
        "  answers to one judgement, now in the current format: 3",
    ]
    after = records_in(store)
    assert after.keys() == before.keys()
    for key, step in zip(keys, steps, strict=True):
        more = {"format": 3, "asked": question(step).asked, "passages": []}
        assert after[key] == {**before[key], **more}
    assert run("verify").status == 0


def test_a_second_time_nothing_is_left_to_do(run: Run, store: Path) -> None:
    put_former(store, former(), former("judge_passages"), former("classify_answer"))
    run("convert")
    before = texts_in(store)
    said = run("convert")
    assert said.lines == [
        f"store {store}: 0 answers to whole questions converted into 0 judgements"
    ]
    assert texts_in(store) == before


def test_it_writes_what_a_run_would_write(run: Run, project: Path) -> None:
    asked = questions(RUN_CLAIMS, RUN_PASSAGES)
    for name in ("used", "converted"):
        store_former(project / name, *asked)
    judging = Judging(project / "used")
    case = of(RUN_CLAIMS, RUN_PASSAGES)
    judging.run(case)
    used, converted = (f"--cache-dir={name}" for name in ("used", "converted"))
    assert run("convert", converted).status == 0
    assert texts_in(project / "converted").items() < texts_in(project / "used").items()
    said = run("convert", used)
    assert said.lines[0].endswith(
        "2 answers to whole questions converted into 8 judgements, 8 of which existed already"
    )
    assert texts_in(project / "converted") == texts_in(project / "used")
    (result,) = Judging(project / "converted", record_mode="none").run(case)
    assert (result.stored, result.details) == (True, details(*asked))


def test_what_was_asked_since_stays(run: Run, store: Path) -> None:
    put_former(store, former())
    [key] = put(store, question(), reply=NOTHING)
    before = texts_in(store)[key]
    said = run("convert")
    assert said.lines[0].endswith("converted into 2 judgements, 1 of which existed already")
    assert texts_in(store)[key] == before
    assert question_on(CLAIMS[1]).key in texts_in(store)


def test_a_damaged_judgement_gives_way(run: Run, store: Path) -> None:
    put_former(store, former())
    put_texts(store, {question().key: "{"})
    run("convert")
    assert records_in(store)[question().key]["reply"] == VERDICTS[0]


def test_of_two_whole_questions_about_the_same_the_first_counts(run: Run, store: Path) -> None:
    """In another order of passages they were asked anew, and may have been answered otherwise."""
    input = former().input
    turned = {**input, "passages": [{**p, "id": 3 - p["id"]} for p in input["passages"][::-1]]}
    both = sorted([former(), former(input=turned)], key=lambda one: one.key)
    nothing = {"verdicts": [{"id": n, **NOTHING} for n in (1, 2)]}
    for asked, reply in zip(both, (nothing, FORMER_REPLIES["verify_claims"]), strict=True):
        put_former(store, asked, reply=reply)
    said = run("convert")
    assert said.lines[0].endswith("converted into 4 judgements, 2 of which existed already")
    records = records_in(store)
    assert [records[question_on(claim).key]["reply"] for claim in CLAIMS] == [NOTHING, NOTHING]


def spoilt_reply(text: str) -> str:
    record = json.loads(text)
    return json.dumps({**record, "reply": {"verdicts": record["reply"]["verdicts"][:1]}})


def spoilt_question(text: str) -> str:
    record = json.loads(text)
    return json.dumps({**record, "input": {**record["input"], "claims": []}})


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (
            lambda key, texts: {key: spoilt_reply(texts[key])},
            "the store has a different question",
        ),
        (
            lambda key, texts: {question_key(key): spoilt_question(texts[question_key(key)])},
            "the store does not have the question",
        ),
        (lambda key, texts: {question_key(key): "{"}, "the store does not have the question"),
    ],
)
def test_what_can_not_be_converted_stays_and_is_counted(
    run: Run, store: Path, spoil: Callable[[str, dict[str, str]], dict[str, str]], why: str
) -> None:
    bad, good = put_former(store, former(), former(model="model-b"))
    put_texts(store, spoil(bad, texts_in(store)))
    before = {key: text for key, text in texts_in(store).items() if key.startswith(bad)}
    said = run("convert")
    assert said.status == 0
    assert said.lines == [
        f"store {store}: 1 answer to whole questions converted into 2 judgements",
        f"  not converted: {why} 1",
    ]
    after = texts_in(store)
    assert before.items() <= after.items()
    assert not any(key.startswith(good) for key in after)


def test_answers_without_a_question_are_told_apart(run: Run, store: Path) -> None:
    """Those that were imported: of a whole question one has to know the passages."""
    keys = put_former(store, former(), former("classify_answer"))
    change(store, "DELETE FROM Cache WHERE key LIKE '%.question'")
    said = run("convert")
    assert said.lines[1:] == [
        "  not converted: the store does not have the question 1",
        "  not converted: the store does not have the question, each one judgement 1",
    ]
    assert texts_in(store).keys() == set(keys)


def test_other_versions_and_damaged_rows_are_passed_over(run: Run, store: Path) -> None:
    keys = put_former(store, former(), former(model="b"), former(model="c"))
    change(store, "UPDATE Cache SET value = replace(value, '\"format\":2', '\"format\":1')")
    put_texts(store, {keys[1]: "{", keys[2]: texts_in(store)[keys[0]]})
    before = texts_in(store)
    assert run("convert").status == 0
    assert texts_in(store) == before


@pytest.mark.parametrize(("budget", "sentences"), [("", 4_000), ("ragassert_token_budget=600", 90)])
def test_what_came_from_several_messages_says_so(
    run: Run, project: Path, store: Path, budget: str, sentences: int
) -> None:
    (project / "pytest.ini").write_text(f"[pytest]\n{budget}\n")
    long = ["The tram runs. " * sentences, "The bus runs. " * sentences]
    passages = [{"id": n, "text": text} for n, text in enumerate(long, start=1)]
    asked = former(input={**former().input, "passages": passages})
    reply = {"verdicts": [{"id": n, **NOTHING} for n in (1, 2)]}
    put_former(store, asked, former(), reply=reply)
    run("convert")
    records = records_in(store)
    for claim in CLAIMS:
        assert records[question_on(claim, long).key]["reply"] == {**NOTHING, "packed": True}
        assert records[question_on(claim).key]["reply"] == NOTHING


def test_what_the_project_does_not_keep_is_left_out(run: Run, project: Path, store: Path) -> None:
    (project / "pytest.ini").write_text(
        "[pytest]\nragassert_store_reasons = off\nragassert_store_passages = off\n"
    )
    put_former(store, former(), former("classify_answer"), former("judge_passages"))
    file = write_lines(
        project / "v.jsonl", [former_line(former()), former_line(former("judge_passages"))]
    )
    run("convert", "v.jsonl")
    run("convert")
    kept = [record for record in records_in(store).values() if "reply" in record]
    committed = [json.loads(line) for line in file.read_text().splitlines()]
    assert (len(kept), len(committed)) == (5, 4)
    for one in (*kept, *committed):
        assert one["passages"] == []
        assert one["reply"]["reason"] is None
        assert {quote["passage"] for quote in one["reply"].get("evidence", ())} <= {None}


def test_where_there_is_no_store_nothing_is_converted(run: Run, store: Path) -> None:
    said = run("convert")
    assert (said.status, said.out) == (0, f"store {store}: does not exist\n")
    assert not store.exists()


# -- interrupted -----------------------------------------------------------------------------------


class Killed(BaseException):
    pass


MANY = [former(model=f"model-{number}") for number in range(5)]


def kept_verdicts(folder: Path) -> set[tuple[str, str]]:
    """Key and label of each verdict that a run would find, in either form."""
    records, found = records_in(folder), set()
    for whole in MANY:
        former_one = records.get(whole.key, {"reply": {"verdicts": [{}, {}]}})["reply"]["verdicts"]
        for one, verdict in zip(whole.judgements, former_one, strict=True):
            own = records[one.key]["reply"] if one.key in records else verdict
            found.add((one.key, own["verdict"]))
    return found


@pytest.mark.parametrize("method", ["put_many", "delete"])
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("call", [1, 2, 3])
def test_interrupted_at_any_moment_nothing_is_lost_and_nothing_twice(
    run: Run,
    project: Path,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    after: bool,
    call: int,
) -> None:
    monkeypatch.setattr(convert_store, "_AT_ONCE", 2)
    put_former(store, *MANY)
    shutil.copytree(store, project / "whole")
    before = kept_verdicts(store)
    calls = 0
    done = getattr(DiskStore, method)

    def killed(self: DiskStore, *args: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == call and not after:
            raise Killed
        done(self, *args)
        if calls == call:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(DiskStore, method, killed)
        with pytest.raises(Killed):
            run("convert")
    assert kept_verdicts(store) == before
    assert run("verify").status == 0
    assert run("convert").status == 0
    assert run("convert", "--cache-dir=whole").status == 0
    assert texts_in(store) == texts_in(project / "whole")
    assert kept_verdicts(store) == before
    assert len([record for record in records_in(store).values() if "reply" in record]) == 10


def test_a_kill_loses_nothing(run: Run, project: Path, store: Path) -> None:
    """A real one, between what is written and what is removed."""
    put_former(store, *MANY)
    before = kept_verdicts(store)
    code = (
        "import os, signal, sys\n"
        "from pytest_ragassert.commands.command_line import main\n"
        "from pytest_ragassert.storage.disk.disk_store import DiskStore\n"
        "DiskStore.delete = lambda self, rows: os.kill(os.getpid(), signal.SIGKILL)\n"
        "sys.exit(main(['verdicts', 'convert']))\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], cwd=project, timeout=60)
    assert killed.returncode == -9
    assert len(texts_in(store)) > 20
    assert kept_verdicts(store) == before
    said = run("convert")
    assert said.lines[0].endswith("converted into 10 judgements, 10 of which existed already")
    assert kept_verdicts(store) == before
    assert not {whole.key for whole in MANY} & texts_in(store).keys()


def test_where_nothing_can_be_written_nothing_is_removed(
    run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_former(store, former())
    before = texts_in(store)
    with monkeypatch.context() as patched:
        patched.setattr(DiskStore, "put_many", lambda self, texts: None)
        said = run("convert")
    assert (said.status, said.out) == (1, "")
    assert "error: not everything was converted: a written row could not be read back" in said.err
    assert texts_in(store) == before
    monkeypatch.setattr(stored_rows, "_LOCKED_SECONDS", 0.1)
    made = DiskStore.put_many

    def put_then_locked(self: DiskStore, texts: Any) -> None:
        made(self, texts)
        others.append(sqlite3.connect(store / "cache.db", isolation_level=None))
        others[-1].execute("BEGIN IMMEDIATE")

    others: list[sqlite3.Connection] = []
    with monkeypatch.context() as patched:
        patched.setattr(DiskStore, "put_many", put_then_locked)
        said = run("convert")
    with closing(others[0]):
        pass
    assert said.status == 1
    assert "error: the converted answers exist in both formats: the store" in said.err
    assert before.items() < texts_in(store).items()
    assert run("convert").status == 0


# -- committed verdicts ----------------------------------------------------------------------------


def judgement_lines(*wholes: Question) -> list[VerdictLine]:
    """The lines of the judgements of whole questions about claims."""
    return [
        line_of(one, reply)
        for whole in wholes
        for one, reply in zip(whole.judgements, VERDICTS, strict=True)
    ]


def in_order(lines: list[VerdictLine]) -> list[VerdictLine]:
    return sorted(lines, key=lambda line: line.sort_key)


@pytest.mark.parametrize("name", ["v.jsonl", "v"])
def test_committed_lines_become_those_of_judgements(
    run: Run, project: Path, store: Path, name: str
) -> None:
    put_former(store, former(), former("classify_answer"))
    other = former(model="model-b")
    stays = [former_line(other), former_line(question("rate_relevance")), override_line()]
    write_verdicts(
        project / name, [former_line(former()), former_line(former("classify_answer")), *stays]
    )
    said = run("convert", name)
    assert said.status == 0, said.err
    assert said.lines == [
        f"{name}: 1 answer to whole questions converted into 2 judgements",
        "  answers to one judgement, now in the current format: 1",
        "  not converted: the store does not have the question 1",
        "  not converted: the store does not have the question, each one judgement 1",
        f"written to {name}; commit it",
    ]
    expected = [*judgement_lines(former()), line_of(question("classify_answer")), *stays]
    assert list(open_verdicts(project / name).lines()) == in_order(expected)
    # the store is as it was
    assert former().key in texts_in(store)


def test_where_nothing_is_to_be_converted_nothing_is_written(run: Run, project: Path) -> None:
    lines = [former_line(former()), line_of(question()), override_line()]
    file = write_lines(project / "v.jsonl", lines[::-1])
    before = file.read_bytes()
    said = run("convert", "v.jsonl")
    assert said.lines == [
        "v.jsonl: 0 answers to whole questions converted into 0 judgements",
        "  not converted: the store does not have the question 1",
    ]
    assert file.read_bytes() == before


def test_a_judgement_that_is_committed_already_stays(run: Run, project: Path, store: Path) -> None:
    put_former(store, former())
    since = line_of(question(), NOTHING)
    file = write_lines(project / "v.jsonl", [former_line(former()), since])
    said = run("convert", "v.jsonl")
    assert said.lines[0].endswith("converted into 2 judgements, 1 of which existed already")
    assert list(open_verdicts(file).lines()) == in_order(
        [since, line_of(question_on(CLAIMS[1]), VERDICTS[1])]
    )


def test_of_what_was_carried_over_and_what_was_asked_the_latter_stays(
    run: Run, project: Path, store: Path
) -> None:
    put_former(store, former())
    carried = replace(line_of(question(), NOTHING), source="c" * 64)
    file = write_lines(project / "v.jsonl", [former_line(former()), carried])
    run("convert", "v.jsonl")
    assert list(open_verdicts(file).lines()) == in_order(judgement_lines(former()))


@pytest.mark.parametrize(
    "changed",
    [
        {"about": "something else"},
        {"judge": "another"},
        {"reply": {"verdicts": FORMER_REPLIES["verify_claims"]["verdicts"][:1]}},
    ],
)
def test_a_line_that_is_no_answer_to_the_stores_question_stays(
    run: Run, project: Path, store: Path, changed: Any
) -> None:
    put_former(store, former())
    file = write_lines(project / "v.jsonl", [replace(former_line(former()), **changed)])
    before = file.read_bytes()
    said = run("convert", "v.jsonl")
    assert said.lines[1:] == ["  not converted: the store has a different question 1"]
    assert file.read_bytes() == before


def test_questions_stay_in_the_store_as_long_as_committed_verdicts_need_them(
    run: Run, project: Path, store: Path
) -> None:
    (project / "pytest.ini").write_text("[pytest]\nragassert_verdicts = v.jsonl\n")
    put_former(store, former(), former("judge_passages"))
    file = write_lines(project / "v.jsonl", [former_line(former())])
    said = run("convert")
    assert said.lines == [
        f"store {store}: 2 answers to whole questions converted into 4 judgements",
        "  1 question stays in the store for committed verdicts; convert those with: "
        f"{COMMAND} {file}",
    ]
    texts = texts_in(store)
    assert (former().key in texts, question_key(former().key) in texts) == (False, True)
    assert question_key(former("judge_passages").key) not in texts
    assert run("convert", "v.jsonl").lines[-1] == "written to v.jsonl; commit it"
    assert list(open_verdicts(file).lines()) == in_order(judgement_lines(former()))
    assert run("prune").lines[1:] == ["  questions without an answer 1"]


@pytest.mark.parametrize("first", ["store", "file"])
def test_a_project_is_converted_whole(run: Run, project: Path, first: str) -> None:
    """A replay from the committed verdicts alone, and a run from the store, ask nobody."""
    (project / "pytest.ini").write_text("[pytest]\nragassert_verdicts = v.jsonl\n")
    folder, file = project / ".ragassert", project / "v.jsonl"
    asked = questions(RUN_CLAIMS, RUN_PASSAGES)
    store_former(folder, *asked)
    write_verdicts(file, map(line_of_run, asked))
    for arguments in [("convert",), ("convert", "v.jsonl")][:: 1 if first == "store" else -1]:
        assert run(*arguments).status == 0
    keys = {one.key for each in asked for one in each.judgements}
    assert set(open_verdicts(file).keys()) == keys
    assert run("verify").status == 0
    case = of(RUN_CLAIMS[::-1], [*RUN_PASSAGES[::-1], RUN_PASSAGES[0]])
    replay = Judging(project / "none", record_mode="none", verdicts=file)
    (result,) = replay.run(case)
    assert result.stored
    assert not (project / "none").exists()
    live = Judging(folder)
    (again,) = live.run(case)
    assert (again.stored, again.details, live.judge.messages) == (True, result.details, [])


def test_overrides_get_their_present_ids(run: Run, project: Path, store: Path) -> None:
    put_former(store, former())
    passages = [*PASSAGES, "Cats may come."]
    keep_reported(store, [reported(CLAIMS[1], passages)])

    def override(claim: str, texts: list[str], **changed: Any) -> VerdictLine:
        return replace(override_line(claim), key=former_claim_id(claim, texts), **changed)

    known = [override(CLAIMS[0], PASSAGES), override(CLAIMS[1], passages)]
    unknown = override(CLAIMS[0], ["elsewhere", "Before."])
    file = write_lines(project / "v.jsonl", [*known, unknown])
    said = run("convert", "v.jsonl")
    assert "  overrides, now under their current ids: 2" in said.lines
    expected = [
        replace(known[0], key=claim_id(CLAIMS[0], PASSAGES)),
        replace(known[1], key=claim_id(CLAIMS[1], passages)),
        unknown,
    ]
    assert list(open_verdicts(file).lines()) == in_order(expected)
    before = file.read_bytes()
    assert "written" not in run("convert", "v.jsonl").out
    assert file.read_bytes() == before


def test_an_override_under_the_present_id_is_not_overwritten(
    run: Run, project: Path, store: Path
) -> None:
    put_former(store, former())
    own = override_line(verdict="NO_EVIDENCE")
    before = replace(override_line(), key=former_claim_id(CLAIMS[0], PASSAGES))
    file = write_lines(project / "v.jsonl", [own, before])
    text = file.read_bytes()
    run("convert", "v.jsonl")
    assert file.read_bytes() == text


def test_files_that_are_not_there_or_damaged_are_told(run: Run, project: Path, store: Path) -> None:
    put_former(store, former())
    said = run("convert", "none.jsonl")
    assert said.status == 2
    assert "none.jsonl: no such file or folder" in said.err
    (project / "v.jsonl").write_text("{\n")
    for arguments in (("v.jsonl",), ("--verdicts=v.jsonl",)):
        said = run("convert", *arguments)
        assert said.status == 1
        assert "v.jsonl, line 1" in said.err
    assert former().key in texts_in(store)


def test_texts_can_do_nothing_to_the_terminal(run: Run, project: Path, store: Path) -> None:
    evil = "\x1b[2J\x07"
    put_former(store, former(model=f"m{evil}"))
    write_lines(project / "v.jsonl", [former_line(former(model=f"m{evil}"))])
    for arguments in (("v.jsonl",), ()):
        said = run("convert", *arguments)
        assert said.status == 0
        assert "\x1b" not in said.out + said.err
