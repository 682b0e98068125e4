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
    "Judges": "../how-to/judges.md",
    "A judge of your own": "../how-to/custom-judge.md",
    "Several judges": "../how-to/several-judges.md",
    "Requests": "../how-to/requests.md",
    "Embedders": "../how-to/embedders.md",
    "Outages": "../how-to/outages.md",
    "Votes": "metrics.md#votes",
    "Stored verdicts": "../concepts/stored-verdicts.md",
    "Shared store": "../how-to/shared-store.md",
    "Carried-over verdicts": "../concepts/carry-over.md",
    "Replay": "../how-to/replay.md",
    "GitHub Actions": "../how-to/github-actions.md",
    "Recorded answers": "../how-to/recorded-answers.md",
    "Cases": "../how-to/cases.md",
    "Samples": "../how-to/samples-and-budgets.md#run-a-sample",
    "Plans": "../how-to/samples-and-budgets.md#plan-a-run",
    "Budgets": "../how-to/samples-and-budgets.md#set-a-budget",
    "Gates": "../how-to/gates.md",
    "Shards": "../how-to/shards.md",
    "Baseline": "../how-to/baseline.md",
    "History": "../how-to/reports.md#history",
    "Reports": "../how-to/reports.md",
    "JUnit": "../how-to/junit.md",
    "The results file": "files.md#results",
    "Prefetching": "../concepts/prefetch.md",
    "Outcome": "outcome.md",
    "Nothing to check": "metrics.md#nothing-to-check",
    "Quotes": "metrics.md#quotes",
}

# By purpose: the options, each with the page that shows how to use it.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "judges and models": {
        "judge": "Judges",
        "judge-id": "Judges",
        "model": "Several judges",
        "base-url": "Judges",
        "extra-body": "Requests",
        "header": "Requests",
        "stream": "Requests",
        "temperature": "Votes",
        "votes": "Votes",
        "vote-temperature": "Votes",
        "top-p": "Requests",
        "seed": "Votes",
        "max-tokens": "Requests",
        "token-budget": "Requests",
        "embedder": "Embedders",
        "embedding-model": "Embedders",
    },
    "store and replay": {
        "verdicts": "Replay",
        "update-verdicts": "Replay",
        "record-mode": "Replay",
        "on-missing": "Replay",
        "reuse": "Carried-over verdicts",
        "refresh": "Stored verdicts",
        "cache-dir": "Stored verdicts",
        "store": "Shared store",
        "store-namespace": "Shared store",
        "store-reasons": "Stored verdicts",
        "store-passages": "Stored verdicts",
    },
    "cases": {
        "fields": "Cases",
        "answers": "Recorded answers",
        "sample": "Samples",
        "sample-by": "Samples",
    },
    "gates and baseline": {
        "gate": "Gates",
        "gates": "Gates",
        "shard": "Shards",
        "baseline": "Baseline",
        "update-baseline": "Baseline",
        "tolerance": "Baseline",
        "history": "History",
        "date": "History",
        "commit": "History",
    },
    "reports": {
        "html": "Reports",
        "markdown": "Reports",
        "github": "GitHub Actions",
        "junit-properties": "JUnit",
        "artifacts": "The results file",
        "prices": "Plans",
    },
    "speed and limits": {
        "concurrency": "Prefetching",
        "prefetch": "Prefetching",
        "plan": "Plans",
        "plan-answers": "Plans",
        "timeout": "Outages",
        "max-calls": "Budgets",
        "max-tokens-total": "Budgets",
        "requests-per-minute": "Outages",
        "on-judge-error": "Outages",
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
    "shard": "`--group` and `--splits` of pytest-split, if the run has them",
    "github": "`auto`",
    "junit-properties": "`on`",
    "date": "now",
    "commit": "the commit that the CI service names, or else git's `HEAD`",
    "max-calls": "no limit",
    "max-tokens-total": "no limit",
    "requests-per-minute": "no limit",
}
# Code, and names that are code.
_NAME = re.compile(r"(`[^`]*`)|(\{[^{}]*\}|(?<!\w)\w+(?:_[\w<>]+)+(?:\.json)?|=\w+)")
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
        # the other choice, of which there is nothing to say
        text = text.removesuffix(f"; {choice}")
    text = _NAME.sub(lambda found: found[1] or f"`{found[2]}`", text)
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
