"""The tables of options: one group for each purpose."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_ragassert import Settings
from pytest_ragassert.config.metric_table import MINIMUMS
from pytest_ragassert.config.option_types import Option
from pytest_ragassert.config.options import (
    DEFAULT_BASE_URL,
    DEFAULT_EMBEDDING_MODEL,
    DEFAULT_FOLDER,
    DEFAULT_VOTE_TEMPERATURE,
    OPTIONS,
)

from .markdown import anchor, code, plain, table

_JUDGES = "../how-to/judges.md"
_STORE = "../concepts/stored-verdicts.md"
_WORSE = "../how-to/regressions.md"
_CI = "../how-to/ci.md"
_PREFETCH = "../concepts/prefetch.md"

# By purpose: the options, each with the page that shows how to use it.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "judge": {
        "judge": _JUDGES,
        "judge-id": _JUDGES,
        "model": _JUDGES,
        "base-url": _JUDGES,
        "extra-body": _JUDGES,
        "header": _JUDGES,
        "stream": _JUDGES,
        "embedder": "metrics.md#answer_relevancy",
        "embedding-model": "metrics.md#semantic_similarity",
        "temperature": "metrics.md#votes",
        "votes": "metrics.md#votes",
        "vote-temperature": "metrics.md#votes",
        "top-p": _JUDGES,
        "seed": "metrics.md#votes",
        "max-tokens": _JUDGES,
        "token-budget": _JUDGES,
    },
    "store and replay": {
        "cache-dir": _STORE,
        "record-mode": _STORE,
        "verdicts": _STORE,
        "update-verdicts": _STORE,
        "reuse": _STORE,
        "refresh": _STORE,
        "on-missing": _CI,
        "store-reasons": _STORE,
        "store-passages": _STORE,
    },
    "cases": {
        "answers": "../how-to/recorded-answers.md",
        "fields": "../how-to/cases.md",
        "sample": _WORSE,
        "sample-by": _WORSE,
    },
    "gates and baseline": {
        "gate": _WORSE,
        "gates": _WORSE,
        "baseline": _WORSE,
        "update-baseline": _WORSE,
        "tolerance": _WORSE,
        "history": _WORSE,
        "date": _WORSE,
        "commit": _WORSE,
    },
    "reports": {
        "html": _CI,
        "markdown": _CI,
        "github": _CI,
        "junit-properties": _CI,
        "artifacts": "files.md#results",
        "prices": _PREFETCH,
    },
    "speed and limits": {
        "concurrency": _PREFETCH,
        "prefetch": _PREFETCH,
        "plan": "../project/speed.md",
        "plan-answers": "../project/speed.md",
        "timeout": _JUDGES,
        "max-calls": _PREFETCH,
        "max-tokens-total": _PREFETCH,
        "requests-per-minute": _PREFETCH,
        "on-judge-error": "outcome.md",
    },
    "metrics": {
        "no-claims": "metrics.md#nothing-to-check",
        "evidence-gate": "metrics.md#quotes",
    },
}

# Defaults that are decided when a run starts, so that `Settings` can't have them.
_DECIDED: Mapping[str, str] = {
    "base-url": f"`OPENAI_BASE_URL`, else `{DEFAULT_BASE_URL}`",
    "embedder": "`none`",
    "embedding-model": f"`{DEFAULT_EMBEDDING_MODEL}`",
    "cache-dir": f"`<rootdir>/{DEFAULT_FOLDER}`",
    "record-mode": "`new_episodes`; `none` if `CI` is set and committed verdicts are configured",
    "vote-temperature": f"`{DEFAULT_VOTE_TEMPERATURE}`, or `temperature` if that is higher",
    "github": "`auto`",
    "junit-properties": "`on`",
    "date": "now",
    "commit": "the commit that the CI service names, else git's `HEAD`",
    "max-calls": "no limit",
    "max-tokens-total": "no limit",
    "requests-per-minute": "no limit",
}
_WITH_DEFAULT = re.compile(r" ?\(default:? [^()]*(?:\([^()]*\))?[^()]*\)")


def parts() -> dict[str, str]:
    by_name = {option.name: option for option in OPTIONS}
    found = {
        purpose: table(
            ("option", "what it does", "values", "default"),
            (_row(by_name[name], guide) for name, guide in guides.items()),
        )
        for purpose, guides in GROUPS.items()
    }
    found["minimums"] = table(
        ("metric", "environment", "ini", "default"),
        (
            (f"[{name}](metrics.md#{name})", code(variable), code(ini), f"{least:g}")
            for name, least in MINIMUMS.items()
            for variable, ini in [(f"RAGASSERT_MIN_{name.upper()}", f"ragassert_min_{name}")]
        ),
    )
    return found


def _row(option: Option, guide: str) -> tuple[str, ...]:
    spellings = "<br>".join([*command_line(option), code(option.variable), code(_ini(option))])
    does = f"{described(option)} [More]({guide})"
    return (anchor(option.name) + spellings, does, _values(option), default_of(option))


def command_line(option: Option) -> list[str]:
    """How the option is written on the command line; nothing where it can't be."""
    flag = f"--ragassert-{option.name}"
    if option.flags:
        return [code(flag + f"={value}" * (value != option.flags[0])) for value in option.flags]
    if not option.command_line:
        return []
    alone = [code(flag)] if option.alone is not None else []
    return [*alone, code(f"{flag}={option.metavar}")]


def _ini(option: Option) -> str:
    return f"ragassert_{option.field}"


def described(option: Option) -> str:
    """The help text as a sentence, without the default, which has its own column."""
    text = _WITH_DEFAULT.sub("", option.help).strip().rstrip(".")
    for choice in _choices(option):
        text = re.sub(rf"(?:^|(?<= ))={{0,1}}{choice}:", f"`{choice}`:", text)
    return plain(f"{text[:1].upper()}{text[1:]}.")


def _choices(option: Option) -> list[str]:
    found = re.fullmatch(r"one of (.*)", option.takes)
    return found[1].split(", ") if found else []


def _values(option: Option) -> str:
    if choices := _choices(option):
        return ", ".join(map(code, choices))
    kinds = {"float": "", "int": "", "linelist": "; in an ini file one a line", "string": ""}
    words = {"DIR": "a folder", "FILE": "a file", "PATH": "a file or folder"}
    if option.takes == "a name":
        return words.get(option.metavar, "a name")
    return plain(option.takes) + kinds[option.ini_type] * ("line" not in option.takes)


def default_of(option: Option) -> str:
    if option.name in _DECIDED:
        return _DECIDED[option.name]
    field = Settings.model_fields.get(option.field)
    value = None if field is None else field.get_default(call_default_factory=True)
    if value is None or value == ():
        return "not set"
    if isinstance(value, tuple):
        return ", ".join(map(code, value))
    return code(f"{value:g}" if isinstance(value, float) else str(value))
