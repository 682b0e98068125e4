"""Finds the step that made a stored answer, by its name alone."""

from __future__ import annotations

from typing import Any

from ..runtime.canonical_json import Json
from .catalogue import STEPS
from .own_step import about_input, is_step_name
from .single_text import WholeStep
from .step import Step


class ProjectStep(WholeStep):
    """A step that a project defined. Stored answers contain only its name, and any object is a
    reply.
    """

    takes = ()

    @property
    def fingerprint(self) -> str:
        """None: the instructions are the project's, and are part of the keys of its answers."""
        return ""

    def reply_of(self, message: Json, value: Any) -> Json:
        # every step has one, but a step of this kind is never asked, and no judge's reply is read
        raise NotImplementedError("its schema is the project's")

    def answers(self, message: Json, reply: Any) -> bool:
        return isinstance(reply, dict) and bool(reply)

    def about(self, input: Json) -> str:
        return about_input(input)


def stored_step(name: str) -> Step | None:
    """Return the package's step of that name, or a project's own; None if no step can have that
    name.
    """
    if name in STEPS:
        return STEPS[name]
    if not is_step_name(name):
        return None
    return ProjectStep(name, version=0, instructions="", schema={})
