"""Minimums in ini and environment of metrics that the project adds."""

from __future__ import annotations

import pytest

from .projects import Project, new_project

project = pytest.fixture(new_project)

METRICS = """
from pytest_ragassert import Metric

class Half(Metric):
    requires = ("answer",)
    default_min = 0.5

    def __init__(self, name):
        self.name = name

    async def measure(self, case, ask):
        return 0.5

def pytest_ragassert_metrics():
    return [Half("brevity"), Half("house-style"), Half("Tone")]
"""
MEASURED = """
from ferry import case
from pytest_ragassert import Settings, evaluate

def test_minimums():
    results = evaluate(case("one"), ["brevity", "house-style", "Tone", "faithfulness"])
    print("minimums", *[result.minimum for result in results.values()])

def test_settings():
    results = evaluate(case("one"), ["brevity"], settings=Settings.from_environment())
    print("by settings", results["brevity"].minimum)
"""


@pytest.fixture
def added(project: Project) -> Project:
    """A project with three metrics of its own."""
    project.pytester.makeconftest(METRICS)
    project.test(MEASURED)
    return project


def minimums(project: Project, *args: str) -> list[float]:
    """Of brevity, house-style, Tone and faithfulness."""
    result = project.run("-rP", "-W", "error", *args)
    result.assert_outcomes(passed=2)
    (line,) = (line for line in result.outlines if line.startswith("minimums "))
    return [float(word) for word in line.split()[1:]]


DEFAULT = [0.5, 0.5, 0.5, 0.8]


@pytest.mark.parametrize("strict", ["", "--strict-config"])
def test_an_ini_file_sets_them(added: Project, strict: str) -> None:
    args = [strict] if strict else []
    assert minimums(added, *args) == DEFAULT
    added.pytester.makeini(
        "[pytest]\nragassert_min_brevity = 0.25\nragassert_min_house-style = 1\n"
        "ragassert_min_faithfulness = 0.9\n"
    )
    assert minimums(added, *args) == [0.25, 1, 0.5, 0.9]
    # the command line has its own, and takes the file's back
    assert minimums(added, *args, "-o", "ragassert_min_brevity=.3") == [0.3, 1, 0.5, 0.9]
    assert minimums(added, *args, "-o", "ragassert_min_brevity=") == [0.5, 1, 0.5, 0.9]
    assert minimums(added, *args, "-o", "ragassert_min_Tone=0.1") == [0.25, 1, 0.1, 0.9]
    # a listing knows them too
    listed = added.run(*args, "--co")
    assert (listed.ret, "Unknown config option" in str(listed.stdout)) == (0, False)


def test_a_toml_file_sets_them(added: Project) -> None:
    (added.path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\nragassert_min_brevity = "0.25"\nragassert_min_Tone = 0.75\n'
    )
    assert minimums(added) == [0.25, 0.5, 0.75, 0.8]


@pytest.mark.skipif(pytest.version_tuple < (9, 0), reason="pytest reads it since 9.0")
def test_a_native_toml_file_sets_them(added: Project) -> None:
    (added.path / "pytest.toml").write_text(
        '[pytest]\nragassert_min_brevity = 0.25\n"ragassert_min_house-style" = 1\n'
    )
    assert minimums(added) == [0.25, 1, 0.5, 0.8]


def test_the_environment_goes_first(added: Project) -> None:
    added.pytester.makeini("[pytest]\nragassert_min_brevity = 0.25\nragassert_min_Tone = 0.25\n")
    added.set(RAGASSERT_MIN_BREVITY="0.3", RAGASSERT_MIN_TONE="0.7")
    assert minimums(added) == [0.3, 0.5, 0.7, 0.8]
    result = added.run("-rP")
    assert "by settings 0.3" in result.outlines


def test_workers_have_them(added: Project) -> None:
    added.pytester.makeini("[pytest]\nragassert_min_brevity = 0.25\n")
    assert minimums(added, "-n", "1")[0] == 0.25


@pytest.mark.parametrize(
    ("ini", "environ", "told"),
    [
        (
            "ragassert_min_brevty = .5",
            {},
            "ragassert_min_brevty: there is no metric 'brevty' with a minimum",
        ),
        ("ragassert_min_brevty = .5", {}, "did you mean brevity?"),
        ("ragassert_min_faithfullness = .5", {}, "did you mean faithfulness?"),
        ("ragassert_min_zzz = .5", {}, "metrics with a minimum: faithfulness, factual_f1"),
        ("ragassert_min_brevity = 2", {}, "ragassert_min_brevity: '2.0' is not a number from 0 to"),
        ("ragassert_min_brevity = x", {}, "ragassert_min_brevity takes a number from 0 to 1"),
        (
            "",
            {"RAGASSERT_MIN_BREVTY": ".5"},
            "RAGASSERT_MIN_BREVTY: there is no metric 'brevty' with a min",
        ),
        ("", {"RAGASSERT_MIN_BREVITY": "2"}, "RAGASSERT_MIN_BREVITY: '2' is not a number from 0"),
    ],
)
def test_a_minimum_of_no_metric_is_a_usage_error(
    added: Project, ini: str, environ: dict[str, str], told: str
) -> None:
    added.pytester.makeini(f"[pytest]\n{ini}\n")
    added.set(**environ)
    result = added.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert told in str(result.stderr)
    assert len([line for line in result.errlines if line.startswith("ERROR: ")]) == 1


def test_without_metrics_of_its_own_too(project: Project) -> None:
    project.test("def test_plain(): pass")
    result = project.run("-o", "ragassert_min_faithfullness=0.5")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "did you mean faithfulness?" in str(result.stderr)


def test_an_empty_override_takes_a_number_of_the_file_back(project: Project) -> None:
    project.pytester.makeini("[pytest]\nragassert_temperature = 1\nragassert_votes = 3\n")
    project.test(
        """
        def test_settings(request):
            from pytest_ragassert.plugin.run import RUN

            settings = request.config.stash[RUN].settings()
            assert (settings.temperature, settings.votes) == (0, 1)
        """
    )
    overrides = ("-o", "ragassert_temperature=", "-o", "ragassert_votes=")
    project.run(*overrides).assert_outcomes(passed=1)
