"""Reads promptfoo's tests and results: configurations, JSON Lines, tables, output of evaluations.

Assertions are not run. If they state the right answer, it becomes the reference; their thresholds
become minimums.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

TOOL = "promptfoo"
LINK = "file://"
# Suffixes of files that promptfoo would run.
PROGRAMS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".go")
_CONFIG = {"prompts", "providers", "targets", "defaultTest", "scenarios"}
_TEST = {
    *("description", "vars", "assert", "metadata", "options", "threshold", "provider"),
    *("providers", "prompts", "providerOutput", "assertScoringFunction"),
}
# Special columns of a table; `__metadata:topic` and `__config:…` have a name after the colon.
_COLUMN = re.compile(r"__(expected\d*|description|providerOutput|(metadata|config):.+)$")
_THRESHOLD = re.compile(r"__config:(__expected\d*):threshold$")
QUESTIONS = frozenset({"question", "query", "input", "user_input"})
CONTEXTS = frozenset({"context", "contexts", "retrieved_contexts", "retrieval_context"})
REFERENCES = frozenset(
    {
        *("ground_truth", "ground_truth_answer", "reference", "reference_answer"),
        "expected_output",
    }
)
# Assertions whose value is the right answer, the most precise first.
_REFERRING = ("factuality", "model-graded-factuality", "context-recall", "equals", "similar")
_MINIMUMS = {
    "context-faithfulness": "faithfulness",
    "context-recall": "context_recall",
    "context-relevance": "context_relevance",
    "answer-relevance": "answer_relevancy",
}
# In a cell, `contains: 40` is an assertion, but `Note: closed` is the answer.
_TYPES = "|".join(
    (
        r"i?contains(?:-[a-z]+)?|is-[a-z-]+|equals|starts-with|regex|word-count|webhook|cost|latency",
        r"(?:context|answer|conversation)-[a-z]+|factuality|model-graded-[a-z]+|[a-z]+-rubric|g-eval",
        r"similar(?::[a-z]+)?|bleu|gleu|meteor|rouge-n|levenshtein|perplexity(?:-score)?|classifier",
        r"javascript|python|ruby|fn|eval|grade|moderation|guardrails|pi|finish-reason|tool-call-f1",
    )
)
_IN_A_CELL = re.compile(rf"((?:not-)?(?:{_TYPES}))(?:\((\d+(?:\.\d+)?)\))?(?::(.*))?$", re.DOTALL)
_VARIABLE = re.compile(r"\{\{-?\s*(\w+)\s*-?\}\}")
_TRUE = ("True", "true")
_PLACE = ("testIdx", "promptIdx")
_MOST_TESTS = 10_000  # for one test with lists of values
_DEEPEST = 5  # levels of variables in the texts of variables
_LONGEST = 64 * 2**20  # letters of a text after its variables are replaced


def tests_in(document: Mapping[str, Any]) -> list[Any] | None:
    """The tests of a configuration, or the results of an evaluation; None if it is neither.

    Raises:
        ValueError: the tests are in other files; the message names them.
    """
    results = document.get("results")
    if isinstance(results, Mapping) and isinstance(results.get("results"), list):
        # in the order of the tests, not in the order in which they ended
        return sorted(results["results"], key=_place)
    tests = document.get("tests")
    listed = tests if isinstance(tests, list) else [] if tests is None else [tests]
    elsewhere = [one for one in listed if isinstance(one, str)]
    is_config = document.keys() & _CONFIG or any(one.startswith(LINK) for one in elsewhere)
    if not is_config or not ("tests" in document or "scenarios" in document):
        return None
    default = document.get("defaultTest")
    if isinstance(default, str):
        raise ValueError(f"its defaultTest is in another file, {default!r:.200}; write it here")
    default = default if isinstance(default, Mapping) else {}
    elsewhere += [str(one["path"]) for one in listed if isinstance(one, dict) and "path" in one]
    if elsewhere:
        raise ValueError(
            f"its tests are in other files: {', '.join(map(repr, elsewhere[:10]))}; give such a "
            "file itself"
        )
    listed = [*listed, *_of_scenarios(document.get("scenarios"))]
    return [_merged(default, test) if isinstance(test, Mapping) else test for test in listed]


def is_test(record: Mapping[str, Any], tool: str | None = None) -> bool:
    """Whether a record is a test, a result, or a row of a table of tests.

    Args:
        tool: the tool that wrote the record, if given: then any row of a table may be a test.
    """
    if tool not in (None, TOOL):
        return False
    if isinstance(record.get("vars"), Mapping) or _elsewhere(record) is not None:
        return tool == TOOL or "promptIdx" in record or record.keys() <= _TEST
    return any(map(_COLUMN.match, record)) or (tool == TOOL and "vars" not in record)


def expanded(
    record: Mapping[str, Any], texts_of: Callable[[str], list[str]]
) -> Iterator[dict[str, Any]]:
    """One test for each combination of values in a test's lists, with the texts of linked files.

    Args:
        texts_of: returns the text of each file that a link names.

    Raises:
        ValueError: a file can't be read, or there are too many tests.
    """
    test = _as_test(record)
    options = test.get("options")
    whole = isinstance(options, Mapping) and str(options.get("disableVarExpansion")) in _TRUE
    values: dict[str, list[Any]] = {}
    number = 1
    for name, value in test["vars"].items():
        values[name] = [value]
        if isinstance(value, list) and not whole and value and isinstance(value[0], str):
            values[name] = value
        values[name] = [text for one in values[name] for text in _linked(one, texts_of)]
        number *= len(values[name])
        if number > _MOST_TESTS:
            raise ValueError(f"its lists of values make more than {_MOST_TESTS} tests")
    if isinstance(test.get("assert"), list):
        test["assert"] = [_with_text(check, texts_of) for check in test["assert"]]
    for chosen in itertools.product(*values.values()):
        yield {**test, "vars": dict(zip(values, chosen, strict=True))}


def flattened(record: Mapping[str, Any], named: Collection[str]) -> dict[str, Any]:
    """A test as a record of a case.

    Args:
        named: the variables that the user mapped to fields, which remain columns.
    """
    test = _as_test(record)
    inner = test.get("testCase")
    if isinstance(inner, Mapping):
        test = _as_test({**inner, **test})
    fields: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    variables = {name: _rendered(value, test["vars"]) for name, value in test["vars"].items()}
    for name, value in variables.items():
        if name in named or name in QUESTIONS or name in REFERENCES:
            fields[name] = value
        elif name in CONTEXTS:
            fields["retrieved_contexts"] = value
        elif value is not None:
            kept[name] = value
    if test.get("description"):
        fields["id"] = test["description"]
    answer = _answer(test)
    if answer is not None:
        fields["answer"] = answer
    checks = test["assert"] if isinstance(test.get("assert"), list) else []
    inner = [*checks, *_in_sets(checks)]
    used = _reference(inner, variables) if not fields.keys() & REFERENCES else None
    if used is not None:
        fields["ground_truth_answer"] = used[1]
    minimums = {
        _MINIMUMS[check["type"]]: minimum
        for check in inner
        if check.get("type") in _MINIMUMS
        and (minimum := _minimum(check.get("threshold"))) is not None
    }
    if minimums:
        fields["minimums"] = minimums
    others = [
        one
        for one in checks
        if not (used is not None and one is used[0])
        and (one.get("type") not in _MINIMUMS or one.get("value") is not None)
    ]
    if others:
        kept["assert"] = others
    own = test.get("metadata")
    own = {k: v for k, v in own.items() if k[:1] != "_"} if isinstance(own, Mapping) else {}
    fields["metadata"] = {**kept, **_outcome(test), **own}
    return fields


def _place(result: Any) -> tuple[int, ...]:
    if not isinstance(result, Mapping):
        return (0, 0)
    places = [str(result.get(name)) for name in _PLACE]
    return tuple(int(place) if place.isdecimal() else 0 for place in places)


def _of_scenarios(scenarios: Any) -> Iterator[Any]:
    """Each test of the scenarios, with each of its sets of data; other entries are unchanged."""
    for scenario in scenarios if isinstance(scenarios, list) else ():
        if not isinstance(scenario, Mapping):
            yield scenario
            continue
        for data in _listed(scenario.get("config")):
            for test in _listed(scenario.get("tests")):
                both = isinstance(data, Mapping) and isinstance(test, Mapping)
                yield _merged(data, test) if both else test


def _listed(value: Any) -> list[Any]:
    """A list unchanged; a single value as a list; one empty item for a missing or empty value."""
    return (value if isinstance(value, list) else [value]) if value else [{}]


def _merged(default: Mapping[str, Any], test: Mapping[str, Any]) -> dict[str, Any]:
    """A test with the defaults of all tests."""
    # the YAML reader's dicts know their lines
    merged: dict[str, Any] = copy.copy(test) if isinstance(test, dict) else dict(test)
    merged.update({name: value for name, value in default.items() if name not in test})
    for name in ("vars", "metadata", "options"):
        if not isinstance(test.get(name), Mapping | None):
            continue  # it is in another file
        both = [one[name] for one in (default, test) if isinstance(one.get(name), Mapping)]
        if both:
            merged[name] = {key: value for one in both for key, value in one.items()}
    checks = [one["assert"] for one in (default, test) if isinstance(one.get("assert"), list)]
    if checks:
        merged["assert"] = [*itertools.chain(*checks)]
    merged.setdefault("vars", {})
    return merged


def _as_test(record: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a table as a test; a test with values converted to texts where texts belong."""
    if isinstance(record.get("vars"), Mapping):
        test = dict(record)
        if not isinstance(test.get("description"), str):
            test.pop("description", None)
        if isinstance(test.get("assert"), list):
            checks = [one for one in test["assert"] if isinstance(one, Mapping)]
            test["assert"] = [{**one, "type": str(one.get("type"))} for one in checks]
        return test
    elsewhere = _elsewhere(record)
    if elsewhere is not None:
        raise ValueError(f"its vars are in another file, {elsewhere!r:.200}; write them here")
    test = {"vars": {}}
    by_number: dict[int, dict[str, Any]] = {}
    metadata: dict[str, Any] = {}
    for column, value in record.items():
        if not column.startswith("__"):
            test["vars"][column] = value
        elif value is None:
            continue
        elif column.startswith("__expected"):
            by_number[_number(column)] = _check(str(value))
        elif column.startswith("__metadata:"):
            name = column.partition(":")[2]
            listed = name.endswith("[]")
            metadata[name.removesuffix("[]")] = _parts(value) if listed else value
        elif column in ("__description", "__providerOutput"):
            test[column[2:]] = value
    for column, value in record.items():
        found = _THRESHOLD.match(column)
        if found is not None and _number(found[1]) in by_number and value is not None:
            by_number[_number(found[1])]["threshold"] = value
    return {**test, "assert": [*by_number.values()], "metadata": metadata}


def _elsewhere(record: Mapping[str, Any]) -> str | None:
    """The file of a test's variables; None: they are not in a file."""
    variables = record.get("vars")
    first = variables[0] if isinstance(variables, list) and variables else variables
    return first if isinstance(first, str) and first.startswith(LINK) else None


def _number(column: str) -> int:
    """2 for `__expected2`; the number of `__expected` is 1."""
    return int(column.removeprefix("__expected") or 1)


def _check(cell: str) -> dict[str, Any]:
    """An assertion from a cell: `similar(0.8): text`; without a type, the answer itself."""
    found = _IN_A_CELL.match(cell.strip())
    if found is None:
        return {"type": "equals", "value": cell}
    check: dict[str, Any] = {"type": found[1], "value": (found[3] or "").strip() or None}
    if found[2]:
        check["threshold"] = found[2]
    return check


def _parts(value: Any) -> list[str]:
    parts = re.split(r"(?<!\\),", str(value))
    return [part.replace("\\,", ",").strip() for part in parts if part.strip()]


def _linked(value: Any, texts_of: Callable[[str], list[str]]) -> Iterable[Any]:
    if isinstance(value, str) and value.startswith(LINK):
        return texts_of(value.removeprefix(LINK))
    return [value]


def _with_text(check: Mapping[str, Any], texts_of: Callable[[str], list[str]]) -> Mapping[str, Any]:
    """An assertion, or a set of them, with the right answer read from the file in its link."""
    if isinstance(check.get("assert"), list):
        inner = [_with_text(one, texts_of) for one in check["assert"] if isinstance(one, Mapping)]
        return {**check, "assert": inner}
    value = check.get("value")
    if check.get("type") not in _REFERRING or not isinstance(value, str):
        return check
    path, _, function = value.rpartition(":")
    program = (value if function.startswith("//") else path).lower().endswith(PROGRAMS)
    if program or not value.startswith(LINK):
        return check
    return {**check, "value": "\n".join(_linked(value, texts_of))}


def _in_sets(checks: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The assertions inside of sets of assertions."""
    for check in checks:
        if check.get("type") == "assert-set" and isinstance(check.get("assert"), list):
            yield from (one for one in check["assert"] if isinstance(one, Mapping))


def _rendered(value: Any, variables: Mapping[str, Any]) -> Any:
    """A text with its variables replaced, if they have single values.

    Raises:
        ValueError: the result is too long.
    """
    if isinstance(value, list):
        return [_rendered(one, variables) for one in value]
    if not isinstance(value, str):
        return value
    texts = {
        name: str(one)
        for name, one in variables.items()
        if isinstance(one, str | int | float) and not isinstance(one, bool)
    }
    for _ in range(_DEEPEST):
        named = [name for name in _VARIABLE.findall(value) if name in texts]
        if not named:
            break
        if sum(len(texts[name]) for name in named) > _LONGEST:
            raise ValueError(f"its variables make a text of more than {_LONGEST} letters")
        value = _VARIABLE.sub(lambda found: texts.get(found[1], found[0]), value)
    return value


def _answer(test: Mapping[str, Any]) -> str | None:
    response = test.get("response")
    output = response.get("output") if isinstance(response, Mapping) else None
    output = test.get("providerOutput") if output is None else output
    if output is None or isinstance(output, str):
        return output
    return json.dumps(output, ensure_ascii=False)


def _reference(
    checks: list[Mapping[str, Any]], variables: Mapping[str, Any]
) -> tuple[Mapping[str, Any], str] | None:
    """The assertion that states the right answer, and the answer."""
    for kind in _REFERRING:
        for check in checks:
            value = check.get("value")
            if check.get("type") != kind or not isinstance(value, str):
                continue
            text = _rendered(value, variables)
            # the result of a template is unknown
            if text.strip() and not any(mark in text for mark in ("{{", "{%", LINK)):
                return check, text
    return None


def _minimum(threshold: Any) -> float | None:
    try:
        number = float(threshold)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number <= 1 and not isinstance(threshold, bool) else None


def _outcome(test: Mapping[str, Any]) -> dict[str, Any]:
    """What an evaluation says about a test, in short."""
    provider = test.get("provider") if "promptIdx" in test else None
    if isinstance(provider, Mapping):
        provider = provider.get("label") or provider.get("id")
    names = ("success", "score") if "promptIdx" in test else ()
    found = {"provider": provider, **{name: test.get(name) for name in names}}
    return {name: value for name, value in found.items() if value is not None}
