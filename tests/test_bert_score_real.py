"""BERTScore by real models, tiny and untrained: they need the extra `bert-score`."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import ConfigurationError, JudgeError, RagAssertWarning, evaluate
from pytest_ragassert.judging.embedders import bert_scorer

from .bert_library import OFFLINE, case, scored

WORDS = [
    "the",
    "tram",
    "ferry",
    "bus",
    "runs",
    "sails",
    "stops",
    "every",
    "day",
    "at",
    "noon",
    "here",
    "from",
    "harbour",
    "not",
]


def _bert(folder: Path) -> None:
    """WordPiece and absolute positions: longer texts must be cut."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    letters = "abcdefghijklmnopqrstuvwxyz"
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = [*special, *WORDS, *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizerFast.from_pretrained(folder).save_pretrained(folder)
    BertModel(BertConfig(vocab_size=len(vocabulary), **_SMALL)).save_pretrained(folder)


def _deberta(folder: Path) -> None:
    """A Unigram tokenizer that declares no limit, and relative positions."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import DebertaV2Config, DebertaV2Model, DebertaV2TokenizerFast

    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    pieces = [(name, 0.0) for name in special]
    pieces += [(f"▁{word}", -2.0) for word in WORDS]
    pieces += [(letter, -5.0) for letter in "▁abcdefghijklmnopqrstuvwxyz"]
    tokens = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokens.pre_tokenizer = pre_tokenizers.Metaspace()
    tokens.decoder = decoders.Metaspace()
    tokens.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    names = dict(zip(["pad", "cls", "sep", "unk", "mask"], special, strict=True))
    DebertaV2TokenizerFast(
        tokenizer_object=tokens, **{f"{name}_token": text for name, text in names.items()}
    ).save_pretrained(folder)
    config = DebertaV2Config(
        vocab_size=len(pieces),
        relative_attention=True,
        position_biased_input=False,
        pos_att_type=["p2c", "c2p"],
        type_vocab_size=0,
        **_SMALL,
    )
    DebertaV2Model(config).save_pretrained(folder)


_SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
}


@pytest.fixture(params=[_bert, _deberta], ids=["bert", "deberta"], scope="module")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model's folder; the hub is out of reach from here on."""
    for name in ("torch", "transformers", "bert_score"):
        pytest.importorskip(name)
    import torch

    torch.manual_seed(0)
    made = tmp_path_factory.mktemp("model")
    request.param(made)
    return made


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Notes every try to reach another host, and refuses it."""
    tries: list[Any] = []

    def refuse(*args: Any, **kwargs: Any) -> Any:
        tries.append(args)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    yield tries
    assert tries == []


@pytest.fixture
def passes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pairs each call of the real library got; its models are loaded anew."""
    import bert_score

    sizes: list[int] = []
    score = bert_score.BERTScorer.score

    def counted(self: Any, cands: Sequence[str], refs: Sequence[str]) -> Any:
        sizes.append(len(cands))
        return score(self, cands, refs)

    monkeypatch.setattr(bert_score.BERTScorer, "score", counted)
    monkeypatch.setattr(bert_scorer, "_models", bert_scorer._Models())
    return sizes


TEXT = "the tram runs every day from the harbour"


def test_real_equal_texts_score_1_and_others_less(
    folder: Path, passes: list[int], no_network: list[Any]
) -> None:
    model = str(folder)
    same = scored(case(TEXT, TEXT), model=model)
    near = scored(case(TEXT, TEXT.replace("tram", "bus")), model=model)
    far = scored(case(TEXT, "ferry sails not"), model=model)
    assert same.score == pytest.approx(1.0, abs=1e-5)
    assert far.score < near.score < same.score
    f1 = 2 * far.details["precision"] * far.details["recall"]
    f1 /= far.details["precision"] + far.details["recall"]
    assert far.details["f1"] == pytest.approx(f1, abs=1e-5)
    assert scored(case(TEXT, "noon", TEXT), model=model).details["reference"] == 1


def test_real_20_cases_are_one_pass_and_score_as_alone(
    folder: Path, passes: list[int], no_network: list[Any]
) -> None:
    texts = [" ".join(WORDS[n % 7 :][: 2 + n % 5]) for n in range(20)]
    cases = [case(text, TEXT) for text in texts]
    options = {"bert_score": {"model": str(folder)}}
    together = evaluate(cases, options, settings=OFFLINE)
    assert passes == [20]
    alone = [evaluate(one, options, settings=OFFLINE) for one in cases]
    assert [one["bert_score"].score for one in together] == pytest.approx(
        # the library takes a best match below 0 for 0 where it pads, and untrained models have some
        [one["bert_score"].score for one in alone],
        abs=0.01,
    )


def test_real_texts_beyond_the_models_positions(
    folder: Path, passes: list[int], no_network: list[Any]
) -> None:
    long = "the ferry sails at noon " * 60
    with pytest.warns(RagAssertWarning, match=r"case .*: a text has more than the 62 tokens"):
        same = scored(case(long, long), model=str(folder))
    assert same.score == pytest.approx(1.0, abs=1e-5)
    assert same.details["truncated"] == 62
    with pytest.warns(RagAssertWarning, match="more than the 62 tokens"):
        assert scored(case(long, "noon"), model=str(folder)).score < 0.99


@pytest.mark.parametrize("answer", ["\u2603", "tram \ud800", "\x00", "\u202e"])
def test_real_odd_texts(
    folder: Path, passes: list[int], no_network: list[Any], answer: str
) -> None:
    assert 0 <= scored(case(answer, TEXT), model=str(folder)).score < 1


def test_real_layers_are_the_folders_last_or_those_asked_for(
    folder: Path, passes: list[int], no_network: list[Any]
) -> None:
    other = case(TEXT, "ferry sails not")
    by_default, last, first = (
        scored(other, model=str(folder), **options).score
        for options in ({}, {"num_layers": 2}, {"num_layers": 1})
    )
    assert by_default == last != first
    with pytest.raises(ConfigurationError, match="num_layers should be between 0 and 2"):
        scored(other, model=str(folder), num_layers=3)
    with pytest.raises(ConfigurationError, match="no baseline"):
        scored(other, model=str(folder), rescale_with_baseline=True)


def test_real_a_relative_folder_is_local(
    folder: Path, passes: list[int], no_network: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    assert scored(case(TEXT, TEXT), model=folder.name).details["model"] == folder.name
    assert scored(case(TEXT, TEXT), model=f"./{folder.name}").passed


def test_real_folders_that_hold_no_model(
    folder: Path, passes: list[int], no_network: list[Any], tmp_path: Path
) -> None:
    with pytest.raises(JudgeError, match="can't be loaded"):
        scored(case(), model=str(tmp_path))
    disguised = tmp_path / "best5"
    disguised.symlink_to(folder)
    with pytest.raises(ConfigurationError, match="takes every model for a T5"):
        scored(case(), model=str(disguised))
