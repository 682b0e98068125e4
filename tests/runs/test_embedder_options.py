"""The embedder's options, what they imply, and embedders of a project's own."""

from __future__ import annotations

import pytest

from tests.loopback.server import LoopbackJudge

from .projects import Project, new_project

project = pytest.fixture(new_project)

ONE = """
from ferry import GOOD, case
from pytest_ragassert import evaluate

def test_near():
    one = case("near", GOOD, ground_truth_answer="The ferry runs every hour.")
    result = evaluate(one, ["semantic_similarity"])["semantic_similarity"]
    print("embedder", result.details["embedder"])
"""
TEXTS = ["The ferry runs every 40 minutes.", "The ferry runs every hour."]
HOOK = """
class Lengths:
    id = "lengths-1"

    def embed(self, texts):
        with open("embedded.txt", "a") as file:
            print(*texts, sep="|", file=file)
        return [[len(text), 1] for text in texts]

def pytest_ragassert_make_embedder(config, name):
    return Lengths() if name == config.getini("own") else None

def pytest_addoption(parser):
    parser.addini("own", "its name", default="lengths")
"""


def ini(project: Project, *lines: str) -> None:
    project.pytester.makeini("[pytest]\n" + "\n".join(lines) + "\n")


def models(judge: LoopbackJudge) -> list[str]:
    return [request.body["model"] for request in judge.requests]


def told(result: pytest.RunResult) -> str:
    return "\n".join(line for line in result.outlines if line.startswith("E "))


def test_the_nearest_place_wins(project: Project, judge: LoopbackJudge) -> None:
    project.test(ONE)
    project.judged_by(judge)
    assert "no embedder is configured" in told(project.run())
    ini(project, "ragassert_embedder = openai", "ragassert_record_mode = off")
    project.run().assert_outcomes(passed=1)
    ini(project, "ragassert_embedding_model = from-ini", "ragassert_record_mode = off")
    project.run().assert_outcomes(passed=1)
    project.set(RAGASSERT_EMBEDDING_MODEL="from-environment")
    project.run().assert_outcomes(passed=1)
    project.run("--ragassert-embedding-model=from-command-line").assert_outcomes(passed=1)
    assert models(judge) == [
        "text-embedding-3-small",
        "from-ini",
        "from-environment",
        "from-command-line",
    ]
    # a model implies openai only where no embedder is named
    project.set(RAGASSERT_EMBEDDER="none")
    assert "no embedder is configured" in told(project.run())
    result = project.run("--ragassert-embedder=clever")
    for part in ("unknown embedder 'clever'", "wordllama", "pytest_ragassert_make_embedder"):
        assert part in "\n".join(result.errlines)
    assert judge.count() == 4


def test_names_must_not_be_blank(project: Project) -> None:
    for option in ("embedder", "embedding-model"):
        result = project.run(f"--ragassert-{option}", " ")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert f"--ragassert-{option}: ' ' is not a name" in "\n".join(result.errlines)


def test_a_key_is_needed_only_where_a_text_is_embedded(
    project: Project, judge: LoopbackJudge
) -> None:
    project.test(
        """
        from ferry import case
        from pytest_ragassert import assert_faithful

        def test_times():
            assert_faithful(case("times"))
        """,
        "test_other",
    )
    project.test(ONE)
    args = ("--ragassert-judge=offline", "--ragassert-embedder=openai")
    result = project.run(*args)
    result.assert_outcomes(passed=1, failed=1)
    assert "OPENAI_API_KEY" in told(result)
    project.judged_by(judge)
    project.run(*args).assert_outcomes(passed=2)
    assert [request.data["input"] for request in judge.requests] == [TEXTS]
    project.unset("OPENAI_API_KEY")
    project.run(*args, "--ragassert-record-mode=none").assert_outcomes(passed=2)


@pytest.mark.parametrize("args", [(), ("-n", "2")], ids=["serial", "workers"])
def test_an_embedder_of_the_projects_own(project: Project, args: tuple[str, ...]) -> None:
    project.pytester.makeconftest(HOOK)
    project.test(ONE)
    project.test(ONE.replace("test_near", "test_again"), "test_more")
    use = "--ragassert-embedder=lengths"
    result = project.run(use, *args)
    result.assert_outcomes(passed=2)
    result = project.run(use, "--ragassert-record-mode=none", "-s")
    result.assert_outcomes(passed=2)
    assert "embedder lengths-1" in result.stdout.str()
    # several workers, and yet each text once
    assert (project.path / "embedded.txt").read_text() == "|".join(TEXTS) + "\n"


def test_a_hook_that_makes_no_embedder(project: Project) -> None:
    project.pytester.makeconftest(HOOK.replace("return Lengths() if", "return print if"))
    project.test(ONE)
    result = project.run("--ragassert-embedder=lengths")
    for part in ("ERROR: embedder 'lengths'", "`id: str` and `embed(texts)`"):
        assert part in "\n".join(result.errlines)
