"""Connects the application under test to the `rag_case` fixture."""

from __future__ import annotations

import atexit
from functools import lru_cache
from typing import Any

import pytest
from rag import Ferry

from pytest_ragassert import EvalCase


@lru_cache(maxsize=1)
def the_ferry() -> Ferry:
    ferry = Ferry()
    atexit.register(ferry.close)
    return ferry


def pytest_ragassert_answer(case: EvalCase) -> dict[str, Any]:
    """Called once for each case without an answer, however many tests use the case."""
    reply = the_ferry().ask(case.question or "")
    return {"answer": reply.answer, "retrieved_contexts": reply.contexts}


@pytest.fixture(scope="session")
def ferry() -> Ferry:
    return the_ferry()
