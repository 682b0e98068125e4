"""Embeddings by an OpenAI-compatible endpoint, through the `openai` client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...config.judge_choice import NO_KEY_WANTED
from ...config.options import DEFAULT_EMBEDDING_MODEL, KEY_VARIABLE
from ...config.settings import Settings
from ...errors import ConfigurationError, JudgeError
from ..judges.openai.openai_client import OpenAIClient
from ..judges.openai.reply_limit import MEGABYTE
from .embedder import Embedded, checked

if TYPE_CHECKING:
    from ...storage.committed.committed_verdicts import CommittedVerdicts


class OpenAIEmbedder:
    """An embedder that uses the judge's endpoint, with its key, timeout and retries.

    Args:
        id: the id for committed vectors, instead of model and endpoint.
    """

    local = False

    def __init__(self, settings: Settings, id: str | None = None) -> None:
        self._settings = settings
        self.model = _model(settings)
        # shown to people; what follows the address may be a secret
        endpoint = urlsplit(settings.endpoint)._replace(query="", fragment="").geturl()
        marked = settings.request_marks.get("headers")
        self.id = id or f"{self.model} at {settings.judge_id or endpoint}" + (
            f" with headers {marked}" if marked else ""
        )
        self._client = OpenAIClient(
            settings,
            model_option="--ragassert-embedding-model",
            # 256 vectors of 4,096 numbers take 24 MB as JSON
            largest_reply=64 * MEGABYTE,
        )

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if self._settings.lacks_key:
            raise ConfigurationError(
                f"embedder openai: the variable {KEY_VARIABLE} is not set; set it "
                f"({NO_KEY_WANTED}), or choose a local embedder: --ragassert-embedder wordllama"
            )
        response, usage = await self._client.send(
            lambda client: client.embeddings.create(
                model=self.model, input=list(texts), encoding_format="float"
            ),
            self.model,
        )
        embedded = Embedded(self._vectors(response, len(texts)), usage)
        self._client.has_answered()
        return embedded

    def forget(self) -> None:
        self._client.forget()

    async def close(self) -> None:
        await self._client.close()

    def _vectors(self, response: Any, count: int) -> list[list[float]]:
        data: Any = getattr(response, "data", None)
        if not isinstance(data, list):
            reported = getattr(response, "error", None)
            detail = f": {self._client.as_one_line(str(reported))}" if reported else ""
            raise JudgeError(f"embedder {self.id}: the reply has no data{detail}", kind="malformed")
        places: list[Any] = [getattr(item, "index", None) for item in data]
        if any(place is not None for place in places):
            if not all(type(place) is int for place in places):
                raise JudgeError(f"embedder {self.id}: an index is not a number", kind="malformed")
            if sorted(places) != list(range(count)):
                raise JudgeError(
                    f"embedder {self.id}: {count} texts, {len(set(places))} of their vectors",
                    kind="malformed",
                )
            data = [data[place] for place in sorted(range(count), key=places.__getitem__)]
        return checked([getattr(item, "embedding", None) for item in data], count, self.id)


def recorded_id(settings: Settings, committed: CommittedVerdicts) -> str | None:
    """Return the id under which the model's vectors are committed if they all come from one
    endpoint, whatever its address; otherwise None.
    """
    behind = f" {_model(settings)}"
    ids = [name.removesuffix(behind) for name in committed.embedders() if name.endswith(behind)]
    return ids[0] if len(ids) == 1 else None


def _model(settings: Settings) -> str:
    return settings.embedding_model or DEFAULT_EMBEDDING_MODEL
