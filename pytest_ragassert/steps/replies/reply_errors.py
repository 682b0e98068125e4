"""Why a judge's reply can't be used."""

from __future__ import annotations


class ReplyError(Exception):
    """The reply can't be read at all: no JSON, not an object of the step's shape."""


class VoidReply(ReplyError):
    """The reply answers something that was not asked, so none of it is believed.

    It is asked again once.
    """
