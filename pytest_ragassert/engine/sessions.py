"""Chooses the session of a call: the run's, or one for its settings and environment."""

from __future__ import annotations

import atexit
from collections.abc import Iterable

from ..config.environment_options import unknown_variables
from ..config.other_providers import unused_lines
from ..config.settings import Settings
from ..errors import ConfigurationError, warn_caller
from ..runtime.canonical_json import digest
from ..runtime.environment import Environment, current_environment
from . import current_run as current
from .jobs import Job
from .session import MAKING, Session

_by_settings: dict[str, Session] = {}
# the environment of the last call without settings, the settings it gave, and their fingerprint;
# replaced as a whole, so that threads can read it at any time
_last: tuple[Environment, Settings, str] | None = None
_OFFLINE = (
    "no judge is configured, so the offline judge is used: it compares words, not meaning; to use "
    "a model, set the variables RAGASSERT_MODEL and OPENAI_API_KEY, or pass "
    "settings=Settings(model=…, api_key=…) to evaluate; the ini file applies in pytest only; "
    "RAGASSERT_JUDGE=offline turns this warning off"
)
_warned_of_offline: list[bool] = []  # filled when the warning was given
_exiting: list[bool] = []  # filled when exit handlers are called


def session_for(settings: Settings | None) -> Session:
    """The session for these settings, or of the run, or for the environment, in this order."""
    running = current.session()
    if settings is None and running is not None:
        return running
    if settings is not None and not isinstance(settings, Settings):
        raise TypeError(f"settings must be a Settings, not {type(settings).__name__}")
    if _exiting:
        raise ConfigurationError("the interpreter is ending: measure before it calls exit handlers")
    # what the settings leave open depends on the environment of each call
    environ = current_environment()
    if settings is None:
        settings, name = _of_environment(environ)
    else:
        settings = settings.within(environ)
        name = _fingerprint(settings, running)
    with MAKING:
        if name not in _by_settings:
            _by_settings[name] = _made(settings, running)
        session = _by_settings[name]
    session.recorder = running.recorder if running is not None else None
    # the limits of a run apply with all settings
    session.asker.limits.outer = running.asker.limits if running is not None else None
    if running is not None:
        session.asker.scheduler.counter = running.asker.scheduler.counter
    return session


def _of_environment(environ: Environment) -> tuple[Settings, str]:
    """The settings that the environment gives outside a run, and their fingerprint.

    They are read again if a variable has changed since the last call.
    """
    global _last
    last = _last
    if last is None or last[0] != environ:
        settings = Settings.from_environment(environ).within(environ)
        last = _last = environ, settings, _fingerprint(settings, None)
    return last[1:]


def _made(settings: Settings, running: Session | None) -> Session:
    made = Session(settings) if running is None else running.beside(settings)
    if running is None:
        _warn_of_variables(settings, made.settings.judge)
        made.lacks_choice = settings.judge == "auto" and made.settings.judge == "offline"
    # a run's summary prints notices; without pytest, they are warnings
    made.on_notice = warn_caller if running is None else running.run.add_notice
    return made


def warn_of_offline(session: Session, jobs: Iterable[Job]) -> None:
    """Warn once per process, outside pytest, that the offline judge decides these jobs because
    nothing chooses a judge."""
    if not session.lacks_choice or _warned_of_offline:
        return
    if any(job.metric.asks_judge for job in jobs):
        _warned_of_offline.append(True)
        warn_caller(_OFFLINE)


def _warn_of_variables(settings: Settings, judge: str) -> None:
    """Warn, as a test run does at its start, about variables that have no effect: unknown options,
    and keys of other providers if the environment was to choose the judge."""
    for line in unknown_variables(settings.environ):
        warn_caller(line)
    if settings.judge == "auto" and judge in ("offline", "openai") and settings.is_default_url:
        for line in unused_lines(settings.environ, judge):
            warn_caller(line)


def _fingerprint(settings: Settings, running: Session | None) -> str:
    """A name that is equal for settings with the same effect in the same run; it hides secrets."""
    options = [settings.model_dump_json(), sorted(settings.model_fields_set)]
    run = None if running is None else str(running.run.path)
    secret = [settings.url, settings.key, settings.extra_body, settings.headers]
    return digest([*options, *secret, settings.environ.deciding(), run])


@atexit.register
def _at_exit() -> None:
    _exiting.append(True)
    _close_all()


def _close_all() -> None:
    global _last
    _last = None
    while _by_settings:
        session = _by_settings.popitem()[1]
        try:
            session.close()
        finally:
            session.run.remove()
