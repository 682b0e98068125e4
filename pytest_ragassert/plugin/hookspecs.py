"""Hooks that a project or a plugin can implement.

`make_judge`, `make_embedder`, `metrics` and `report` apply to the whole run. Implement them in a
plugin, or in a conftest.py that pytest loads at the start (that of an argument, of `testpaths`, or
of a folder above). A conftest.py loaded during collection is too late, which is a usage error.
`answer`, `answer_key` and `result` apply to the tests in the folder of the conftest.py.
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
# These are called when the session starts, before any test is collected.
AT_START = (
    "pytest_ragassert_make_judge",
    "pytest_ragassert_make_embedder",
    "pytest_ragassert_metrics",
    "pytest_ragassert_report",
)


@pytest.hookspec(firstresult=True)
def pytest_ragassert_make_judge(config: pytest.Config, name: str) -> Any | None:
    """Return the judge called `name` (`--ragassert-judge NAME`), or None for other names.

    Called before the first test in each process that runs tests; an unknown name ends the run. If a
    model takes long to load, load it in `run`.

    The judge is an object with `id: str`, which is part of the keys of stored verdicts, and
    `run(step, input) -> str`, sync or async. `step` has `name`, `version`, `instructions` and
    `schema`; `input` is the user message as a dict; the return value is the text of the reply.
    Example::

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
    """Return the embedder called `name` (`--ragassert-embedder NAME`), or None for other names.

    The embedder is an object with `id: str`, which is part of the keys of stored vectors, and
    `embed(texts) -> list of vectors`, sync or async, which gets at most 256 texts at once.
    Example::

        class Encoder:
            id = "encoder-1"

            def embed(self, texts):
                return my_model.encode(texts)

        def pytest_ragassert_make_embedder(config, name):
            return Encoder() if name == "encoder" else None
    """


@pytest.hookspec(firstresult=True)
def pytest_ragassert_answer(case: EvalCase) -> dict[str, Any] | None:
    """Return the application's answer to a case that has none, for the `rag_case` fixture.

    pytest calls the conftest.py files of the test's folder and of the folders above, the nearest
    first, then plugins, until one returns an answer. Each is called once per case and run, across
    all workers.

    With `--ragassert-answers=FILE` the answers are recorded in a file and reused in later runs: see
    `pytest_ragassert_answer_key`.

    A coroutine function also runs for coming cases while earlier ones are asserted, several at a
    time. A plain function runs when the case's test begins.

    Return `{"answer": …, "retrieved_contexts": […]}`, or None if this hook has no answer. Contexts
    may be documents, as in `EvalCase`. `retrieved_context_ids` and `retrieved_context_sources` are
    optional. `case.history` has the earlier turns of a chat. Example::

        def pytest_ragassert_answer(case):
            contexts = my_rag.retrieve(case.question)
            return {
                "answer": my_rag.generate(case.question, contexts),
                "retrieved_contexts": contexts,
            }
    """


@pytest.hookspec(firstresult=True)
def pytest_ragassert_answer_key(case: EvalCase) -> str | None:
    """Return what the recorded answer depends on besides the case, for `--ragassert-answers`.

    A recorded answer is used if the case is the same and this text is the same. The case may differ
    in `results`, `minimums`, `label`, `criteria`, `ground_truth_claims`,
    `ground_truth_context_ids`, and the ids and sources of retrieved contexts. If the text differs,
    the application is asked again and its answer replaces the recorded one.

    pytest calls the conftest.py files of the test's folder and of the folders above, the nearest
    first, then plugins. The hook must be a plain function. It is called in each process that needs
    the answer, in any thread, so it should be quick. Example::

        def pytest_ragassert_answer_key(case):
            return f"{my_rag.VERSION} {my_rag.PROMPT_VERSION} {my_rag.index_date()}"
    """


@pytest.hookspec
def pytest_ragassert_metrics() -> list[Metric]:  # type: ignore[empty-body]
    """Return metrics to add, each an instance of `pytest_ragassert.Metric`.

    Set their minimums like those of other metrics: `ragassert_min_brevity` in an ini file,
    `RAGASSERT_MIN_BREVITY` in the environment. An ini file cannot contain a name with `=`, `:` or a
    line break. A metric with its own prompt asks a `pytest_ragassert.Step`. Example::

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
    """Receive each result of the folder's tests, in the process that runs the test. Example::

    def pytest_ragassert_result(item, result):
        print(item.nodeid, result.metric, result.score)
    """


@pytest.hookspec
def pytest_ragassert_report(results: ResultsFile, config: pytest.Config) -> None:
    """Write the project's own report at the end of a run that measured something.

    Called once per run, on the controller, and by the commands `report` and `join`. `results` has
    the content of the JSON that `--ragassert-artifacts` writes, with typed fields: `metrics` has
    the figures of each metric, `results` each measurement, `cases` the texts of the cases,
    `conclusion` the gates and the baseline. The summary reports an error that this hook raises; no
    test fails because of it. Example::

        def pytest_ragassert_report(results):
            with open("means.txt", "w") as file:
                for metric, figures in results.metrics.items():
                    print(metric, figures.mean, file=file)
    """
