"""Models of sentence-transformers on this machine: in a folder, or in the hub's cache."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ...errors import ConfigurationError
from ...runtime.environment import current_environment, expanded
from .bundled import imported
from .embedder import Encode, LocalEmbedder

KIND = "sentence-transformers"


def sentence_embedder(name: str) -> LocalEmbedder | None:
    """Return the embedder `sentence-transformers:MODEL`, or None for other names."""
    kind, _, model = name.partition(":")
    return LocalEmbedder(name, partial(_load, name, model)) if kind == KIND and model else None


def _load(name: str, model: str) -> Encode:
    package = imported("sentence_transformers", name, KIND)
    folder = Path(expanded(model, current_environment()))
    place = str(folder.resolve()) if folder.exists() else model
    try:
        # never download a model without the user's knowledge
        loaded = package.SentenceTransformer(place, local_files_only=True)
    except Exception as error:
        raise ConfigurationError(
            f"embedder {name}: it can't be loaded from this machine, and tests never download one "
            f"({type(error).__name__}: {str(error).strip()[:200]}); download it "
            f"once: hf download {model}, or give a folder"
        ) from error
    return lambda texts: loaded.encode(texts, show_progress_bar=False)
