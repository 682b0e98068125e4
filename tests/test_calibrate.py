"""`calibrate`: what it asks a judge over HTTP, and what it prints and writes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert.analysis.records.calibration_file import CalibrationFile
from pytest_ragassert.commands.command_line import main

from .labelled import ferries, write
from .loopback.erring import erring
from .loopback.scripts import Recorded
from .loopback.server import LoopbackJudge

KEY = "sk-labelled"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project's folder; its runs load no other plugins."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTHONUTF8", "1")
    (tmp_path / "pytest.ini").write_text("[pytest]\nragassert_concurrency = 4\n")
    return tmp_path


@pytest.fixture
def model(folder: Path, judge: LoopbackJudge, monkeypatch: pytest.MonkeyPatch) -> LoopbackJudge:
    """The judge that the folder's runs ask."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", judge.base_url)
    return judge


def command(*args: object, python: str) -> list[str]:
    return [python, "-m", "pytest_ragassert", "calibrate", *map(str, args)]


class Calibrate:
    """The command in this process, in a project's folder, and what it printed."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder, self._capsys = folder, capsys

    def __call__(self, *args: object, status: int = 0) -> tuple[str, str]:
        self._capsys.readouterr()
        try:
            ended = main(["calibrate", *map(str, args)])
        except SystemExit as error:  # argparse
            ended = int(error.code or 0)
        out, err = self._capsys.readouterr()
        assert ended == status, out + err
        return out, err

    def figures(self, *args: object, status: int = 0) -> CalibrationFile:
        output = self._folder / "figures.json"
        self(*args, "--output", output, status=status)
        text = output.read_text(encoding="ascii")
        read = CalibrationFile.model_validate_json(text)
        assert read.to_text() == text
        return read


@pytest.fixture
def calibrate(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Calibrate:
    monkeypatch.chdir(folder)
    return Calibrate(folder, capsys)


def test_a_process_of_its_own(folder: Path, forked_python: str) -> None:
    data = write(folder / "claims.jsonl", ferries(12))
    done = subprocess.run(
        command(data, "--judge", "offline", python=forked_python),
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "labelled claims: 12 of claims.jsonl"
    assert lines[2] == "judge offline-3: 12 claims with a verdict"
    assert "contradicted  4          0                 0            0             4" in lines
    named = [line.split("  ")[0] for line in lines if line.endswith(" %") and " to " in line]
    assert named == ["all", "lang de", "lang en", "source made up"]
    assert "12 judgements asked, 0 stored" in lines
    assert not (folder / ".ragassert").exists()


def test_what_is_added_to_requests(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    data = write(folder / "claims.jsonl", ferries(2))
    added = ["--extra-body", '{"thinks": false}', "--header", "X-Route: eu-secret-7"]
    made = calibrate.figures(data, "--judge", "openai", "--model", "m-1", *added)
    for request in model.requests:
        assert request.body["thinks"] is False
        assert request.headers["x-route"] == "eu-secret-7"
    assert {"extra_body", "headers"} < made.judges[0].settings.keys()
    assert "eu-secret-7" not in (folder / "figures.json").read_text(encoding="ascii")
    _, told = calibrate(data, "--judge", "openai", "--extra-body", '{"model": "x"}', status=2)
    assert "--extra-body: 'model' is set by --model; leave it out" in told


def test_a_judge_that_is_always_right(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    data = write(folder / "claims.jsonl", ferries(12))
    (folder / "pytest.ini").write_text("[pytest]\nragassert_prices = m-1 2 8\n")
    made = calibrate.figures(data, "--judge", "openai", "--model", "m-1", "--by", "lang")
    (judge,) = made.judges
    assert (made.schema_version, made.files, judge.judge) == (1, {"claims.jsonl": 12}, "m-1")
    yes = judge.all.supported
    assert (yes.tp, yes.fn, yes.fp, yes.tn) == (4, 0, 0, 8)
    assert (yes.balanced_accuracy, yes.kappa, judge.all.kappa_of_three) == (1, 1, 1)
    assert judge.all.interval is not None
    assert (judge.all.interval.method, judge.all.interval.contexts) == ("wilson", 12)
    assert 0.5 < judge.all.interval.low < 0.8
    assert judge.all.interval.high == 1
    assert judge.all.labels == {"supported": 4, "neutral": 4, "contradicted": 4}
    assert judge.all.verdicts["neutral"] == {"NO_EVIDENCE": 4}
    assert judge.all.decided == pytest.approx(8 / 12)
    assert (judge.all.decided_right, judge.all.decided_verified) == (1, 1)
    assert {name: own.n for name, own in judge.by["lang"].items()} == {"de": 6, "en": 6}
    (cost,) = judge.cost
    assert (cost.model, cost.questions, cost.stored, cost.requests) == ("m-1", 12, 0, 12)
    spent = cost.prompt_tokens * 2 + cost.completion_tokens * 8
    assert cost.cost == pytest.approx(spent / 1e6)
    assert spent > 0
    assert [claim.id for claim in made.claims] == [f"f{number}" for number in range(12)]
    for claim in made.claims:
        (said,) = claim.verdicts
        assert said is not None
        assert said.reason
        assert bool(said.quote) is (said.passage is not None) is (claim.label != "neutral")
        quotes = [(one.quote, one.passage) for one in said.evidence]
        assert quotes == ([(said.quote, said.passage)] if said.quote else [])
        assert all(one.verified and one.span for one in said.evidence)
    assert {recorded.step for recorded in model.requests} == {"verify_claims"}
    sent = [text for r in model.requests for p in r.data["passages"] for text in [p["text"]]]
    assert "" not in sent
    assert KEY not in (folder / "figures.json").read_text(encoding="ascii")

    again = calibrate.figures(data, "--judge", "openai", "--model", "m-1", "--by", "lang")
    assert model.count() == 12
    (cost,) = again.judges[0].cost
    assert (cost.questions, cost.stored, cost.requests, cost.ever_requests) == (0, 12, 0, 12)
    assert cost.cost == 0
    assert cost.ever_cost == pytest.approx(spent / 1e6)
    assert again.judges[0].all == judge.all


def test_equal_claims_are_asked_and_paid_once(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    data = write(folder / "claims.jsonl", [*ferries(6), *ferries(6)])
    (judge,) = calibrate.figures(data, "--judge", "openai").judges
    assert (judge.all.n, judge.cost[0].questions, judge.cost[0].requests) == (12, 6, 6)
    assert model.count() == 6
    assert judge.all.interval is not None
    assert judge.all.interval.contexts == 6


def test_the_gate_raises_the_precision_of_contradicted(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    """A judge that errs on a third of what is not contradicted, mostly with an invented quote."""
    model.on(erring(invented=0.25, irrelevant=0.08, paraphrased=0.1))
    data = write(folder / "claims.jsonl", ferries(150))
    args = (data, "--judge", "openai", "--by", "")
    out, _ = calibrate(*args)
    assert (
        "contradicted, by the judge:             79 said, 50 right, 29 wrong: precision .633" in out
    )
    assert (
        "contradicted, after the evidence check: 57 said, 48 right, 9 wrong: precision .842" in out
    )
    gated = calibrate.figures(*args).judges[0].all
    before, after = gated.contradicted_raw, gated.contradicted
    assert before is not None
    assert after is not None
    assert before.precision == pytest.approx(0.6, abs=0.1)
    assert before.recall == 1
    assert after.precision is not None
    assert after.precision > 0.8
    assert after.recall == pytest.approx(0.9, abs=0.08)
    asked = model.count()
    (folder / "pytest.ini").write_text("[pytest]\nragassert_evidence_gate = off\n")
    ungated = calibrate.figures(*args).judges[0].all
    assert ungated.contradicted == ungated.contradicted_raw == before
    assert model.count() == asked


def test_a_killed_run_goes_on(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate, forked_python: str
) -> None:
    data = write(folder / "claims.jsonl", ferries(60))
    model.latency = 0.05
    args = (data, "--judge", "openai", "--model", "m-1")
    killed = subprocess.Popen(
        command(*args, python=forked_python),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while model.count() < 30 and killed.poll() is None:
        time.sleep(0.01)
    killed.kill()
    told = killed.communicate()
    assert told == (b"", b"")
    assert model.max_in_flight == 4
    before = model.count()
    assert 30 <= before < 60
    model.latency = 0
    (cost,) = calibrate.figures(*args).judges[0].cost
    assert cost.questions + cost.stored == 60
    # asked twice is only what was in flight, or on its way from there to the store
    assert cost.stored >= before - 8
    assert model.count() == before + cost.questions
    assert len({recorded.digest for recorded in model.requests}) == 60


def test_an_interrupted_run_says_that_it_goes_on(folder: Path, model: LoopbackJudge) -> None:
    data = write(folder / "claims.jsonl", ferries(60))
    model.latency = 0.2
    stopped = subprocess.Popen(
        # no signal reaches a process that was forked
        command(data, "--judge", "openai", python=sys.executable),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    while model.count() < 8 and stopped.poll() is None:
        time.sleep(0.01)
    stopped.send_signal(signal.SIGINT)
    told = stopped.communicate(timeout=30)
    assert told == (
        "",
        "interrupted; the answers so far are stored: run the command again to continue\n",
    )
    assert stopped.returncode == 130
    assert model.count() < 60


def test_two_judges_on_the_same_claims(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    wrong = erring(invented=0.5)
    model.on(lambda r: wrong(r) if r.body["model"] == "m-2" else None)
    data = write(folder / "claims.jsonl", ferries(60))
    args = ("--judge", "openai", "--model", "m-1", "--against-model", "m-2", "--by", "lang")
    made = calibrate.figures(data, *args)
    asked = model.count()
    assert [judge.judge for judge in made.judges] == ["m-1", "m-2"]
    compared = made.comparison
    assert compared is not None
    assert compared.difference is not None
    assert compared.interval is not None
    assert 0 < compared.interval.low <= compared.difference <= compared.interval.high < 1
    second = made.judges[1].all.supported
    assert compared.first_right == second.fn > 0
    assert (compared.second_right, compared.neither_right) == (0, 0)
    assert compared.both_right == 60 - second.fn
    assert second.recall is not None
    assert compared.difference == pytest.approx((1 - second.recall) / 2)
    differ = [claim for claim in made.claims if claim.disagree]
    assert len(differ) == second.fn
    assert {claim.label for claim in differ} == {"supported"}
    printed, _ = calibrate(data, *args)
    assert "m-1 against m-2, the same 60 claims" in printed
    assert f"  {differ[0].id}: people say supported; supported, no evidence" in printed
    assert model.count() == asked >= 120  # for a proof it is asked again


def test_a_judge_of_another_kind_against_it(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    (folder / "conftest.py").write_text(
        "import json\n"
        "class Yes:\n"
        "    id = 'yes-1'\n"
        "    def run(self, step, input):\n"
        "        said = {'id': 1, 'verdict': 'supported'}\n"
        "        return json.dumps({'verdicts': [said]})\n"
        "def pytest_ragassert_make_judge(config, name):\n"
        "    return Yes() if name == 'yes' else None\n"
    )
    data = write(folder / "claims.jsonl", ferries(9))
    made = calibrate.figures(data, "--judge", "yes", "--against", "offline")
    assert [judge.judge for judge in made.judges] == ["yes-1", "offline-3"]
    assert made.judges[0].all.supported.specificity == 0
    # `supported` without a quote stands, and is told apart
    assert made.judges[0].all.decided_verified == 0
    assert made.comparison is not None
    assert made.comparison.difference == -0.5
    _, told = calibrate(data, "--judge", "yes", "--against", "yes", status=2)
    assert "both judges are the same" in told
    _, told = calibrate(data, "--judge", "no", status=2)
    assert "unknown judge 'no'" in told
    assert model.requests == []


def test_errors_are_counted_and_told(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    def refusing(recorded: Recorded) -> dict[str, Any] | None:
        text = recorded.data["claims"][0]["text"]
        if "number 3 " in text:
            return {"message": {"role": "assistant", "content": None, "refusal": "I won't."}}
        return {"content": "no JSON"} if "number 4 " in text else None

    model.on(refusing)
    data = write(folder / "claims.jsonl", ferries(12))
    args = (data, "--judge", "openai")
    made = calibrate.figures(*args, status=1)
    (judge,) = made.judges
    assert judge.errors == {"malformed": 1, "refusal": 1}
    assert judge.all.n == 10
    assert [claim.id for claim in made.claims if claim.verdicts == [None]] == ["f3", "f4"]
    printed, _ = calibrate(*args, status=1)
    assert "not measured: 2: 1 malformed, 1 refusal" in printed
    assert "note: labelled_claim of case f3 not measured: " in printed


def test_bad_credentials_end_it_at_once(
    folder: Path,
    model: LoopbackJudge,
    calibrate: Calibrate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model.require_key = "sk-other"
    data = write(folder / "claims.jsonl", ferries(40))
    printed, _ = calibrate(data, "--judge", "openai", "--by", "", status=1)
    assert model.count() == 1
    assert "judge gpt-4o-mini: 0 claims with a verdict" in printed
    assert "not asked" in printed
    assert "note: judging ended there" in printed
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://llm.invalid/v1")
    _, told = calibrate(data, "--judge", "openai", "--cache-dir", "new", status=2)
    assert "OPENAI_API_KEY" in told


def test_replay_asks_nothing(
    folder: Path,
    model: LoopbackJudge,
    calibrate: Calibrate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = write(folder / "claims.jsonl", ferries(9))
    args = (data, "--judge", "openai")
    calibrate(*args, "--limit", "6")
    monkeypatch.setenv("RAGASSERT_RECORD_MODE", "none")
    made = calibrate.figures(*args, status=1)
    assert made.judges[0].errors == {"no stored verdict": 3}
    assert [claim.id for claim in made.claims if claim.verdicts == [None]] == ["f6", "f7", "f8"]
    assert model.count() == 6


def test_a_row_that_does_not_fit_is_refused_before_asking(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    rows = ferries(9)
    rows[3]["label"] = "maybe"
    del rows[7]["claim"]
    good, bad = write(folder / "good.jsonl", ferries(3)), write(folder / "bad.jsonl", rows)
    printed, told = calibrate(good, bad, "--judge", "openai", status=2)
    assert "bad.jsonl: 2 of 9 rows are invalid, so nothing was asked: line 4: label is" in told
    assert "line 8: it has no claim; it has" in told
    assert printed == ""
    assert model.requests == []


def test_reasons_that_are_not_kept_are_not_written(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nragassert_store_reasons = off\n")
    data = write(folder / "claims.jsonl", ferries(3))
    made = calibrate.figures(data, "--judge", "openai")
    said = [one for claim in made.claims for one in claim.verdicts if one is not None]
    assert {one.reason or None for one in said} == {None}
    assert any(one.quote for one in said)


def test_the_output_names_no_model_that_was_not_asked(folder: Path, calibrate: Calibrate) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nragassert_model = m-9\n")
    data = write(folder / "claims.jsonl", ferries(3))
    (judge,) = calibrate.figures(data, "--judge", "offline").judges
    assert (judge.judge, judge.settings) == ("offline-3", {"judge": "offline"})


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (
            ["--model", "m-1"],
            "--model m-1: judge offline-3 takes no model; remove the option, or ask",
        ),
        (["--header", "X-Team: a"], "--header: no effect on judge offline-3, which does not use"),
        (["--extra-body", "{}"], "--extra-body: no effect on judge offline-3, which does not use"),
        (
            ["--extra-body", "{}", "--header", "X-Team: a"],
            "--extra-body and --header: no effect on judge offline-3, which does not use this "
            "package's requests; remove them, or",
        ),
        (
            ["--cache-dir", "new"],
            "--cache-dir new: judge offline-3 is always asked directly; remove the option",
        ),
        (
            ["--against", "yes", "--against-model", "m-2"],
            "--against-model m-2: judge yes-1 takes no model; remove the option, or ask the model "
            "itself: "
            "--against openai",
        ),
        (["--against-model", "m-2"], "--against-model m-2: judge offline-3 takes no model"),
    ],
)
def test_options_without_effect_are_refused(
    folder: Path, calibrate: Calibrate, args: list[str], says: str
) -> None:
    (folder / "conftest.py").write_text(
        "class Yes:\n"
        "    id = 'yes-1'\n"
        "    def run(self, step, input): ...\n"
        "def pytest_ragassert_make_judge(config, name):\n"
        "    return Yes() if name == 'yes' else None\n"
    )
    data = write(folder / "claims.jsonl", ferries(3))
    assert says in calibrate(data, "--judge", "offline", *args, status=2)[1]


def test_a_folder_where_nothing_is_stored_is_refused(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nragassert_record_mode = off\n")
    data = write(folder / "claims.jsonl", ferries(3))
    told = calibrate(data, "--judge", "openai", "--cache-dir", "new", status=2)[1]
    assert "--cache-dir new: record-mode off stores nothing; remove the option" in told
    assert model.count() == 0


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl can't be read: No such file"),
        (["empty.jsonl"], "empty.jsonl has no labelled claims"),
        (["claims.jsonl", "./claims.jsonl"], "is named twice"),
        (["claims.jsonl", "--by", "lang,colour"], "--by: no row has the field 'colour'"),
        (["claims.jsonl", "--limit", "0"], "'0' is not a whole number from 1"),
        (["claims.jsonl", "--output", "no/o.json"], "--output: there is no folder no"),
        (["claims.jsonl", "--output", "."], "--output: . can't be written: Is a directory"),
        (
            ["claims.jsonl", "--output", "claims.jsonl"],
            "claims.jsonl can't be written: it is",
        ),
    ],
)
def test_misuse(folder: Path, calibrate: Calibrate, args: list[str], says: str) -> None:
    (folder / "empty.jsonl").write_text("\n")
    write(folder / "claims.jsonl", ferries(3))
    assert says in calibrate(*args, "--judge", "offline", status=2)[1]


def test_progress_is_shown_on_a_terminal(
    folder: Path, model: LoopbackJudge, forked_python: str
) -> None:
    pty = pytest.importorskip("pty")
    data = write(folder / "claims.jsonl", ferries(9))
    ours, theirs = pty.openpty()
    done = subprocess.run(
        command(data, "--judge", "openai", "--model", "m-1", python=forked_python),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=60,
    )
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert done.returncode == 0
    assert shown.startswith("\rm-1: 1 of 9 claims\rm-1: 2 of 9 claims")
    assert shown.endswith("\rm-1: 9 of 9 claims\r\n")
    assert b"of 9 claims\r" not in done.stdout


def test_no_verdict_is_carried_over_from_other_passages(
    folder: Path, model: LoopbackJudge, calibrate: Calibrate
) -> None:
    rows = ferries(3)
    data = write(folder / "claims.jsonl", rows)
    args = ["--judge", "openai", "--model", "m-1"]
    calibrate(data, *args)
    write(data, [{**row, "context": row["context"][:1]} for row in rows])
    model.reset()
    calibrate(data, *args)
    assert model.count() == 3
