"""The example project as its readers run it: it passes, and what its README shows is true."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, Settings, Verdict, evaluate
from pytest_ragassert.storage.committed.committed_verdicts import open_verdicts, write_verdicts
from tests.loopback.scripts import Recorded
from tests.loopback.server import LoopbackJudge

EXAMPLE = Path(__file__).resolve().parents[2] / "example_project"
README = (EXAMPLE / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^ {4,}(.+)$", re.sub(r" \\\n +", " ", README), re.M)
BLOCKS: list[str] = re.findall(r"^```\w*\n(.*?)^```$", README, re.S | re.M)
KEY = "sk-ferry"
THIS_SEASON, LAST_SEASON = "verdicts.jsonl", "verdicts_last_season.jsonl"

Run = subprocess.CompletedProcess[str]


def checked_out(folder: Path) -> Path:
    """The folder, with a copy of the example in it, as after a checkout."""
    ignored = shutil.ignore_patterns(".*", "__pycache__")
    shutil.copytree(EXAMPLE, folder / EXAMPLE.name, ignore=ignored)
    return folder


@pytest.fixture(scope="module", autouse=True)
def _forked_runs(forked_python: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", forked_python)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checked_out(tmp_path_factory.mktemp("checkout"))


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    """A checkout for one test that changes it, or looks for what was left in it."""
    return checked_out(tmp_path)


@pytest.fixture(scope="module")
def broken(folder: Path) -> Run:
    """The README's command that shows a regression."""
    command = (
        f"pytest example_project -o ferry_index=last_season -o ragassert_verdicts={LAST_SEASON}"
    )
    assert command in COMMANDS
    return run(folder, *command.split()[1:])


def run(folder: Path, *args: str, **environ: str) -> Run:
    others = ("RAGASSERT_", "OPENAI_", "PYTEST_", "CI")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    # plugins by name: loading those of others takes longer than the run
    clean |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p ragassert"}
    clean |= {"COLUMNS": "80", "PYTHONUTF8": "1", **environ}
    command = [sys.executable, "-m", "pytest", *args]
    return subprocess.run(
        command, cwd=folder, env=clean, capture_output=True, encoding="utf-8", timeout=120
    )


def outcomes(run: Run) -> dict[str, int]:
    last = run.stdout.splitlines()[-1]
    return {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|error)", last)}


def verdicts_in(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def flat(text: str) -> str:
    """The text with its lines joined."""
    return " ".join(text.split())


def readme_block(word: str) -> str:
    """The README's one block with that word."""
    (block,) = [block for block in BLOCKS if word in block]
    return block


# Importable in the folder that the tests are run from: a run that reaches for the network fails.
NO_NETWORK = """
import socket

def refused(*args, **kwargs):
    raise AssertionError(f"the network was asked for: {args}")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refused
"""
IN_CI = {"CI": "1"}
WITH_KEY = {"OPENAI_API_KEY": "sk-unused"}


@pytest.mark.parametrize(
    ("args", "environ"),
    [
        ((), {}),
        ((), IN_CI),
        (("-p", "xdist", "-n", "2"), WITH_KEY),
    ],
    ids=["without key", "in CI", "in parallel, with key"],
)
def test_it_passes_by_its_verdicts_alone(
    own_folder: Path, args: tuple[str, ...], environ: dict[str, str]
) -> None:
    (own_folder / "no_network.py").write_text(NO_NETWORK, encoding="utf-8")
    assert "pytest example_project            # or `pytest` in this folder" in COMMANDS
    done = run(own_folder, "-p", "no_network", "example_project", *args, **environ)
    assert done.returncode == 0, done.stdout + done.stderr
    count = outcomes(done)["passed"]
    assert f"\n{count} tests pass" in README
    (head,) = re.findall(r"^ragassert: (judge .+)$", done.stdout, re.M)
    mode = "none (CI is set)" if "CI" in environ else "new_episodes (default)"
    assert head.startswith(f"judge hand-checked; record-mode {mode}; ")
    for line in readme_block("189 used").splitlines():
        assert f"\n{line}\n" in done.stdout
    assert not (own_folder / EXAMPLE.name / ".ragassert").exists()


def test_it_passes_in_its_own_folder(folder: Path) -> None:
    assert outcomes(run(folder / EXAMPLE.name)) == {"passed": 110}


def test_an_index_not_rebuilt_fails_tests_with_contradicted_claims(broken: Run) -> None:
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "faithfulness            34    1.00    1.00      0" in broken.stdout
    found = re.findall(r"^  ✗ (.+?) {2,}contradicted\n +\[answer\] (.+)$", broken.stdout, re.M)
    assert (
        "An adult single costs 7.80 pounds.",
        '"An adult single ticket costs 7.20 pounds"         reference 0-34',
    ) in found
    assert any("Die einfache Fahrt" in claim for claim, _ in found), "a German one"
    assert len(found) >= 5


def test_the_readme_shows_what_that_run_prints(broken: Run) -> None:
    failed, passed = (outcomes(broken)[word] for word in ("failed", "passed"))
    assert f"\n{failed} of the {failed + passed} tests fail." in README
    printed = iter([flat(line) for line in broken.stdout.splitlines()])
    for line in filter(None, map(flat, readme_block("case car-check-in").splitlines())):
        assert line in printed, f"not printed, or not in this order: {line}"


def test_a_ranking_that_is_lost_is_seen_without_a_judge(folder: Path) -> None:
    command = "pytest example_project -o ferry_ranking=unsorted -k right_passage"
    assert command in COMMANDS
    done = run(folder, *shlex.split(command)[1:])
    assert outcomes(done) == {"failed": 20, "passed": 13}, done.stdout + done.stderr
    assert "\n20 of these 33 tests fail." in README
    for part in readme_block("not retrieved").split("\n\n"):
        assert f"\n{part.strip()}\n" in done.stdout
    assert "judgements:" not in done.stdout


def test_numbers_of_another_list_are_seen_by_words(folder: Path) -> None:
    command = "pytest example_project -o ferry_list=by_notice -k names_its_passage"
    assert f"{command} --ragassert-judge offline" in COMMANDS
    done = run(folder, *shlex.split(command)[1:], "--ragassert-judge", "offline")
    assert outcomes(done) == {"failed": 1}, done.stdout + done.stderr
    assert f"\n{readme_block('not in [1]')}" in done.stdout
    assert "citation_precision 0.00 < 1.00   2 citations: 2 support nothing" in done.stdout


def test_a_criterion_fails_by_words_that_are_missing(folder: Path) -> None:
    command = "pytest example_project -o ferry_index=last_season -k refund_has"
    assert f"{command} --ragassert-judge offline" in COMMANDS
    done = run(folder, *shlex.split(command)[1:], "--ragassert-judge", "offline")
    assert outcomes(done) == {"failed": 1}, done.stdout + done.stderr
    assert f"\n{readme_block('it lacks')}" in done.stdout


def test_the_right_passages_are_there_and_hold_the_reference() -> None:
    files: dict[str, list[str]] = {}
    for case in lines("cases.jsonl"):
        assert ("ground_truth_context_ids" in case) is case["metadata"]["answerable"]
        for id in case.get("ground_truth_context_ids", ()):
            name, _, number = id.partition("#")
            text = (EXAMPLE / "corpus" / name).read_text(encoding="utf-8")
            paragraph = text.strip().split("\n\n")[int(number)]
            files.setdefault(name, []).append(paragraph)
            numbers = re.findall(r"\d+(?:[.,:]\d+)?", case["ground_truth_answer"])
            assert set(numbers) <= set(re.findall(r"\d+(?:[.,:]\d+)?", paragraph)), case["id"]
    assert len(files) >= 15


def test_no_verdict_on_last_season_is_unused_or_missing(broken: Run) -> None:
    assert "\njudgements: 0 asked, 189 stored" in broken.stdout
    told = "189 used, 0 new, 0 unused (example_project/verdicts_last_season.jsonl)"
    assert f"\nverdicts: {told}\n" in broken.stdout


def test_the_readme_shows_what_a_changed_text_comes_to(own_folder: Path) -> None:
    notice = own_folder / EXAMPLE.name / "corpus/en/freight.md"
    old = notice.read_text(encoding="utf-8")
    notice.write_text(old.replace("14:00", "13:00"), encoding="utf-8")
    assert "Write 13:00 instead of 14:00 in `corpus/en/freight.md`: two" in README
    done = run(own_folder, "example_project")
    assert outcomes(done) == {"failed": 2, "passed": 108}, done.stdout + done.stderr
    assert flat(readme_block("text changed")) in flat(done.stdout)

    assert "pytest example_project --ragassert-judge offline" in COMMANDS
    by_words = run(own_folder, "example_project", "--ragassert-judge", "offline")
    assert outcomes(by_words) == {"failed": 1, "passed": 109}, by_words.stdout + by_words.stderr
    assert "With it, one test fails" in README
    assert re.search(r"✗ Freight must be at the shed by 14:00 .* contradicted\n", by_words.stdout)


def test_a_model_takes_the_verdicts_over(own_folder: Path, judge: LoopbackJudge) -> None:
    command = "OPENAI_API_KEY=… pytest example_project --ragassert-model gpt-4o-mini"
    remove = COMMANDS.index(f"rm example_project/{THIS_SEASON}")
    assert COMMANDS[remove + 1] == f"{command} --ragassert-update-verdicts"
    (own_folder / EXAMPLE.name / THIS_SEASON).unlink()
    args = COMMANDS[remove + 1].split()[2:]
    server = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": judge.base_url}
    recorded = run(own_folder, *args, **server)
    # it splits texts and words verdicts otherwise than people do
    new = verdicts_in(own_folder / EXAMPLE.name / THIS_SEASON)
    assert f"verdicts: 0 used, {new} new, 0 unused" in recorded.stdout, recorded.stderr
    asked = judge.count()

    # no key and no server
    told = re.findall(r"^factual_recall +33 .+$", recorded.stdout, re.M)
    replayed = run(own_folder, "example_project", CI="1")
    assert "\njudge gpt-4o-mini\n" in replayed.stdout, replayed.stderr
    assert f"verdicts: {new} used, 0 new, 0 unused" in replayed.stdout
    assert re.findall(r"^factual_recall +33 .+$", replayed.stdout, re.M) == told != []
    assert outcomes(replayed) == outcomes(recorded)
    assert judge.count() == asked


def lines(name: str) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, (EXAMPLE / name).read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("name", [THIS_SEASON, LAST_SEASON])
def test_verdicts_are_by_one_judge_and_as_an_update_writes_them(name: str, tmp_path: Path) -> None:
    committed = open_verdicts(EXAMPLE / name)
    assert committed.judges() == {"hand-checked"}
    assert committed.overrides() == []
    write_verdicts(tmp_path / name, committed.lines())
    assert (tmp_path / name).read_bytes() == (EXAMPLE / name).read_bytes()
    order = [(line["step"], line["judge"], line["key"]) for line in lines(name)]
    assert order == sorted(order)


def test_both_seasons_have_the_same_verdict_on_the_same_question() -> None:
    this, last = ({line["key"]: line for line in lines(n)} for n in (THIS_SEASON, LAST_SEASON))
    shared = this.keys() & last.keys()
    assert shared
    assert all(this[key] == last[key] for key in shared)


def test_the_readme_quotes_a_verdict() -> None:
    shown = json.loads(readme_block("CONTRADICTORY"))
    assert shown in list(lines(LAST_SEASON))


BY_DATA_SET = ("faithfulness", "factual_recall")
# Question, reference and metrics of tests/test_by_hand.py.
BY_HAND = [
    (
        "What does it cost to move a booking to another day?",
        "A booking can be moved once without charge.",
        ("faithfulness", "factual_f1"),
    ),
    (
        "Was kostet die Rückfahrkarte?",
        "Die Rückfahrkarte kostet 13,20 Pfund und gilt fünf Tage.",
        ("factual_f1",),
    ),
]
CITED = ["When must my car check in, and where do late drivers wait?"]


@pytest.mark.parametrize(
    ("name", "folders"), [(THIS_SEASON, ["corpus"]), (LAST_SEASON, ["corpus", "archive"])]
)
def test_every_quote_stands_in_its_passage(
    name: str, folders: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(EXAMPLE)
    notices = import_module("rag.corpus").read_notices(*(EXAMPLE / folder for folder in folders))
    ferry = import_module("rag.application").Ferry(notices)
    cases = map(json.loads, (EXAMPLE / "cases.jsonl").read_text(encoding="utf-8").splitlines())
    asked = [
        (case["question"], case["ground_truth_answer"], BY_DATA_SET)
        for case in cases
        if case["metadata"]["answerable"]
    ]
    settings = Settings(judge="hand-checked", verdicts=EXAMPLE / name, record_mode="none")
    proven = set[tuple[str, str, str]]()
    cited = [(question, "", ("citation_recall",)) for question in CITED]
    for question, reference, metrics in asked + BY_HAND + cited:
        answer, contexts, sources, _, numbered = ferry.ask(question)
        answer = numbered if question in CITED else answer
        for context, source in zip(contexts, sources, strict=True):
            notice = (EXAMPLE / source).read_text(encoding="utf-8")
            assert "".join(context.split()) in "".join(notice.split())
        case = EvalCase(
            question=question,
            answer=answer,
            retrieved_contexts=contexts,
            ground_truth_answer=reference,
        )
        for result in evaluate(case, metrics, settings=settings).values():
            texts = {"answer": [reference], "reference": [answer]}
            for claim in result.claims:
                if claim.label_raw in (Verdict.FULLY_SUPPORTED, Verdict.CONTRADICTORY):
                    assert claim.verdict == claim.label_raw, claim
                    assert claim.gate_reason is None, claim
                    assert claim.quote is not None, claim
                    assert claim.passage is not None, claim
                    held = result.metric in ("faithfulness", "citation_recall")
                    passages = contexts if held else texts[claim.source]
                    assert claim.quote in passages[claim.passage], claim
                    for one in claim.evidence:
                        assert one.verified, claim
                        proven.add((claim.text, claim.verdict.value, one.quote))
    ferry.close()
    said = {
        (line["about"], line["reply"]["verdict"], quote["quote"])
        for line in lines(name)
        if line["step"] == "verify_claims"
        if line["reply"]["verdict"] in ("FULLY_SUPPORTED", "CONTRADICTORY")
        for quote in line["reply"]["evidence"]
    }
    assert proven == said


@pytest.mark.parametrize("file", ["test_by_data_set.py", "test_by_hand.py"])
def test_the_readme_quotes_the_tests(file: str) -> None:
    source = (EXAMPLE / "tests" / file).read_text(encoding="utf-8")
    assert any(block in source for block in re.findall(r"```python\n(.*?)```", README, re.S))


def test_corpus_and_cases_have_the_promised_size() -> None:
    passages = Counter[str]()
    for file in EXAMPLE.glob("corpus/*/*.md"):
        passages[file.parent.name] += file.read_text(encoding="utf-8").strip().count("\n\n")
    assert passages.total() >= 40
    assert all(passages[language] >= 5 for language in ("en", "de", "ru", "zh"))
    lines = (EXAMPLE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line)["metadata"] for line in lines]
    unanswerable = {case["language"] for case in cases if not case["answerable"]}
    assert len(cases) >= 25
    assert unanswerable == {case["language"] for case in cases} == set(passages)


def test_a_model_answers_and_judges(folder: Path, judge: LoopbackJudge) -> None:
    def answered(recorded: Recorded) -> str | None:
        if recorded.step:
            return None  # a judging step
        instructions, question = (message["content"] for message in recorded.body["messages"])
        if "wifi" in question:
            return "I don't know." if "I don't know." in instructions else None
        fact = "The Grey Heron takes 20 bicycles"
        return fact if fact in instructions else "The notices were not sent."

    judge.on(answered)
    server = ["-o", f"ferry_base_url={judge.base_url}", "--ragassert-base-url", judge.base_url]
    models = ["-o", "ferry_answerer=model", "-o", "ferry_model=m-1", "--ragassert-judge", "openai"]
    cases = ["example_project", "-k", "(bicycles and not zh) or (no-wifi and not de)"]
    done = run(folder, *cases, *models, *server, OPENAI_API_KEY=KEY)
    assert outcomes(done) == {"passed": 4}, done.stdout + done.stderr
    asked = [recorded for recorded in judge.requests if not recorded.step]
    assert [recorded.body["model"] for recorded in asked] == ["m-1", "m-1"], "once for each case"
    assert {recorded.headers["authorization"] for recorded in asked} == {f"Bearer {KEY}"}
    assert judge.count("verdicts") > 0


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("ferry_answerer=model", "set OPENAI_API_KEY to"),
        ("ferry_answerer=magic", "'magic'; known are extractive and model"),
        ("ferry_ranking=odd", "'odd'; known are best_first and unsorted"),
        ("ferry_index=next_season", "'next_season'; known are this_season and last_season"),
    ],
)
def test_a_wrong_option_is_a_usage_error(folder: Path, option: str, message: str) -> None:
    done = run(folder, "example_project", "-o", option)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("workers", [(), ("-p", "xdist", "-n", "2")], ids=["serial", "workers"])
def test_a_baseline_shows_what_the_stale_index_made_worse(
    folder: Path, workers: tuple[str, ...]
) -> None:
    """The section of the run with the broken retriever, word for word."""
    file = folder / EXAMPLE.name / "baseline.jsonl"
    options = [
        "--ragassert-judge=offline",
        f"--ragassert-baseline={file}",
        "--ragassert-gate=mean(faithfulness) >= 0.95",
        "--ragassert-gate=drop(factual_recall) <= 0.02",
    ]
    good = run(folder, EXAMPLE.name, *options, "--ragassert-update-baseline", *workers)
    assert f"the baseline {file} was written: 105 lines" in good.stdout, good.stdout
    same = run(folder, EXAMPLE.name, *options, *workers)
    assert same.returncode == 0, same.stdout + same.stderr
    assert "\nnothing changed\n2 gates hold\n" in same.stdout
    broken = run(folder, EXAMPLE.name, *options, "-o", "ferry_index=last_season", *workers)
    file.unlink()
    assert broken.returncode == 1
    section = broken.stdout.partition("= ragassert =")[2].partition("\n")[2]
    expected = Path(__file__).with_name("stale_index.txt").read_text(encoding="utf-8")
    assert section.partition("\n=====")[0] + "\n" == expected
