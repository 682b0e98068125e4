"""The judge and the embedder that settings name."""

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

# Makes a judge or an embedder by name, or None where it knows none of that name.
MakeByName = Callable[[str], Any]


def judge_of(
    settings: Settings,
    make_judge: MakeByName | None,
    committed: CommittedVerdicts | None,
    learned: Callable[[Lesson], None],
    calls: HookCalls,
    findings: Callable[[], Findings],
) -> tuple[Judge, bool]:
    """The judge, and whether it answers at once in this process.

    Args:
        learned: called with what an endpoint refuses.
        findings: makes what remembers how requests to an endpoint have to be written.
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
    """The embedder, None where none is configured.

    Args:
        settings: as they were configured: who judges in committed verdicts is no embedder.
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
    """
    Args:
        what: judge or embedder.
        known: what its option takes in every project.
        recorded: judges of the committed verdicts.
    """
    names = [*known, *recorded]
    # of `sentence-transformers:MODEL` only the kind can be misspelt
    kinds = {one.removesuffix(":MODEL"): one for one in names}
    near = nearest(name.partition(":")[0] if what == "embedder" else name, kinds)
    hint = f"did you mean {kinds[near]}? " if near else ""
    return ConfigurationError(
        f"unknown {what} {name!r}; {hint}--ragassert-{what} takes {', '.join(names)}, or a name "
        f"that a pytest_ragassert_make_{what} hook knows"
    )
