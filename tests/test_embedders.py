"""Embedders behind an endpoint and from hooks: few requests, stored like verdicts."""

from __future__ import annotations

import asyncio
import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_ragassert import EvalCase, JudgeError, Metric, Settings, VerdictMissing, evaluate
from pytest_ragassert.engine.jobs import Measured
from pytest_ragassert.engine.session import Session
from pytest_ragassert.errors import ConfigurationError
from pytest_ragassert.judging.calls.user_calls import HookCalls
from pytest_ragassert.judging.embedders.batching import batches, shares
from pytest_ragassert.judging.embedders.embedder import CustomEmbedder, Embedded
from pytest_ragassert.judging.scheduling.in_flight import PrefetchScope, prefetching
from pytest_ragassert.metrics.metric import Ask
from pytest_ragassert.usage import Usage

from .conftest import MakeSettings, close_sessions
from .loopback.embeddings import vector
from .loopback.server import LoopbackJudge

EMBED = "embed_text"
SIMILARITY = ["semantic_similarity"]
CASE = EvalCase(id="tram-1", answer="The ferry runs.", ground_truth_answer="The tram stops.")
TEXTS = ["The ferry runs.", "The tram stops."]


def sent(judge: LoopbackJudge) -> list[list[str]]:
    return [r.data["input"] for r in judge.requests if r.step == EMBED]


def similar(settings: Settings, case: EvalCase = CASE) -> Any:
    return evaluate(case, SIMILARITY, settings=settings)["semantic_similarity"]


def similar_in_new_run(settings: Settings, case: EvalCase = CASE) -> Any:
    close_sessions()
    return similar(settings, case)


class Texts(Metric):
    """Embeds some texts, later or at once; scores 1."""

    def __init__(self, name: str, texts: Sequence[str], turns: int = 0) -> None:
        self.name, self._texts, self._turns = name, texts, turns
        self.vectors: list[list[float]] = []

    async def measure(self, case: EvalCase, ask: Ask, **options: Any) -> Any:
        for _ in range(self._turns):
            await asyncio.sleep(0)
        self.vectors = await ask.embed(self._texts)
        return 1.0


def measured(settings: Settings, *metrics: Texts) -> list[Measured]:
    session = Session(settings, metrics=metrics)
    try:
        return session.measure([session.job(CASE, metric.name, {}) for metric in metrics])
    finally:
        session.close()
        session.run.remove()


# -- what is sent ----------------------------------------------------------------------------------


def test_both_texts_go_out_in_one_request(judge: LoopbackJudge, settings: MakeSettings) -> None:
    result = similar(settings(embedder="openai"))
    [request] = judge.requests
    assert request.body == {
        "model": "text-embedding-3-small",
        "input": TEXTS,
        "encoding_format": "float",
    }
    assert request.headers["authorization"] == "Bearer sk-test-key"
    assert result.details["embedder"] == f"text-embedding-3-small at {judge.base_url}"
    assert (result.requests, result.stored) == (1, False)


def test_a_model_alone_implies_openai(judge: LoopbackJudge, settings: MakeSettings) -> None:
    similar(settings(embedding_model="mini"))
    assert judge.requests[0].body["model"] == "mini"
    with pytest.raises(ConfigurationError, match="no embedder"):
        similar(settings(embedding_model="mini", embedder="none"))


def test_a_data_set_is_one_request_and_each_text_is_sent_once(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    cases = [EvalCase(answer=f"answer {n}", ground_truth_answer="the reference") for n in range(20)]
    results = evaluate(cases, SIMILARITY, settings=settings(embedder="openai"))
    [texts] = sent(judge)
    assert sorted(texts) == sorted({*(f"answer {n}" for n in range(20)), "the reference"})
    assert sum(one["semantic_similarity"].requests for one in results) == 1
    again = evaluate(cases, SIMILARITY, settings=settings(embedder="openai"))
    assert again == results
    assert len(sent(judge)) == 1


def test_metrics_of_a_case_share_a_request(judge: LoopbackJudge, settings: MakeSettings) -> None:
    metrics = [Texts("a", ["x", "y", "x"]), Texts("b", ["y", "z"], turns=5), Texts("c", ["x"])]
    done = measured(settings(embedder="openai", record_mode="off"), *metrics)
    assert sent(judge) == [["x", "y", "z"]]
    assert [metric.vectors for metric in metrics] == [
        [vector(text) for text in texts] for texts in ("xyx", "yz", "x")
    ]
    costs = {asked.key: asked.answer.usage for one in done for asked in one.asked}
    assert [len(one.asked) for one in done] == [2, 2, 1]
    assert len(costs) == 3
    assert sum(cost.prompt_tokens for cost in costs.values()) == judge.requests[0].prompt_tokens
    assert sum(cost.requests for cost in costs.values()) == 1
    assert all(asked.embedding and asked.model for one in done for asked in one.asked)


def test_many_texts_are_several_requests(judge: LoopbackJudge, settings: MakeSettings) -> None:
    metric = Texts("many", [f"text {n}" for n in range(600)])
    measured(settings(embedder="openai"), metric)
    assert sorted(map(len, sent(judge))) == [88, 256, 256]
    assert metric.vectors == [vector(f"text {n}") for n in range(600)]


def test_long_texts_are_fewer_a_request() -> None:
    long = "word " * 40_000
    assert [len(batch) for batch in batches([long, "b", long, long, "c"])] == [2, 1, 2]
    assert list(batches([])) == []


@pytest.mark.parametrize("weights", [[1], [5, 0, 100, 3], [0] * 7])
def test_a_cost_is_shared_out_whole(weights: list[int]) -> None:
    whole = Usage(2, 101, 7, 3)
    assert sum(shares(whole, weights), Usage()) == whole


def test_lone_surrogates_are_sent_as_something(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    measured(settings(embedder="openai"), Texts("odd", ["a \ud800", "电车 \x00"]))
    assert sent(judge) == [["a \ufffd", "电车 \x00"]]


# -- replies ---------------------------------------------------------------------------------------


def data(*vectors: Any, **changes: Any) -> dict[str, Any]:
    items = [{"index": i, "embedding": each, **changes} for i, each in enumerate(vectors)]
    return {"step": EMBED, "data": items}


def test_vectors_are_ordered_by_index(judge: LoopbackJudge, settings: MakeSettings) -> None:
    items = data([1, 0], [0, 2])["data"]
    judge.script([{"step": EMBED, "data": items[::-1]}])
    metric = Texts("a", ["x", "y"])
    measured(settings(embedder="openai"), metric)
    assert metric.vectors == [[1, 0], [0, 2]]


BAD: list[tuple[Any, str]] = [
    (data([1.0]), "2 texts, 1 of their vectors"),
    (data([1.0], [2.0], [3.0]), "2 texts, 3 of their vectors"),
    (data([1.0], [2.0], index=0), "2 texts, 1 of their vectors"),
    (data([1.0], [2.0], index="0"), "an index is not a number"),
    (data([1.0], index=None), "2 texts, 1 vectors"),
    (data([1.0], [math.nan]), "not finite"),
    (data([1.0], [math.inf]), "not finite"),
    (data([], []), "empty"),
    (data(["x"], [1.0]), "not a list of numbers"),
    (data("AACAPw==", "AACAPw=="), "not a list of numbers"),
    (data(None, [1.0]), "not a list of numbers"),
    ({"step": EMBED, "data": None}, "no data"),
    ({"step": EMBED, "status": 200, "body": {"error": {"message": "of sk-test-key"}}}, "no data"),
    ({"step": EMBED, "status": 200, "body": "<html>"}, "is not JSON; check --ragassert-base"),
]


@pytest.mark.parametrize(("reply", "told"), BAD, ids=[told for _, told in BAD])
def test_vectors_that_cant_be_used_are_malformed(
    judge: LoopbackJudge, settings: MakeSettings, reply: dict[str, Any], told: str
) -> None:
    judge.script([reply], repeat_last=True)
    own = settings(embedder="openai")
    for _ in range(2):
        with pytest.raises(JudgeError) as caught:
            similar(own)
        assert caught.value.kind == "malformed"
        assert told in str(caught.value)
        assert "semantic_similarity of case tram-1 not measured" in str(caught.value)
        assert "sk-test-key" not in str(caught.value)
    # the same question gives the same error in one run, and none is stored
    assert judge.count() == 1
    judge.reset(replies=True)
    assert not similar_in_new_run(own).stored


def test_a_dimension_that_changes_in_a_run_is_told(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    similar(settings(embedder="openai"))
    judge.script([data([1.0, 2.0], [1.0, 3.0])])
    other = EvalCase(answer="Other.", ground_truth_answer="Another.")
    with pytest.raises(ConfigurationError, match="different dimensions, 16 and 2"):
        similar(settings(embedder="openai"), other)


def test_vectors_of_different_dimensions_are_of_two_embedders(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    judge.script([data([1.0, 2.0], [1.0])])
    with pytest.raises(ConfigurationError, match="different dimensions, 1 and 2"):
        similar(settings(embedder="openai"))


# -- none, and from hooks --------------------------------------------------------------------------


def test_without_an_embedder_the_error_says_how_to_get_one() -> None:
    own = Settings(judge="offline")
    with pytest.raises(ConfigurationError) as caught:
        similar(own)
    for part in ("--ragassert-embedder", 'pip install "pytest-ragassert[wordllama]"'):
        assert part in str(caught.value)
    with pytest.raises(ConfigurationError, match=r"unknown embedder 'mine'.*make_embedder"):
        similar(Settings(judge="offline", embedder="mine"))


def test_a_missing_key_is_told_when_a_text_is_to_be_embedded(
    judge: LoopbackJudge, settings: MakeSettings
) -> None:
    elsewhere = "http://llm.invalid/v1"
    own = settings(judge="offline", embedder="openai", api_key=None, base_url=elsewhere)
    case = EvalCase(answer="It runs.", retrieved_contexts=["It runs."], ground_truth_answer="No.")
    assert evaluate(case, ["faithfulness"], settings=own)["faithfulness"].passed
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        similar(own, case)
    assert judge.count() == 0


class Plain:
    id = "plain-1"

    def __init__(self, vectors: Any = None) -> None:
        self.vectors = vectors
        self.asked: list[list[str]] = []

    def embed(self, texts: list[str]) -> Any:
        self.asked.append(texts)
        return self.vectors or [vector(text) for text in texts]


class Awaited(Plain):
    async def embed(self, texts: list[str]) -> Any:
        await asyncio.sleep(0)
        return super().embed(texts)


class Broken(Plain):
    def embed(self, texts: list[str]) -> Any:
        raise KeyError("gone")


@pytest.mark.parametrize("kind", [Plain, Awaited], ids=["sync", "async"])
def test_an_embedder_of_ones_own_is_stored_under_its_id(kind: type[Plain], tmp_path: Path) -> None:
    own = Settings(judge="offline", embedder="mine", cache_dir=tmp_path / "store")
    made = [kind(), kind()]
    made[1].id = "plain-2"
    for embedder in (made[0], made[0], made[1]):
        session = Session(own, make_embedder={"mine": embedder}.get)
        [done] = session.measure([session.job(CASE, "semantic_similarity", {})])
        assert done.result is not None
        assert done.result.details["embedder"] == embedder.id
        session.close()
        session.run.remove()
    assert [one.asked for one in made] == [[TEXTS], [TEXTS]]
    with closing(sqlite3.connect(tmp_path / "store" / "cache.db")) as connection:
        assert connection.execute("SELECT count(*) FROM Cache").fetchone() == (4,)


@pytest.mark.parametrize(
    ("embedder", "told"),
    [
        (Plain([[1.0]]), "2 texts, 1 vectors"),
        (Plain([[1.0], ["2.0"]]), "not a list of numbers"),
        (Plain(7), "not a list of numbers"),
        (Broken(), "embedder plain-1: KeyError: 'gone'"),
    ],
)
def test_an_embedder_that_fails_is_a_judge_error(embedder: Plain, told: str) -> None:
    with pytest.raises(JudgeError, match=told):
        asyncio.run(CustomEmbedder(embedder, "mine", HookCalls(), 9).embed(["a", "b"]))


def test_what_is_no_embedder_is_refused() -> None:
    for wrong in (object(), type("E", (), {"id": 5, "embed": print})()):
        with pytest.raises(ConfigurationError, match="`id: str` and `embed"):
            CustomEmbedder(wrong, "mine", HookCalls(), 9)


def test_replay_of_nothing_says_so(settings: MakeSettings) -> None:
    with pytest.raises(VerdictMissing, match=r"no stored vector by .*'The ferry runs\.'"):
        similar(settings(embedder="openai", record_mode="none", api_key=None))


def test_what_met_the_blocked_sockets_of_another_test_is_embedded_anew(
    judge: LoopbackJudge, settings: MakeSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(settings(embedder="openai"))
    embeddings = session.asker.embeddings
    assert embeddings is not None
    embed = embeddings.embedder.embed
    blocks = ["the other test's"]

    async def blocked(texts: Sequence[str]) -> Embedded:
        if blocks:
            await asyncio.sleep(0.1)
            raise JudgeError(blocks.pop(), kind="blocked")
        return await embed(texts)

    monkeypatch.setattr(embeddings.embedder, "embed", blocked)

    async def scene() -> None:
        with prefetching(PrefetchScope()):
            coming = asyncio.ensure_future(embeddings.of(TEXTS))
            await asyncio.sleep(0.05)
        # their test comes to them before the error does
        now = asyncio.ensure_future(embeddings.of(TEXTS))
        with pytest.raises(JudgeError, match="the other test's"):
            await coming
        assert [one.vector for one in await now] == list(map(vector, TEXTS))
        # who asked by himself gets the error
        blocks.append("its own")
        with pytest.raises(JudgeError, match="its own"):
            await embeddings.of(["The bus waits."])
        assert len(await embeddings.of(["The bus waits."])) == 1

    try:
        session.wait_for(scene())
    finally:
        session.close()
        session.run.remove()
    assert sent(judge) == [TEXTS, ["The bus waits."]]
