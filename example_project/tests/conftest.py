"""Connects the application to pytest: its options, and its answers for the `rag_case` fixture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from rag.application import Answerer, Ferry
from rag.corpus import Passage, read_notices
from rag.extractive import extractive_answer

from pytest_ragassert import EvalCase

HERE = Path(__file__).resolve().parent.parent
THIS_SEASON, LAST_SEASON = HERE / "corpus", HERE / "archive"
FERRY = pytest.StashKey[Ferry]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("ferry_index", "this_season or last_season", default="this_season")
    parser.addini("ferry_ranking", "best_first or unsorted", default="best_first")
    parser.addini("ferry_list", "best_first or by_notice", default="best_first")
    parser.addini("ferry_answerer", "extractive or model", default="extractive")
    parser.addini("ferry_model", "the model that answers", default="gpt-4o-mini")
    parser.addini("ferry_base_url", "its server", default="https://api.openai.com/v1")


def pytest_configure(config: pytest.Config) -> None:
    # unsorted: somebody lost the line that sorts what the index finds
    ranked = _one_of(config, "ferry_ranking", "best_first", "unsorted") == "best_first"
    # by_notice: somebody sorts the list below the answer, and forgets the numbers in it
    sorted_list = _one_of(config, "ferry_list", "best_first", "by_notice") == "by_notice"
    ferry = Ferry(_passages(config), _answerer(config), ranked=ranked, listed_by_notice=sorted_list)
    config.stash[FERRY] = ferry
    config.add_cleanup(ferry.close)
    config.pluginmanager.register(Answers(ferry))


class Answers:
    """The hook's place is an object, because it needs the application that the options made."""

    def __init__(self, ferry: Ferry) -> None:
        self._ferry = ferry

    @pytest.hookimpl
    def pytest_ragassert_answer(self, case: EvalCase) -> dict[str, Any]:
        """Called once for each case without an answer, however many tests use the case."""
        reply = self._ferry.ask(case.question or "")
        return {
            "answer": reply.answer,
            "retrieved_contexts": reply.contexts,
            "retrieved_context_sources": reply.sources,
            "retrieved_context_ids": reply.ids,
        }


@pytest.fixture(scope="session")
def ferry(pytestconfig: pytest.Config) -> Ferry:
    return pytestconfig.stash[FERRY]


def _passages(config: pytest.Config) -> list[Passage]:
    index = _one_of(config, "ferry_index", "this_season", "last_season")
    if index == "last_season":
        # an index that was not rebuilt: what has changed since stands in it as it was
        return read_notices(THIS_SEASON, LAST_SEASON)
    return read_notices(THIS_SEASON)


def _answerer(config: pytest.Config) -> Answerer:
    if _one_of(config, "ferry_answerer", "extractive", "model") == "extractive":
        return extractive_answer
    key = os.environ.get("OPENAI_API_KEY")
    if not key:
        raise pytest.UsageError("ferry_answerer is model: set OPENAI_API_KEY to the server's key")
    from rag.model import ModelAnswerer  # imported late: the client takes a second to load

    return ModelAnswerer(
        model=config.getini("ferry_model"),
        base_url=config.getini("ferry_base_url"),
        api_key=key,
    )


def _one_of(config: pytest.Config, name: str, *known: str) -> str:
    value: str = config.getini(name)
    if value not in known:
        raise pytest.UsageError(f"{name} is {value!r}; known are {' and '.join(known)}")
    return value
