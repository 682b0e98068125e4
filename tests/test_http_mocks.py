"""Whether HTTP is recorded or answered by somebody in this process."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from unittest import mock

import pytest

from pytest_ragassert.runtime.http_mocks import intercepted

# what `openai` is built on, in one version or the other
POOLS = [
    import_module(name).AsyncConnectionPool
    for name in ("httpcore", "httpcore2")
    if find_spec(name) is not None
]


def wrapped(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    async def handle(*args: Any) -> Any:
        return await real(*args)

    return handle


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("how", ["wrapped", "mock", "async mock"])
def test_it_is_seen_while_it_lasts(pool: type[Any], how: str) -> None:
    assert not intercepted()
    other = {
        "wrapped": wrapped(pool.handle_async_request),
        "mock": mock.Mock(),
        "async mock": mock.AsyncMock(),
    }[how]
    with mock.patch.object(pool, "handle_async_request", other):
        assert intercepted()
    assert not intercepted()
