"""BERTScore: pairs that share a pass, what is loaded and when, options; real models at the end.

Only the last part needs the extra `bert-score`; elsewhere a stand-in takes the library's place.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from pytest_ragassert import (
    ConfigurationError,
    EvalCase,
    JudgeError,
    MissingFieldError,
    RagAssertionError,
    Settings,
    VerdictMissing,
    aio,
    assert_bert_score,
    evaluate,
)
from pytest_ragassert.embedders import bert_scorer
from pytest_ragassert.metrics.bert_score import BertScore

from .conftest import MakeSettings

OFFLINE = Settings(judge="offline")
SAME, OTHER = (1.0, 1.0, 1.0), (0.25, 0.5, 1 / 3)


def case(answer: str | None = "A", *references: str) -> EvalCase:
    first, *more = references or ("R",)
    return EvalCase(answer=answer, ground_truth_answer=first, ground_truth_answers=more or None)


def scored(one: EvalCase, **options: Any) -> Any:
    return evaluate(one, {"bert_score": options}, settings=OFFLINE)["bert_score"]


class Numbers(list[float]):
    """What the library gives: a tensor, as far as it is used."""

    def tolist(self) -> list[float]:
        return list(self)


class Pass(NamedTuple):
    model: str
    pairs: list[tuple[str, str]]
    thread: str


class Library:
    """A stand-in: notes what is loaded and each call; equal texts score 1, others by `says`."""

    def __init__(self, folder: Path) -> None:
        self.loads: list[tuple[str, int | None]] = []
        self.passes: list[Pass] = []
        self.says: dict[str, tuple[float, float, float]] = {}
        self.load_error: Exception | None = None
        self.score_error: Exception | None = None
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.may_end.set()
        library = self

        class BERTScorer:
            def __init__(self, model_type: str, num_layers: int | None) -> None:
                library.loads.append((model_type, num_layers))
                if library.load_error is not None:
                    raise library.load_error
                self.name = model_type
                self._tokenizer = ModuleType("tokenizer")
                self._tokenizer.model_max_length = 512  # type: ignore[attr-defined]
                self._model = ModuleType("model")
                self._model.config = None  # type: ignore[attr-defined]
                self.baseline_path = ""

            @property
            def baseline_vals(self) -> Numbers:
                lines = Path(self.baseline_path).read_text().split()
                return Numbers(map(float, lines))

            def score(self, cands: list[str], refs: list[str]) -> tuple[Numbers, ...]:
                pairs = list(zip(cands, refs, strict=True))
                library.passes.append(Pass(self.name, pairs, threading.current_thread().name))
                library.begun.set()
                assert library.may_end.wait(10)
                if library.score_error is not None:
                    raise library.score_error
                each = [SAME if a == r else library.says.get(r, OTHER) for a, r in pairs]
                return tuple(map(Numbers, zip(*each, strict=True)))

        self.module, self.utils = ModuleType("bert_score"), ModuleType("bert_score.utils")
        self.module.__file__ = str(folder / "__init__.py")
        self.module.BERTScorer = BERTScorer  # type: ignore[attr-defined]
        self.utils.model2layers = {  # type: ignore[attr-defined]
            "microsoft/deberta-xlarge-mnli": 40,
            "known": 9,
        }


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Library:
    stand_in = Library(tmp_path)
    monkeypatch.setitem(sys.modules, "bert_score", stand_in.module)
    monkeypatch.setitem(sys.modules, "bert_score.utils", stand_in.utils)
    monkeypatch.setattr(bert_scorer, "_models", bert_scorer._Models())
    return stand_in


# -- scores ----------------------------------------------------------------------------------------


def test_f1_is_the_score_and_the_rest_stands_in_the_details(library: Library) -> None:
    result = scored(case("The tram.", "The ferry."))
    assert result.score == pytest.approx(1 / 3)
    assert result.details == {
        "model": "microsoft/deberta-xlarge-mnli",
        "precision": 0.25,
        "recall": 0.5,
        "f1": 1 / 3,
    }
    assert (result.minimum, result.passed, result.requests) == (0.7, False, 0)
    assert library.loads == [("microsoft/deberta-xlarge-mnli", None)]


@pytest.mark.parametrize(("f1", "score"), [(1.0000001, 1.0), (-0.125, 0.0)])
def test_a_score_lies_in_0_to_1(library: Library, f1: float, score: float) -> None:
    library.says["R"] = (0.5, 0.5, f1)
    result = scored(case())
    assert (result.score, result.details["f1"]) == (score, f1)


@pytest.mark.parametrize(
    ("answer", "references"), [("", ("R",)), (" \u200b\n", ("R",)), ("A", (" ", "\u200b"))]
)
def test_a_blank_text_scores_0_and_loads_nothing(
    library: Library, answer: str, references: tuple[str, ...]
) -> None:
    result = scored(case(answer, *references))
    assert (result.score, result.passed, result.reason) == (0.0, False, "a text is blank")
    assert library.loads == []


def test_the_best_of_several_references_counts(library: Library) -> None:
    library.says = {"near": (0.9, 0.7, 0.8), "far": (0.95, 0.1, 0.2)}
    result = scored(case("A", "far", " ", "near"))
    assert (result.score, result.details["reference"]) == (0.8, 2)
    assert (result.details["precision"], result.details["recall"]) == (0.9, 0.7)
    assert [one.pairs for one in library.passes] == [[("A", "far"), ("A", "near")]]


def test_a_lone_surrogate_reaches_no_tokenizer(library: Library) -> None:
    assert scored(case("A\ud800", "R")).score == pytest.approx(1 / 3)
    assert library.passes[0].pairs == [("A?", "R")]


@pytest.mark.parametrize("field", ["answer", "ground_truth_answer"])
def test_both_texts_are_needed(library: Library, field: str) -> None:
    whole = EvalCase(answer="A", ground_truth_answer="R")
    with pytest.raises(MissingFieldError, match=f"bert_score needs the field {field}"):
        scored(whole.model_copy(update={field: None}))
    assert library.loads == []


# -- passes ----------------------------------------------------------------------------------------


def test_a_data_set_is_scored_in_one_pass_on_another_thread(library: Library) -> None:
    cases = [case(f"answer {n}", f"answer {n % 10}", "R") for n in range(20)]
    results = evaluate(cases, ["bert_score"], settings=OFFLINE)
    assert [one["bert_score"].score for one in results] == [1.0] * 10 + [1 / 3] * 10
    assert [len(one.pairs) for one in library.passes] == [40]
    assert library.passes[0].thread == "ragassert-bert-score"
    assert len(library.loads) == 1
    until = time.monotonic() + 5
    while any(thread.name == "ragassert-bert-score" for thread in threading.enumerate()):
        assert time.monotonic() < until, "the thread ends with its pass"


def test_it_shares_the_pass_beside_metrics_that_wait_for_a_judge(
    library: Library, settings: MakeSettings
) -> None:
    cases = [
        EvalCase(answer=f"{n}.", ground_truth_answer="R", retrieved_contexts=["C"])
        for n in range(5)
    ]
    evaluate(cases, ["faithfulness", "bert_score"], settings=settings())
    assert [len(one.pairs) for one in library.passes] == [5]


def test_a_model_is_loaded_once_a_process_and_name(library: Library) -> None:
    for options in ({}, {"model": "known"}, {}, {"model": "known"}, {"num_layers": 3}):
        scored(case(), **options)
    name = "microsoft/deberta-xlarge-mnli"
    assert library.loads == [(name, None), ("known", None), (name, 3)]
    assert len(library.passes) == 5


def test_models_have_passes_of_their_own(library: Library) -> None:
    async def both() -> None:
        names = ["known", "microsoft/deberta-xlarge-mnli"] * 3
        works = [BertScore().measure(case(), None, model=name) for name in names]  # type: ignore[arg-type]
        await asyncio.gather(*works)

    asyncio.run(both())
    assert sorted((one.model, len(one.pairs)) for one in library.passes) == [
        ("known", 3),
        ("microsoft/deberta-xlarge-mnli", 3),
    ]


@pytest.mark.asyncio
async def test_while_a_pass_runs_the_next_one_gathers(library: Library) -> None:
    library.may_end.clear()

    async def measured(number: int) -> float:
        found = await aio.evaluate(case(f"{number}"), ["bert_score"], settings=OFFLINE)
        return found["bert_score"].score

    first = asyncio.create_task(measured(0))
    await asyncio.to_thread(library.begun.wait, 10)
    rest = [asyncio.create_task(measured(number)) for number in range(1, 6)]
    await asyncio.sleep(0.2)
    library.may_end.set()
    assert await asyncio.gather(first, *rest) == [pytest.approx(1 / 3)] * 6
    assert [len(one.pairs) for one in library.passes] == [1, 5]
    assert bert_scorer._gathering == {}


@pytest.mark.asyncio
async def test_one_who_gives_up_leaves_the_others_their_figures(library: Library) -> None:
    library.may_end.clear()
    model = bert_scorer.Model("known")
    waiting = [
        asyncio.create_task(bert_scorer.bert_scores(model, [bert_scorer.Pair(text, "R")]))
        for text in ("A", "B", "R")
    ]
    await asyncio.to_thread(library.begun.wait, 10)
    waiting[1].cancel()
    library.may_end.set()
    assert list(await asyncio.gather(waiting[0], waiting[2])) == [
        [OTHER],
        [SAME],
    ]
    assert waiting[1].cancelled()


def test_a_forked_child_waits_for_no_pass_of_its_parent(library: Library) -> None:
    scored(case())
    with bert_scorer._models._alone:  # held by a thread that a fork does not copy
        bert_scorer._after_fork()
        assert scored(case("A", "A")).score == 1.0
    assert len(library.loads) == 1


# -- what goes wrong -------------------------------------------------------------------------------


def test_without_the_package_the_error_says_what_to_install(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bert_score", None)
    with pytest.raises(ConfigurationError) as raised:
        scored(case())
    assert 'pip install "pytest-ragassert[bert-score]"' in str(raised.value)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("model", ""),
        ("model", " "),
        ("model", None),
        ("model", Path("folder")),
        ("num_layers", 0),
        ("num_layers", -1),
        ("num_layers", True),
        ("num_layers", 2.0),
        ("num_layers", "2"),
        ("rescale_with_baseline", 1),
        ("rescale_with_baseline", "yes"),
    ],
)
def test_options_are_checked_before_anything_is_loaded(
    library: Library, option: str, value: Any
) -> None:
    with pytest.raises(ValueError, match=f"^{option} is "):
        scored(case(), **{option: value})
    assert library.loads == []


def test_a_model_that_the_library_does_not_know_needs_num_layers(library: Library) -> None:
    with pytest.raises(ConfigurationError, match="no best layer of org/unknown; give num_layers"):
        scored(case(), model="org/unknown")
    assert scored(case("A", "A"), model="org/unknown", num_layers=5).score == 1.0
    assert library.loads == [("org/unknown", 5)]


@pytest.mark.parametrize("name", ["./none", "/none/here", "~/none-here", ".."])
def test_a_path_without_a_folder_is_not_asked_of_the_hub(
    library: Library, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.path.isdir", lambda path: False)
    with pytest.raises(ConfigurationError, match="there is no folder"):
        scored(case(), model=name)
    assert library.loads == []


def test_a_layer_that_the_model_lacks_is_the_configurations_fault(library: Library) -> None:
    library.load_error = AssertionError("Invalid num_layers: between 0 and 24")
    with pytest.raises(ConfigurationError, match="Invalid num_layers: between 0 and 24"):
        scored(case(), num_layers=99)


def test_a_model_that_cannot_be_loaded_is_tried_once(library: Library) -> None:
    library.load_error = OSError("no connection")
    cases = [case(), case("B")]
    for _ in range(2):
        results = evaluate(cases, ["bert_score"], settings=OFFLINE, on_error="collect")
        errors = [one.errors["bert_score"] for one in results]
        assert all("can't be loaded: OSError: no connection" in str(one) for one in errors)
        assert [one.kind for one in errors if isinstance(one, JudgeError)] == ["model"] * 2
    assert len(library.loads) == 1


def test_a_pass_that_fails_fails_each_of_its_cases_and_no_later_one(library: Library) -> None:
    library.score_error = RuntimeError("out of memory")
    results = evaluate([case(), case("B")], ["bert_score"], settings=OFFLINE, on_error="collect")
    assert [list(one) for one in results] == [[], []]
    for one in results:
        assert "can't score 2 pairs: RuntimeError: out of memory" in str(one.errors["bert_score"])
    library.score_error = None
    assert scored(case("R")).score == 1.0


def test_nan_is_an_error_and_no_score(library: Library) -> None:
    library.says["R"] = (float("nan"), 0.5, 0.0)
    with pytest.raises(JudgeError, match="gives no numbers"):
        scored(case())


# -- rescaling -------------------------------------------------------------------------------------


def test_rescaling_takes_the_librarys_baseline_and_the_loaded_model(
    library: Library, tmp_path: Path
) -> None:
    for language, figures in (("de", "0.9 0.9 0.9"), ("en", "0.5 0.25 0.6")):
        folder = tmp_path / "rescale_baseline" / language
        folder.mkdir(parents=True)
        (folder / "known.tsv").write_text(figures)
    library.says["R"] = (0.75, 0.5, 0.7)
    assert scored(case(), model="known").score == 0.7
    result = scored(case(), model="known", rescale_with_baseline=True)
    assert result.score == pytest.approx(0.25)
    assert result.details["precision"] == pytest.approx(0.5)
    assert result.details["recall"] == pytest.approx(1 / 3)
    assert library.loads == [("known", None)]


def test_without_a_baseline_there_is_no_rescaling(library: Library) -> None:
    with pytest.raises(ConfigurationError, match="no baseline for known"):
        scored(case(), model="known", rescale_with_baseline=True)


# -- assertions and modes --------------------------------------------------------------------------


def test_the_assertion_holds_or_tells_score_and_model(library: Library) -> None:
    assert assert_bert_score(case("A", "A")).score == 1.0
    assert assert_bert_score(case(), min=0.3, model="known", num_layers=4).minimum == 0.3
    assert library.loads[-1] == ("known", 4)
    with pytest.raises(RagAssertionError, match=r"bert_score 0\.33 .*0\.7.*BERTScore by micro"):
        assert_bert_score(case())


@pytest.mark.asyncio
async def test_the_assertion_is_a_coroutine_too(library: Library) -> None:
    result = await aio.assert_bert_score(case("A", "A"), min=1.0)
    assert result.passed


@pytest.mark.parametrize("mode", ["none", "off", "all"])
def test_it_asks_no_judge_and_stores_nothing(
    library: Library, settings: MakeSettings, mode: str, judge: Any, tmp_path: Path
) -> None:
    found = evaluate(case("A", "A"), ["bert_score"], settings=settings(record_mode=mode))
    assert found["bert_score"].score == 1.0
    assert judge.count() == 0


def test_replay_measures_it_beside_a_verdict_that_is_missing(
    library: Library, settings: MakeSettings
) -> None:
    one = EvalCase(answer="A.", ground_truth_answer="A.", retrieved_contexts=["C"])
    found = evaluate(
        one,
        ["faithfulness", "bert_score"],
        settings=settings(record_mode="none"),
        on_error="collect",
    )
    assert found["bert_score"].score == 1.0
    assert isinstance(found.errors["faithfulness"], VerdictMissing)


# -- real models, tiny and untrained ---------------------------------------------------------------

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
MakeModel = Callable[[Path], None]


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
    assert scored(case(long, long), model=str(folder)).score == pytest.approx(1.0, abs=1e-5)
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
