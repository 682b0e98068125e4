"""Sources and ids of contexts, from the documents of LangChain, LlamaIndex and Haystack."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, load_cases
from pytest_ragassert.analysis.records.result_record import CaseTexts
from pytest_ragassert.plugin.recorded_answers import input_hash


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class Node:
    """LlamaIndex' TextNode: its text with metadata is what `get_content` gives to a model."""

    text: str
    metadata: dict[str, Any]
    node_id: str

    def get_content(self) -> str:
        return self.text


@dataclass
class NodeWithScore:
    node: Node
    score: float

    @property
    def node_id(self) -> str:
        return self.node.node_id

    @property
    def metadata(self) -> dict[str, Any]:
        return self.node.metadata

    @property
    def text(self) -> str:
        raise ValueError("Must be a TextNode to get text.")

    def get_content(self) -> str:
        return self.node.get_content()


@dataclass
class HaystackDocument:
    id: str
    content: str | None
    meta: dict[str, Any]


def _langchain() -> Any:
    return LangChainDocument("Dogs pay.", {"source": "guide.md", "page": 3}, "a1")


def _llama_index() -> Any:
    return NodeWithScore(Node("Dogs pay.", {"file_name": "b.md", "file_path": "/x/b.md"}, "n1"), 1)


def _haystack() -> Any:
    return HaystackDocument("h1", "Dogs pay.", {"file_path": "c.txt", "split_id": 0})


def _real_langchain() -> Any:
    documents = pytest.importorskip("langchain_core.documents")
    return documents.Document("Dogs pay.", metadata={"source": "guide.md"}, id="a1")


def _real_llama_index() -> Any:
    schema = pytest.importorskip("llama_index.core.schema")
    metadata = {"file_name": "b.md", "file_path": "/x/b.md"}
    node = schema.TextNode(text="Dogs pay.", metadata=metadata, id_="n1")
    return schema.NodeWithScore(node=node, score=0.5)


def _real_haystack() -> Any:
    haystack = pytest.importorskip("haystack")
    return haystack.Document(id="h1", content="Dogs pay.", meta={"file_path": "c.txt"})


DOCUMENTS: list[tuple[Callable[[], Any], str, str]] = [
    (_langchain, "guide.md", "a1"),
    (_llama_index, "b.md", "n1"),
    (lambda: _llama_index().node, "b.md", "n1"),
    (_haystack, "c.txt", "h1"),
    (_real_langchain, "guide.md", "a1"),
    (_real_llama_index, "b.md", "n1"),
    (lambda: _real_llama_index().node, "b.md", "n1"),
    (_real_haystack, "c.txt", "h1"),
    (lambda: _real_langchain().model_dump(), "guide.md", "a1"),
    (lambda: _real_llama_index().to_dict(), "b.md", "n1"),
    (lambda: _real_haystack().to_dict(flatten=False), "c.txt", "h1"),
    (lambda: {"text": "Dogs pay.", "source": "d.md", "id": 7}, "d.md", "7"),
    (lambda: {"content": "Dogs pay.", "metadata": {"url": "https://e.org/f"}, "id_": "u"},
     "https://e.org/f", "u"),
    (lambda: {"node": {"text": "Dogs pay.", "metadata": {"file_name": "b.md"}, "id_": "n"}},
     "b.md", "n"),
    (lambda: LangChainDocument("Dogs pay.", {"source": Path("docs/guide.md")}, "p"),
     "docs/guide.md", "p"),
    (lambda: LangChainDocument("Dogs pay.", {"source": "d.md", "id": 12, "doc_id": "d"}),
     "d.md", "12"),
    (lambda: LangChainDocument("Dogs pay.", {"source": "d.md", "id": "other"}, "own"),
     "d.md", "own"),
    (lambda: {"text": "Dogs pay.", "source": "d.md", "metadata": {"id": "", "chunk_id": "d-3"}},
     "d.md", "d-3"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "source", "id"), DOCUMENTS)
def test_a_document_brings_its_source_and_id(
    document: Callable[[], Any], source: str, id: str
) -> None:
    case = EvalCase(retrieved_contexts=[document(), "plain", None])
    assert case.retrieved_contexts == ["Dogs pay.", "plain", None]
    assert case.retrieved_context_sources == [source, None, None]
    assert case.retrieved_context_ids == [id, None, None]
    other = EvalCase(contexts=("of another",))
    other.contexts = (None, document())
    assert other.retrieved_contexts == [None, "Dogs pay."]
    assert other.retrieved_context_sources == [None, source]
    assert other.retrieved_context_ids == [None, id]


@pytest.mark.parametrize(
    "document",
    [
        "Dogs pay.",
        LangChainDocument("Dogs pay."),
        LangChainDocument("Dogs pay.", {"source": "  ", "file_name": 7}, ""),
        {"text": "Dogs pay.", "metadata": "a text", "id": True},
    ],
)
def test_what_has_no_name_brings_none(document: Any) -> None:
    case = EvalCase(retrieved_contexts=[document])
    assert case.retrieved_contexts == ["Dogs pay."]
    assert case.retrieved_context_sources is None
    assert case.retrieved_context_ids is None


def test_a_broken_property_costs_the_names_alone() -> None:
    class Broken:
        page_content = "Dogs pay."
        id = "1"

        @property
        def metadata(self) -> Any:
            raise RuntimeError("not loaded")

    case = EvalCase(retrieved_contexts=[Broken()])
    assert case.retrieved_contexts == ["Dogs pay."]
    assert (case.retrieved_context_sources, case.retrieved_context_ids) == (None, ["1"])


def test_names_that_are_given_take_precedence() -> None:
    case = EvalCase(
        retrieved_contexts=[_langchain(), _llama_index()],
        retrieved_context_sources=["mine.md", None],
        retrieved_context_ids=[12, "n"],
    )
    assert case.retrieved_context_sources == ["mine.md", None]
    assert case.retrieved_context_ids == ["12", "n"]
    again = EvalCase(**case.model_dump())
    assert again == case == copy.deepcopy(case)


def test_ids_alone_are_legal_and_of_any_number() -> None:
    assert EvalCase(retrieved_context_ids=["a", 2, None]).retrieved_context_ids == ["a", "2", None]
    ranked = EvalCase(retrieved_context_ids=["a", "b", "c"], retrieved_contexts=["one"])
    assert ranked.retrieved_context_ids == ["a", "b", "c"]
    # they name no context, and stay
    ranked.retrieved_contexts = ["one", "two"]
    assert ranked.retrieved_context_ids == ["a", "b", "c"]


@pytest.mark.parametrize("ids", [[1.5], [True], "a", [["a"]]])
def test_what_is_no_list_of_ids_is_an_error(ids: Any) -> None:
    with pytest.raises(ValueError, match=r"case 'c1': field retrieved_context_ids.* it takes a"):
        EvalCase(id="c1", retrieved_context_ids=ids)


def test_a_source_for_each_context() -> None:
    wrong = "case 'c1': field retrieved_context_sources: it has 1 sources for 2 contexts"
    with pytest.raises(ValueError, match=wrong):
        EvalCase(id="c1", retrieved_contexts=["a", "b"], retrieved_context_sources=["x"])
    case = EvalCase(id="c1", retrieved_contexts=["a", "b"])
    with pytest.raises(ValueError, match=wrong):
        case.retrieved_context_sources = ["x"]
    early = EvalCase(id="c1", retrieved_context_sources=["x"])
    with pytest.raises(ValueError, match=wrong):
        early.retrieved_contexts = ["a", "b"]


def test_texts_that_were_there_keep_their_names() -> None:
    case = EvalCase(
        retrieved_contexts=[_langchain(), "second", LangChainDocument("third", {}, "c")]
    )
    assert case.retrieved_contexts is not None
    case.retrieved_contexts = [*reversed(case.retrieved_contexts[:2]), "new"]
    assert case.retrieved_context_sources == [None, "guide.md", None]
    assert case.retrieved_context_ids == [None, "a1", None]
    replaced: list[list[str | None] | None] = [["other"], None]
    for others in replaced:
        changed = copy.deepcopy(case)
        changed.retrieved_contexts = others
        assert changed.retrieved_context_sources is None
        assert changed.retrieved_context_ids is None


def test_ids_of_a_ragas_file_are_the_field(tmp_path: Path) -> None:
    row = {"user_input": "?", "retrieved_context_ids": [3, "b"], "reference_context_ids": ["b"]}
    (tmp_path / "set.jsonl").write_text(json.dumps(row))
    [case] = load_cases(tmp_path / "set.jsonl")
    assert case.retrieved_context_ids == ["3", "b"]
    assert (case.ground_truth_context_ids, case.metadata) == (["b"], {})


def test_names_make_no_other_input() -> None:
    case = EvalCase(id="a", question="?", retrieved_contexts=["one"])
    named = EvalCase(id="a", question="?", retrieved_contexts=["one"])
    named.retrieved_context_sources, named.retrieved_context_ids = ["x"], ["y"]
    assert input_hash(case) == input_hash(named)


def test_results_files_of_former_releases_have_no_names() -> None:
    texts = CaseTexts.model_validate({"retrieved_contexts": ["one"]})
    assert (texts.retrieved_context_sources, texts.retrieved_context_ids) == (None, None)


def test_documents_of_langchain_for_javascript_are_read() -> None:
    document = {"pageContent": "Dogs pay.", "metadata": {"source": "fares.md"}, "id": "7"}
    dumped = {"lc": 1, "type": "constructor", "id": ["Document"], "kwargs": document}
    for one in (document, dumped):
        case = EvalCase(retrieved_contexts=[one], ground_truth_contexts=[one])
        assert case.retrieved_contexts == case.ground_truth_contexts == ["Dogs pay."]
        assert case.retrieved_context_sources == ["fares.md"]
        assert case.retrieved_context_ids == ["7"]
