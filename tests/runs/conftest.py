"""Fixtures for runs of whole projects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .fork_server import fork_server


@pytest.fixture(scope="session")
def forked_python() -> Iterator[str]:
    """An executable whose processes start with everything imported."""
    with fork_server() as python:
        yield str(python)
