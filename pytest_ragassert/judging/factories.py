"""Creates the judge and the embedder that the settings name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..config.options import EMBEDDERS, JUDGES
from ..config.settings import Settings
from ..errors import ConfigurationError
from ..language.suggestions import nearest
from .calls.user_calls import HookCalls
from .embedders.embedder import CustomEmbedder, Embedder
from .judges.judge import Judge, Lesson, LocalJudge
from .judges.replay_only import recorded_judge

if TYPE_CHECKING:
    from ..storage.committed.committed_verdicts import CommittedVerdicts
    from .judges.openai.request_findings import Findings

# Creates a judge or an embedder by name, or returns None for a name that it does not know.
MakeByName = Callable[[str], Any]


def judge_of(
    settings: Settings,
    make_judge: MakeByName | None,
    committed: CommittedVerdicts | None,
    learned: Callable[[Lesson], None],
    calls: HookCalls,
    findings: Callable[[], Findings],
) -> tuple[Judge, bool]:
    """Return the judge, and whether it answers at once in this process.

    Args:
        learned: called with what an endpoint rejects.
        findings: creates the memory of how requests to an endpoint have to be written.
    """
    name = settings.judge
    if name == "openai":
        from .judges.openai.openai_judge import OpenAIJudge

        return OpenAIJudge(settings, learned, findings()), False
    if name == "offline":
        from .judges.offline.offline_judge import OfflineJudge

        return LocalJudge(OfflineJudge()), True
    made = make_judge(name) if make_judge is not None else None
    if made is None and committed is not None:
        recorded = recorded_judge(name, committed)
        if recorded is not None:
            return recorded, False
    if made is None:
        recorded_names = () if committed is None else sorted(committed.judges())
        raise _unknown("judge", name, JUDGES, recorded_names)
    from .judges.custom import CustomJudge

    return CustomJudge(made, name, calls, settings.timeout), False


def embedder_of(
    settings: Settings,
    make_embedder: MakeByName | None,
    committed: CommittedVerdicts | None,
    calls: HookCalls,
) -> Embedder | None:
    """Return the embedder, or None if none is configured.

    Args:
        settings: as they were configured; the judge of committed verdicts is not an embedder.
    """
    name = settings.embedder_name
    if name == "none":
        return None
    if name == "openai":
        from .embedders.openai_embedder import OpenAIEmbedder, recorded_id

        if committed is not None and settings.record_mode == "none":
            return OpenAIEmbedder(settings, recorded_id(settings, committed))
        return OpenAIEmbedder(settings)
    from .embedders.bundled import local_embedder
    from .embedders.sentence_embedder import sentence_embedder

    local = local_embedder(name) or sentence_embedder(name)
    if local is not None:
        return local
    made = make_embedder(name) if make_embedder is not None else None
    if made is None:
        raise _unknown("embedder", name, EMBEDDERS)
    return CustomEmbedder(made, name, calls, settings.timeout)


def _unknown(
    what: str, name: str, known: Iterable[str], recorded: Iterable[str] = ()
) -> ConfigurationError:
    """Return the error for an unknown name.

    Args:
        what: judge or embedder.
        known: the names that its option accepts in every project.
        recorded: judges of the committed verdicts.
    """
    names = [*known, *recorded]
    # in `sentence-transformers:MODEL`, only the first part can be misspelled
    kinds = {one.removesuffix(":MODEL"): one for one in names}
    near = nearest(name.partition(":")[0] if what == "embedder" else name, kinds)
    hint = f"did you mean {kinds[near]}? " if near else ""
    if what == "judge" and not near:
        hint = f"if it is a model's name, use --ragassert-model {name}; "
    return ConfigurationError(
        f"unknown {what} {name!r}; {hint}--ragassert-{what} takes {', '.join(names)}, or a name "
        f"that a pytest_ragassert_make_{what} hook knows"
    )
