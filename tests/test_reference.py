"""The pages in docs/reference: their generated parts are as the code has them, and complete."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pydantic
import pytest

import pytest_ragassert
from pytest_ragassert import EvalCase, MetricResult, aio
from pytest_ragassert.config.metric_table import MINIMUMS
from pytest_ragassert.config.option_types import Option, choice
from pytest_ragassert.config.options import OPTIONS
from pytest_ragassert.judgements import GRADES, RUBRIC
from pytest_ragassert.metrics import composite, factual, faithfulness, similarity
from pytest_ragassert.metrics.metric import Ask, Metric
from pytest_ragassert.metrics.registry import OWN

from .brevity import Brevity
from .reference import fields, hooks, metrics, options, outcome
from .reference.commands import commands
from .reference.markdown import code, plain, table
from .reference.pages import FOLDER, PAGES, ROOT, filled, written
from .reference.schemas import MODELS

STALE = "run: python -m tests.reference"
# Schemas that pydantic writes, in words that differ from version to version.
BY_PYDANTIC = {f"{FOLDER}/schemas/{name}.json" for name in MODELS}
PYDANTIC = tuple(map(int, pydantic.VERSION.split(".")[:2]))


def page(name: str) -> str:
    return (ROOT / FOLDER / f"{name}.md").read_text(encoding="utf-8")


def section(name: str, heading: str) -> str:
    """A section of a page, up to the next heading of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", page(name), re.M | re.S)
    assert found is not None, f"{name}.md has no section {heading!r}"
    return found[1]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return written()


def test_every_page_and_schema_is_as_the_code_has_it(texts: dict[str, str]) -> None:
    stale = [
        path
        for path, text in texts.items()
        if (path not in BY_PYDANTIC or PYDANTIC >= (2, 14))
        and (ROOT / path).read_text(encoding="utf-8") != text
    ]
    assert not stale, STALE


def test_no_schema_is_left_over(texts: dict[str, str]) -> None:
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / FOLDER / "schemas").iterdir()}
    assert there == texts.keys() - PAGES.keys(), STALE


def test_a_part_is_written_between_its_comments() -> None:
    before = "# A\n\n<!-- generated: x -->\nold\n<!-- end -->\n\nprose\n"
    after = "# A\n\n<!-- generated: x -->\n\nnew\n\n<!-- end -->\n\nprose\n"
    assert filled(before, {"x": "new\n"}, "a.md") == after
    assert filled(after, {"x": "new\n"}, "a.md") == after


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("<!-- generated: x -->\n<!-- end -->\n", {}),
        ("", {"x": "new\n"}),
        ("<!-- generated: x -->\n<!-- end -->\n" * 2, {"x": "new\n"}),
    ],
    ids=["unknown", "missing", "twice"],
)
def test_a_page_has_each_part_once(text: str, parts: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"^a\.md: each generated part .*\['x'\]$"):
        filled(text, parts, "a.md")


def test_texts_of_the_code_are_no_markup() -> None:
    assert plain("a  <run>\n*x* `<y>`") == r"a &lt;run> \*x\* `<y>`"
    assert table(["a"], [["x|y"]]) == "| a |\n| --- |\n| x\\|y |\n"
    assert code("a`b") == "`` a`b ``"


# -- options ---------------------------------------------------------------------------------------


def test_every_option_has_one_purpose() -> None:
    grouped = [name for guides in options.GROUPS.values() for name in guides]
    assert sorted(grouped) == sorted(option.name for option in OPTIONS)


def test_the_page_names_every_spelling_and_no_other() -> None:
    text = "\n".join(options.parts().values())
    flags = {f"--ragassert-{one.name}" for one in OPTIONS if one.command_line or one.flags}
    assert set(re.findall(r"--ragassert-[a-z-]+[a-z]", text)) == flags
    variables = {one.variable for one in OPTIONS} | {f"RAGASSERT_MIN_{m.upper()}" for m in MINIMUMS}
    assert set(re.findall(r"`(RAGASSERT_[A-Z0-9_]+)`", text)) == variables
    keys = {f"ragassert_{one.field}" for one in OPTIONS} | {f"ragassert_min_{m}" for m in MINIMUMS}
    assert set(re.findall(r"`(ragassert_[a-z0-9_]+)`", text)) == keys


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_pytest_takes_the_spellings(option: Option, pytestconfig: pytest.Config) -> None:
    for shown in options.command_line(option):
        flag = shown.strip("`").partition("=")[0]
        value = None if "=" not in shown else shown.strip("`").partition("=")[2]
        arguments = [shown.strip("`")] if value in (None, *option.flags) else [f"{flag}=x"]
        known = pytestconfig._parser.parse_known_args(arguments)
        assert getattr(known, f"ragassert_{option.field}") not in (None, [])
    assert f"ragassert_{option.field}" in pytestconfig._parser._inidict


@pytest.mark.parametrize(
    ("help", "shown"),
    [
        ("how fast (default 1, or more)", "How fast."),
        ("on (default): stream; off", "`on`: stream."),
        (
            "for a rag_case, in x_<run>.json; =off too",
            "For a `rag_case`, in `x_<run>.json`; `=off` too.",
        ),
        ("on: stream (default); off: do not", "`on`: stream; `off`: do not."),
        ('such as {"a_b": 1}', 'Such as `{"a_b": 1}`.'),
        ("=on: a <b>", "`on`: a &lt;b>."),
    ],
)
def test_a_help_text_becomes_a_sentence(help: str, shown: str) -> None:
    option = Option("x", choice("on", "off"), help, "X")
    assert options.described(option) == shown


def test_a_default_is_that_of_the_code() -> None:
    by_name = {option.name: option for option in OPTIONS}
    assert options.default_of(by_name["concurrency"]) == "`16`"
    assert options.default_of(by_name["model"]) == "`gpt-4o-mini`"
    assert options.default_of(by_name["seed"]) == "not set"
    assert options.default_of(by_name["embedder"]) == "`none`"


# -- metrics and fields ----------------------------------------------------------------------------


class Undescribed(Brevity):
    """The answer is short."""

    async def measure(  # type: ignore[override]  # an option of its own
        self, case: EvalCase, ask: Ask, *, letters: int = 50
    ) -> MetricResult:
        raise NotImplementedError("it is described, and never measured")


def test_a_metric_is_described_by_its_class() -> None:
    parts = metrics.parts([Brevity()])
    assert parts["assertions"].splitlines()[2:] == [
        "| `assert_brief` | The answer is short | [brevity](#brevity) | `answer` | 0.5 |"
    ]
    assert parts["metric brevity"].splitlines() == [
        "- Assertion: `assert_brief(case, *, min=None, words=50)`",
        "- Needs: `answer`",
        "- Default minimum: 0.5",
        "- Asks the judge: nothing",
        "- `words`: how many it may have, at most.",
    ]


def test_an_option_without_a_description_is_an_error() -> None:
    with pytest.raises(LookupError, match=r"^assert_brief: no docstring describes letters$"):
        metrics.own_options(Undescribed())


@pytest.mark.parametrize("metric", OWN, ids=lambda metric: metric.name)
def test_a_metric_has_its_formula_and_the_source(metric: Metric) -> None:
    text = section("metrics", metric.name)
    assert re.search(r"^Score: \S", text, re.M)
    assert re.search(r"^Source: \S", text, re.M)
    assert f"- Needs: {metrics._needs(metric)}" in text


@pytest.mark.parametrize(
    ("metric", "numbers"),
    [
        ("faithfulness", faithfulness.WEIGHTS.values()),
        ("factual_precision", [least for least, _ in factual._BANDS]),
        ("answer_correctness", similarity.WEIGHTS),
        ("factual_accuracy", [*RUBRIC.values(), *(least for least in GRADES.values() if least)]),
        ("ragas_score", composite.WEIGHTS.values()),
    ],
)
def test_a_formula_has_the_numbers_of_the_code(metric: str, numbers: list[float]) -> None:
    text = section("metrics", metric)
    shown = {float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)}
    assert {*map(float, numbers)} <= shown


def test_what_a_metric_asks_is_noted() -> None:
    by_name = {metric.name: metric for metric in OWN}
    assert metrics.steps_asked(by_name["faithfulness"]) == ["extract_claims", "verify_claims"]
    assert metrics.steps_asked(by_name["answer_relevancy"]) == [
        "generate_questions",
        "rate_relevance",
    ]
    for metric in OWN:
        asks = metric.asks_judge
        assert bool(metrics.steps_asked(metric)) is asks, metric.name


def test_the_fields_that_a_metric_reads_are_noted() -> None:
    by_name = {metric.name: metric for metric in OWN}
    assert fields.fields_read(by_name["map"]) == [
        "retrieved_context_ids",
        "ground_truth_context_ids",
    ]
    read = fields.fields_read(by_name["context_precision"])
    assert {"question", "retrieved_contexts", "ground_truth_answer", "ground_truth_contexts"} <= {
        *read
    }
    assert "answer" not in read
    assert "retrieved_context_sources" in fields.fields_read(by_name["citation_recall"])


def test_every_field_of_a_case_is_described() -> None:
    assert [*fields.descriptions()] == [*EvalCase.model_fields]
    for name in EvalCase.model_fields:
        assert section("fields", name).strip().startswith(fields.descriptions()[name])


# -- hooks, commands, names ------------------------------------------------------------------------


def test_every_hook_has_an_example_that_is_run() -> None:
    for name in hooks.hooks():
        text = page("hooks").partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        assert re.search(rf"^(?:async )?def {name}\(", text, re.M), name
        assert "```console\n$ pytest" in text, name


def test_every_command_has_an_example_that_is_run() -> None:
    for one in commands():
        assert one.help, one.name
        text = section("commands", one.name)
        assert re.search(rf"^\$ python -m pytest_ragassert {one.name}\b", text, re.M), one.name


def test_every_value_of_failed_by_is_explained() -> None:
    shown = re.findall(r"^\| `([a-z-]+)` \| (?!what)", outcome.parts()["failed by"], re.M)
    assert sorted(shown) == sorted(outcome.failed_by_values())


def test_the_coroutines_are_those_that_the_page_promises() -> None:
    text = " ".join(page("api").split())
    assert "`pytest_ragassert.aio` has `evaluate` and every assertion" in text
    names = {name for name in pytest_ragassert.__all__ if name.startswith("assert_")}
    for name in names | {"evaluate"}:
        assert inspect.iscoroutinefunction(getattr(aio, name)), name


def test_every_public_name_is_documented_once() -> None:
    named = re.findall(r"^::: pytest_ragassert\.(\S+)$", page("api"), re.M)
    assert sorted(named) == sorted(pytest_ragassert.__all__)


@pytest.mark.parametrize("path", sorted((ROOT / FOLDER).glob("*.md")), ids=lambda path: path.stem)
def test_links_lead_to_files(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
        assert "://" in target or (path.parent / target).exists(), target
