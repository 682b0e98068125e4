"""Choose the judge and the record mode if the options leave them open.

Imports only the standard library: every pytest run loads it, even if it measures nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from .option_types import Chosen
from .options import BASE_URL_VARIABLE, KEY_VARIABLE

# Options that select a judge other than the offline one.
CONFIGURES_A_JUDGE = frozenset({"model", "base_url", "judge_id"})
# What to set the key to if the endpoint does not check it.
NO_KEY_WANTED = "to any text if the endpoint needs no key"
# Another way, at the end of a message; commands that need a model omit it.
OR_OFFLINE = ", or run with --ragassert-judge offline"
_NO = ("", "0", "false", "no", "off")


class JudgeChoice(NamedTuple):
    """The judge's name with `auto` resolved.

    Attributes:
        model, judge_id: as in the committed verdicts; None: as configured.
    """

    judge: str
    model: str | None = None
    judge_id: str | None = None


def chosen_judge(
    judge: str,
    *,
    configured: bool,
    has_key: bool,
    environ: Mapping[str, str],
    record_mode: str,
    url: str,
    verdicts: Path | None,
    store: Path | None = None,
    shares: bool = False,
    headers: Iterable[tuple[str, str]] = (),
    baseline: bool = False,
) -> JudgeChoice:
    """Resolve `auto`: offline only if no judge, committed verdicts, baseline or key is configured.

    Args:
        configured: whether an option selects another judge.
        has_key: whether the environment or the settings have an API key.
        environ: the environment variables.
        url: the base URL that requests would go to.
        verdicts: the committed verdicts; if they come from one judge, `auto` selects it.
        store: the folder of stored verdicts, which need not exist.
        shares: whether a store that machines share is configured, too.
        headers: names and values of the headers that options add to requests.
        baseline: whether one is configured, which implies a judge other than the offline one.

    Raises:
        ValueError: an OpenAI-compatible judge is configured, its key is missing and no stored
            answer could replace it; or the committed verdicts come from several judges.
    """
    if judge not in ("auto", "openai"):
        return JudgeChoice(judge)
    configured = configured or judge == "openai"
    choice = JudgeChoice("openai")
    if not configured and verdicts is not None:
        choice = _recorded_judge(verdicts, url, record_mode) or choice
    elif not (configured or baseline or has_key or environ.get(BASE_URL_VARIABLE)):
        return JudgeChoice("offline")
    if choice.judge == "openai" and not (
        has_key or _is_stored(record_mode, store, verdicts, shares=shares)
    ):
        from .credentials import needs_key

        if needs_key(url, environ, headers):
            why = _meant_by(configured, choice.model, environ, verdicts)
            raise ValueError(_no_key(why, environ, verdicts))
    return choice


def _is_stored(
    record_mode: str, store: Path | None, verdicts: Path | None, *, shares: bool
) -> bool:
    """Whether stored answers might suffice, so that the judge is not needed."""
    if record_mode in ("all", "off"):
        return False
    from ..storage.store_folder import DATABASE

    kept = shares or (store is not None and (store / DATABASE).is_file())
    return record_mode == "none" or kept or (verdicts is not None and verdicts.exists())


def _meant_by(
    configured: bool, recorded: str | None, environ: Mapping[str, str], verdicts: Path | None
) -> str:
    """Why an OpenAI-compatible judge was chosen, as a clause."""
    if configured:
        return "an OpenAI-compatible judge is configured"
    if recorded is not None:
        return f"the verdicts in {verdicts} are by {recorded}"
    if verdicts is not None:
        what = "committed verdicts are configured"
    elif environ.get(BASE_URL_VARIABLE):
        return f"the variable {BASE_URL_VARIABLE} is set, which selects an OpenAI-compatible judge"
    else:
        what = "a baseline is configured"
    return f"{what} without a judge, which selects an OpenAI-compatible one"


def _no_key(why: str, environ: Mapping[str, str], verdicts: Path | None) -> str:
    from .other_providers import unused_lines

    ways = f"set it ({NO_KEY_WANTED}){OR_OFFLINE}"
    if verdicts is not None:
        ways += " or, to use committed verdicts only, with --ragassert-record-mode=none"
    others = "".join(f". {line}" for line in unused_lines(environ, "offline")[:1])
    return f"{why}, but the variable {KEY_VARIABLE} is not set; {ways}{others}"


def _recorded_judge(path: Path, url: str, record_mode: str) -> JudgeChoice | None:
    """The one judge of the committed verdicts; None if there are none yet."""
    from ..runtime.urls import endpoint_of
    from ..storage.committed.committed_verdicts import open_verdicts

    endpoint = endpoint_of(url)

    names = sorted(open_verdicts(path).judges())
    if not names:
        return None
    if len(names) > 1:
        raise ValueError(
            f"{path} has verdicts by {len(names)} judges ({', '.join(names)}); choose one: "
            "--ragassert-judge NAME, or --ragassert-model MODEL"
        )
    # a configured judge-id must be configured again; any other id comes from a hook
    kind, _, rest = names[0].partition(" ")
    where, gap, model = rest.partition(" ")
    if kind != "openai" or not gap:
        return JudgeChoice(names[0])
    if record_mode != "none" and where != endpoint:
        raise ValueError(
            f"the verdicts in {path} are by {model} at {where}, but requests would go to "
            f"{endpoint}; choose the judge (--ragassert-model, --ragassert-base-url, "
            "--ragassert-judge-id), or replay only: --ragassert-record-mode=none"
        )
    return JudgeChoice("openai", model, f"{kind} {where}")


def default_record_mode(verdicts: object, update: object, environ: Mapping[str, str]) -> Chosen:
    """The default record mode, and the reason for it.

    Args:
        verdicts: the configured committed verdicts; None: not configured.
        update: whether this run updates them.
    """
    if update:
        return Chosen("new_episodes", "update-verdicts")
    if verdicts is not None and is_ci(environ):
        return Chosen("none", "CI is set")
    return Chosen("new_episodes", "default")


def is_ci(environ: Mapping[str, str]) -> bool:
    """Whether this runs in CI: whether `CI` is set, as all services do."""
    return environ.get("CI", "").strip().casefold() not in _NO
