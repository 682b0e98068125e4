"""The system's clocks.

This module uses only the standard library, because every run imports it.
"""

from __future__ import annotations

import time


class Clock:
    """Reads the system's clocks in seconds, the same in all processes of the machine.

    The functions are taken before any test runs, and kept in a class, where libraries that freeze a
    test's time do not look.
    """

    now = staticmethod(time.monotonic)
    since_1970 = staticmethod(time.time)
    nanoseconds = staticmethod(time.time_ns)  # since 1970 too
