"""The options, in a group for each purpose."""

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

from .markdown import code, plain, table

# The pages that show how to use an option, by the words of the links to them.
_PAGES: Mapping[str, str] = {
    "Choose a judge": "../how-to/judges.md",
    "Several votes, several models": "../how-to/several-judges.md",
    "Change the requests to a judge": "../how-to/requests.md",
    "Choose an embedder": "../how-to/embedders.md",
    "Outages and limits": "../how-to/outages.md",
    "Stored verdicts": "../concepts/stored-verdicts.md",
    "Commit verdicts and replay them": "../how-to/replay.md",
    "Recorded answers": "../how-to/recorded-answers.md",
    "Cases from what you have": "../how-to/cases.md",
    "Quality gates": "../how-to/gates.md",
    "Compare with a baseline": "../how-to/baseline.md",
    "Plans, samples and budgets": "../how-to/samples-and-budgets.md",
    "Reports": "../how-to/reports.md",
    "Scores in JUnit": "../how-to/junit.md",
    "GitHub Actions": "../how-to/github-actions.md",
    "Prefetching": "../concepts/prefetch.md",
    "Nothing to check": "metrics.md#nothing-to-check",
    "Quotes": "metrics.md#quotes",
}

# By purpose: the options, each with the page that shows how to use it.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "judges and models": {
        "judge": "Choose a judge",
        "judge-id": "Choose a judge",
        "model": "Several votes, several models",
        "base-url": "Choose a judge",
        "extra-body": "Change the requests to a judge",
        "header": "Change the requests to a judge",
        "stream": "Change the requests to a judge",
        "temperature": "Several votes, several models",
        "votes": "Several votes, several models",
        "vote-temperature": "Several votes, several models",
        "top-p": "Change the requests to a judge",
        "seed": "Several votes, several models",
        "max-tokens": "Change the requests to a judge",
        "token-budget": "Change the requests to a judge",
        "embedder": "Choose an embedder",
        "embedding-model": "Choose an embedder",
    },
    "store and replay": {
        "verdicts": "Commit verdicts and replay them",
        "update-verdicts": "Commit verdicts and replay them",
        "record-mode": "Commit verdicts and replay them",
        "on-missing": "Commit verdicts and replay them",
        "reuse": "Stored verdicts",
        "refresh": "Stored verdicts",
        "cache-dir": "Stored verdicts",
        "store-reasons": "Stored verdicts",
        "store-passages": "Stored verdicts",
    },
    "cases": {
        "fields": "Cases from what you have",
        "answers": "Recorded answers",
        "sample": "Plans, samples and budgets",
        "sample-by": "Plans, samples and budgets",
    },
    "gates and baseline": {
        "gate": "Quality gates",
        "gates": "Quality gates",
        "baseline": "Compare with a baseline",
        "update-baseline": "Compare with a baseline",
        "tolerance": "Compare with a baseline",
        "history": "Reports",
        "date": "Reports",
        "commit": "Reports",
    },
    "reports": {
        "html": "Reports",
        "markdown": "Reports",
        "github": "GitHub Actions",
        "junit-properties": "Scores in JUnit",
        "artifacts": "Reports",
        "prices": "Plans, samples and budgets",
    },
    "speed and limits": {
        "concurrency": "Prefetching",
        "prefetch": "Prefetching",
        "plan": "Plans, samples and budgets",
        "plan-answers": "Plans, samples and budgets",
        "timeout": "Outages and limits",
        "max-calls": "Plans, samples and budgets",
        "max-tokens-total": "Plans, samples and budgets",
        "requests-per-minute": "Plans, samples and budgets",
        "on-judge-error": "Outages and limits",
    },
    "scores": {
        "no-claims": "Nothing to check",
        "evidence-gate": "Quotes",
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
_WITH_DEFAULT = re.compile(r" ?\(default(?::? [^()]*(?:\([^()]*\))?[^()]*)?\)")


def parts() -> dict[str, str]:
    by_name = {option.name: option for option in OPTIONS}
    found = {
        purpose: "\n".join(_section(by_name[name], guide) for name, guide in guides.items())
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


def _section(option: Option, guide: str) -> str:
    spellings = [*command_line(option), code(option.variable)]
    places = f"{', '.join(spellings)}, ini {code(f'ragassert_{option.field}')}"
    nowhere = "; not on the command line" * (not command_line(option))
    return (
        f"### {option.name}\n\n{described(option)} See [{guide}]({_PAGES[guide]}).\n\n"
        f"- {places}{nowhere}\n"
        f"- Values: {_values(option)}. Default: {default_of(option)}.\n"
    )


def command_line(option: Option) -> list[str]:
    """How the option is written on the command line; nothing where it can't be."""
    flag = f"--ragassert-{option.name}"
    if option.flags:
        return [code(flag + f"={value}" * (value != option.flags[0])) for value in option.flags]
    if not option.command_line:
        return []
    alone = [code(flag)] if option.alone is not None else []
    return [*alone, code(f"{flag}={_metavar(option)}")]


def _metavar(option: Option) -> str:
    # the choices are among the values
    return "VALUE" if "|" in option.metavar else option.metavar


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
