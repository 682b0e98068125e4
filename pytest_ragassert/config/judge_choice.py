"""Decides who judges and in which record mode, where the options leave it open.

Only the standard library: it is asked in every pytest run, used or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from .option_types import Chosen
from .options import BASE_URL_VARIABLE, KEY_VARIABLE

# Options that say that a judge other than the offline one is meant.
CONFIGURES_A_JUDGE = frozenset({"model", "base_url", "judge_id"})
# What to set a key to that nobody asks for.
NO_KEY_WANTED = "to any text, where the endpoint wants no key"
_NO = ("", "0", "false", "no", "off")


class JudgeChoice(NamedTuple):
    """The judge's name with `auto` decided.

    Attributes:
        model, judge_id: where committed verdicts say them; None: as configured.
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
    headers: Iterable[tuple[str, str]] = (),
    baseline: bool = False,
) -> JudgeChoice:
    """Offline only where no judge, no committed verdicts and no baseline are configured, and no key
    is there.

    Args:
        configured: an option says that another judge is meant.
        has_key: the environment or the settings have an API key.
        environ: the variables that decide.
        url: base URL that requests would go to.
        verdicts: committed verdicts; where they are by one judge, `auto` is that one.
        store: the folder of stored verdicts, whether or not it is there.
        headers: names and values that requests have by options.
        baseline: one is configured: a judge good enough for it is meant.

    Raises:
        ValueError: an OpenAI-compatible judge is meant, its key is absent and nothing is stored
            that could answer in its place; or the committed verdicts do not say which judge is
            meant.
    """
    if judge not in ("auto", "openai"):
        return JudgeChoice(judge)
    configured = configured or judge == "openai"
    choice = JudgeChoice("openai")
    if not configured and verdicts is not None:
        choice = _recorded_judge(verdicts, url, record_mode) or choice
    elif not (configured or baseline or has_key or environ.get(BASE_URL_VARIABLE)):
        return JudgeChoice("offline")
    if choice.judge == "openai" and not has_key and not _is_stored(record_mode, store, verdicts):
        from .credentials import needs_key

        if needs_key(url, environ, headers):
            why = _meant_by(configured, choice.model, environ, verdicts)
            raise ValueError(_no_key(why, environ, verdicts))
    return choice


def _is_stored(record_mode: str, store: Path | None, verdicts: Path | None) -> bool:
    """Whether all that is asked could be answered without the judge, as far as is known before."""
    if record_mode in ("all", "off"):
        return False
    from ..storage.store_folder import DATABASE

    kept = store is not None and (store / DATABASE).is_file()
    return record_mode == "none" or kept or (verdicts is not None and verdicts.exists())


def _meant_by(
    configured: bool, recorded: str | None, environ: Mapping[str, str], verdicts: Path | None
) -> str:
    """What made it an OpenAI-compatible judge, for people."""
    if configured:
        return "an OpenAI-compatible judge is configured"
    if recorded is not None:
        return f"the verdicts in {verdicts} are by {recorded}"
    if verdicts is not None:
        what = "committed verdicts are configured"
    elif environ.get(BASE_URL_VARIABLE):
        return (
            f"the variable {BASE_URL_VARIABLE} is set, so that an OpenAI-compatible judge is meant"
        )
    else:
        what = "a baseline is configured"
    return f"{what} and no judge, so that an OpenAI-compatible one is meant"


def _no_key(why: str, environ: Mapping[str, str], verdicts: Path | None) -> str:
    from .other_providers import unused_lines

    ways = f"set it ({NO_KEY_WANTED}), or run with --ragassert-judge offline"
    if verdicts is not None:
        ways += " or, from committed verdicts alone, --ragassert-record-mode=none"
    others = "".join(f". {line}" for line in unused_lines(environ, "offline")[:1])
    return f"{why}, but the variable {KEY_VARIABLE} is not set; {ways}{others}"


def _recorded_judge(path: Path, url: str, record_mode: str) -> JudgeChoice | None:
    """The one judge of the committed verdicts; None where there are none yet."""
    from ..runtime.urls import endpoint_of
    from ..storage.committed.committed_verdicts import open_verdicts

    endpoint = endpoint_of(url)

    names = sorted(open_verdicts(path).judges())
    if not names:
        return None
    if len(names) > 1:
        raise ValueError(
            f"{path} holds verdicts by {len(names)} judges ({', '.join(names)}); say which is "
            "meant: --ragassert-judge NAME, or --ragassert-model MODEL"
        )
    # who configured a judge-id says so again; any other id is a hook's, whatever it looks like
    kind, _, rest = names[0].partition(" ")
    where, gap, model = rest.partition(" ")
    if kind != "openai" or not gap:
        return JudgeChoice(names[0])
    if record_mode != "none" and where != endpoint:
        raise ValueError(
            f"the verdicts in {path} are by {model} at {where}, but requests would go to "
            f"{endpoint}; say who judges (--ragassert-model, --ragassert-base-url, "
            "--ragassert-judge-id), or ask nobody: --ragassert-record-mode=none"
        )
    return JudgeChoice("openai", model, f"{kind} {where}")


def default_record_mode(verdicts: object, update: object, environ: Mapping[str, str]) -> Chosen:
    """The mode where none is given, and why.

    Args:
        verdicts: whatever is configured as committed verdicts; None: nothing.
        update: whether this run writes them.
    """
    if update:
        return Chosen("new_episodes", "update-verdicts")
    if verdicts is not None and is_ci(environ):
        return Chosen("none", "CI is set")
    return Chosen("new_episodes", "default")


def is_ci(environ: Mapping[str, str]) -> bool:
    """Whether a CI service runs this, by the variable that all of them set."""
    return environ.get("CI", "").strip().casefold() not in _NO
