"""The interface of all embedders, which turn texts into vectors."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from ...errors import JudgeError
from ...runtime.threads import apart
from ...usage import Usage
from ..calls.user_calls import HookCalls, call_now, checked_id
from ..judges.custom_calls import CustomCalls
from ..judges.judge import Unconnected
from .cosine import different_dimensions

Vector = list[float]
# Texts → their vectors, in whatever form a library returns them.
Encode = Callable[[list[str]], Any]

_MOST_REMEMBERED = 10_000


class Embedded(NamedTuple):
    """The vectors of texts, in order, and what they cost."""

    vectors: list[Vector]
    usage: Usage = Usage()


class Embedder(Protocol):
    """An embedder.

    Attributes:
        id: part of the keys of stored vectors, and of results.
        model: its name for prices; empty if the embedder has only one.
        local: it answers in this process, without a network; its vectors are not stored.
    """

    id: str
    model: str
    local: bool

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of one or more texts, from one request.

        Raises:
            JudgeError: the request failed.
            ConfigurationError: a key or a package is missing.
        """
        ...

    def forget(self) -> None:
        """Drop everything that belongs to the parent process, after a fork."""
        ...

    async def close(self) -> None: ...


class CustomEmbedder(Unconnected):
    """An embedder from a hook: an object with `id` and `embed(texts)`, sync or async."""

    model = ""
    local = False

    def __init__(self, embedder: Any, name: str, calls: HookCalls, seconds: float) -> None:
        self.id = checked_id(embedder, "embedder", name, "embed(texts)")
        self._calls = CustomCalls(calls, f"embedder {self.id}", embedder.embed, seconds)

    async def embed(self, texts: Sequence[str]) -> Embedded:
        vectors, usage = await self._calls.result(list(texts))
        return Embedded(checked(vectors, len(texts), self.id), usage)


class LocalEmbedder(Unconnected):
    """An embedder with a model on this machine, which is loaded with the first text.

    Args:
        load: returns the function that encodes texts.
    """

    model = ""
    local = True

    def __init__(self, name: str, load: Callable[[], Encode]) -> None:
        self.id = name
        self._load = load
        self._encode: Encode | None = None
        self._alone = threading.Lock()
        # several metrics of a case need the same texts
        self._known: dict[str, Vector] = {}

    def embed_now(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors without a loop. The errors are those of `embed`."""
        with self._alone:
            new = [text for text in dict.fromkeys(texts) if text not in self._known]
            made = dict(zip(new, self._encoded(new), strict=True)) if new else {}
            vectors = [made[text] if text in made else self._known[text] for text in texts]
            if len(self._known) + len(made) > _MOST_REMEMBERED:
                self._known.clear()
            self._known.update(made)
        return Embedded(vectors)

    async def embed(self, texts: Sequence[str]) -> Embedded:
        return await apart(call_now, self.embed_now, texts)

    def _encoded(self, texts: list[str]) -> list[Vector]:
        if self._encode is None:
            self._encode = self._load()
        try:
            vectors = self._encode(texts)
        except Exception as error:
            raise JudgeError(f"embedder {self.id}: {type(error).__name__}: {error}") from error
        return checked(vectors, len(texts), self.id)


def checked(vectors: Any, count: int, whose: str) -> list[Vector]:
    """Return the vectors as lists of floats.

    Raises:
        JudgeError: there is not exactly one finite vector for each text.
        ConfigurationError: the vectors have different dimensions.
    """
    try:
        read = [_numbers(vector) for vector in vectors]
    except (TypeError, ValueError, OverflowError):
        raise _malformed(whose, "a vector is not a list of numbers") from None
    if len(read) != count:
        raise _malformed(whose, f"{count} texts, {len(read)} vectors")
    if not all(read):
        raise _malformed(whose, "a vector is empty")
    if len(dimensions := sorted({len(vector) for vector in read})) > 1:
        raise different_dimensions(dimensions[0], dimensions[1], whose)
    if not all(math.isfinite(number) for vector in read for number in vector):
        raise _malformed(whose, "a vector is not finite")
    return read


def _numbers(vector: Any) -> Vector:
    if isinstance(vector, str | bytes):
        raise TypeError("a text is not a vector")
    # numpy and torch convert to builtin numbers themselves, and much faster
    numbers = vector.tolist() if hasattr(vector, "tolist") else list(vector)
    if any(isinstance(number, str | bytes | bool) for number in numbers):
        raise TypeError("a vector must contain only numbers")
    return list(map(float, numbers))


def _malformed(whose: str, what: str) -> JudgeError:
    return JudgeError(f"embedder {whose}: {what}", kind="malformed")
