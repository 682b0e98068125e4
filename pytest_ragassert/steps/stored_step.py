"""The step that made a stored answer, by its name alone."""

from __future__ import annotations

from typing import Any

from ..runtime.canonical_json import Json
from .catalogue import STEPS
from .own_step import about_input, is_step_name
from .single_text import WholeStep
from .step import Step


class ProjectStep(WholeStep):
    """A step of a project's own, of which stored answers say the name: any object is a reply."""

    takes = ()

    @property
    def fingerprint(self) -> str:
        """None: its instructions are the project's, and part of the keys of its answers."""
        return ""

    def reply_of(self, message: Json, value: Any) -> Json:
        # every step has one; of this kind none is asked, and no judge's reply is read
        raise NotImplementedError("its schema is the project's")

    def answers(self, message: Json, reply: Any) -> bool:
        return isinstance(reply, dict) and bool(reply)

    def about(self, input: Json) -> str:
        return about_input(input)


def stored_step(name: str) -> Step | None:
    """The package's step of that name, else one of a project's own; None: no step is called so."""
    if name in STEPS:
        return STEPS[name]
    if not is_step_name(name):
        return None
    return ProjectStep(name, version=0, instructions="", schema={})
