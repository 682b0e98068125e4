"""Errors of commands, and their exit status."""

from __future__ import annotations

# Exit statuses of commands.
PASSED, FAILED, MISUSED = 0, 1, 2


class Failed(Exception):
    """Something is wrong that the command can't get over; its text says what to do."""
