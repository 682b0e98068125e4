"""Detects whether HTTP is recorded or mocked in this process, or files are fakes, as tests may do.

Everything that is asked then belongs to the running test. A question for another test would be
included in its recording, or would find no answer that was made for it.
"""

from __future__ import annotations

import os
import sys
from types import CodeType, ModuleType
from typing import Any

from .fake_files import faked

# Where HTTP clients send a request, and where interceptors replace code.
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
# The later names are forks that newer versions of `openai` use.
_LIBRARIES = ("httpcore", "httpx", "httpcore2", "httpx2", "aiohttp", "requests")


def intercepted() -> bool:
    """Whether one of the imported HTTP libraries sends with code that is not its own, or the
    running test's file system is a fake.
    """
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
        # a wrapper may have the name and module of what it wraps, but has its own code; a mock
        # pretends to have any class
        code = getattr(sends, "__code__", None)
        if type(code) is not CodeType or not code.co_filename.startswith(folder):
            return True
    return False
