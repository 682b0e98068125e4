"""Hooks that a project or a plugin may implement.

`make_judge`, `make_embedder`, `metrics` and `report` hold for the whole run: plugins implement
them, and the conftest.py files that pytest loads at the start (those of the arguments, of
`testpaths`, and of the folders above). One that it loads while it collects comes too late, which is
a usage error. `answer`, `answer_key` and `result` hold for the tests of the folder whose
conftest.py implements them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..analysis.records.results_file import ResultsFile
    from ..case import EvalCase
    from ..metrics.metric import Metric
    from ..results import MetricResult

HOOK_PREFIX = "pytest_ragassert_"
# What these give is decided when the session starts, before any test is collected.
AT_START = (
    "pytest_ragassert_make_judge",
    "pytest_ragassert_make_embedder",
    "pytest_ragassert_metrics",
    "pytest_ragassert_report",
)


@pytest.hookspec(firstresult=True)
def pytest_ragassert_make_judge(config: pytest.Config, name: str) -> Any | None:
    """The judge called `name` (`--ragassert-judge NAME`), or None where it is another's.

    Called before the first test, so that a name nobody knows ends the run; in each process of
    pytest-xdist that runs tests. A model that takes long to load is better loaded in `run`.

    Return an object with `id: str`, which is part of the keys of stored verdicts, and
    `run(step, input) -> str`, sync or async: `step` has `name`, `version`, `instructions` and
    `schema`, `input` is the user message as a dict, the value is the reply's text. Example::

        class EchoJudge:
            id = "echo-1"

            def run(self, step, input):
                message = json.dumps(input, ensure_ascii=False)
                return my_client.complete(system=step.instructions, user=message)

        def pytest_ragassert_make_judge(config, name):
            return EchoJudge() if name == "echo" else None
    """


@pytest.hookspec(firstresult=True)
def pytest_ragassert_make_embedder(config: pytest.Config, name: str) -> Any | None:
    """The embedder called `name` (`--ragassert-embedder NAME`), or None where it is another's.

    Return an object with `id: str`, which is part of the keys of stored vectors, and
    `embed(texts) -> list of vectors`, sync or async; it gets at most 256 texts at once. Example::

        class Encoder:
            id = "encoder-1"

            def embed(self, texts):
                return my_model.encode(texts)

        def pytest_ragassert_make_embedder(config, name):
            return Encoder() if name == "encoder" else None
    """


@pytest.hookspec(firstresult=True)
def pytest_ragassert_answer(case: EvalCase) -> dict[str, Any] | None:
    """The answer to a case that has none, for the `rag_case` fixture; once per case and run.

    pytest asks the conftest.py files of the test's folder and of those above, the nearest first,
    then plugins, until one has an answer. Each is asked once for a case, in all workers together.

    With `--ragassert-answers=FILE` what it gives is kept in a file, and no case is asked for twice:
    see `pytest_ragassert_answer_key`.

    It may be a coroutine function, which is run for coming cases too while earlier ones are
    asserted, several at a time; a plain function runs when the case's test begins.

    Return `{"answer": …, "retrieved_contexts": […]}`, or None where there is none. Contexts may be
    documents, as in `EvalCase`; `retrieved_context_ids` and `retrieved_context_sources` may be
    there too. `case.history` has the earlier turns of a chat. Example::

        def pytest_ragassert_answer(case):
            contexts = my_rag.retrieve(case.question)
            return {
                "answer": my_rag.generate(case.question, contexts),
                "retrieved_contexts": contexts,
            }
    """


@pytest.hookspec(firstresult=True)
def pytest_ragassert_answer_key(case: EvalCase) -> str | None:
    """What the recorded answer to a case depends on, besides the case: with `--ragassert-answers`.

    An answer in the file is used where the case is the same (in all fields but `results`,
    `minimums`, `label`, and the contexts' ids and sources) and this text is. With another text the
    application is asked again, and its answer takes the old one's place.

    pytest asks the conftest.py files of the test's folder and of those above, the nearest first,
    then plugins. It is a plain function, called in each process that needs the answer, in any
    thread, so it should be quick. Example::

        def pytest_ragassert_answer_key(case):
            return f"{my_rag.VERSION} {my_rag.PROMPT_VERSION} {my_rag.index_date()}"
    """


@pytest.hookspec
def pytest_ragassert_metrics() -> list[Metric]:  # type: ignore[empty-body]
    """Metrics to add; each an instance of `pytest_ragassert.Metric`.

    Their minimums are set as those of the others: `ragassert_min_brevity` in an ini file,
    `RAGASSERT_MIN_BREVITY` in the environment; an ini file holds no name with `=`, `:` or a line
    break. A metric with a prompt of its own asks a `pytest_ragassert.Step`. Example::

    class Brevity(pytest_ragassert.Metric):
        name = "brevity"
        requires = ("answer",)
        default_min = 0.5

        async def measure(self, case, ask, *, words=50):
            return min(1.0, words / len(case.answer.split()))

    def pytest_ragassert_metrics():
        return [Brevity()]
    """


@pytest.hookspec
def pytest_ragassert_result(item: pytest.Item, result: MetricResult) -> None:
    """Sees each result of the folder's tests, in the process that runs the test. Example::

    def pytest_ragassert_result(item, result):
        print(item.nodeid, result.metric, result.score)
    """


@pytest.hookspec
def pytest_ragassert_report(results: ResultsFile, config: pytest.Config) -> None:
    """Writes a report of the project's own, when a run that measured something is over.

    Called once a run, on the process that prints, and by `python -m pytest_ragassert report`.
    `results` is what `--ragassert-artifacts` writes as JSON, with typed fields: `metrics` has the
    figures of each metric, `results` each measurement, `cases` the cases' texts, `conclusion` the
    gates and the baseline. An error that it raises is reported in the summary, and fails no test.
    Example::

        def pytest_ragassert_report(results):
            with open("means.txt", "w") as file:
                for metric, figures in results.metrics.items():
                    print(metric, figures.mean, file=file)
    """
