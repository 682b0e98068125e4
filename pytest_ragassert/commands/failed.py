"""What a command found or met."""

from __future__ import annotations


class Failed(Exception):
    """Something is wrong that the command can't get over; its text says what to do."""
