"""Whether HTTP is recorded in this process, or answered in place of servers, as mocks of tests do,
or files are fakes.

What is asked then belongs to the test that is running: another test's question would stand in its
recording, or find no answer that was made for it.
"""

from __future__ import annotations

import os
import sys
from types import CodeType, ModuleType
from typing import Any

from .fake_files import faked

# Where HTTP clients send a request, and where those who intercept it step in.
_SENDING = (
    ("AsyncConnectionPool", "handle_async_request"),
    ("ConnectionPool", "handle_request"),
    ("AsyncHTTPTransport", "handle_async_request"),
    ("HTTPTransport", "handle_request"),
    ("AsyncClient", "_send_single_request"),
    ("Client", "_send_single_request"),
    ("ClientSession", "_request"),
    ("Session", "send"),
)
# The later names are those of forks that newer versions of `openai` are built on.
_LIBRARIES = ("httpcore", "httpx", "httpcore2", "httpx2", "aiohttp", "requests")


def intercepted() -> bool:
    """Whether one of the HTTP libraries that are loaded sends by code that is not its own, or the
    running test's file system is a fake."""
    if faked():
        return True
    loaded = map(sys.modules.get, _LIBRARIES)
    return any(_is_intercepted(module) for module in loaded if module is not None)


def _is_intercepted(library: ModuleType) -> bool:
    folder = os.path.dirname(library.__file__ or "")
    for name, method in _SENDING:
        sends: Any = getattr(getattr(library, name, None), method, None)
        if sends is None:
            continue
        # a wrapper may bear the wrapped one's name and module, but has its own code; a mock says
        # that what it has is of any class
        code = getattr(sends, "__code__", None)
        if type(code) is not CodeType or not code.co_filename.startswith(folder):
            return True
    return False
