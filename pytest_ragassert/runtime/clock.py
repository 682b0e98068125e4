"""The system's clocks.

Only the standard library: it is imported in every run.
"""

from __future__ import annotations

import time


class Clock:
    """Reads the system's clocks in seconds, the same in all its processes.

    Taken before any test runs, and in a class, where what freezes a test's time does not look.
    """

    now = staticmethod(time.monotonic)
    since_1970 = staticmethod(time.time)
    nanoseconds = staticmethod(time.time_ns)  # since 1970 too
