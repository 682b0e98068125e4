"""Projects whose cases are answered by an application: which cases it was asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .projects import Project

APPLICATION = """
import os
from ferry import CONTEXTS, GOOD

def answered(case):
    # one line in one call, from whichever process
    with open(os.environ["ASKED"], "ab", buffering=0) as file:
        file.write(f"{case.id} {case.question}\\n".encode())
    return {"answer": f"{GOOD} This is {case.id}.", "retrieved_contexts": [*CONTEXTS, None]}
"""
CONFTEST = """
from application import answered

def pytest_ragassert_answer(case):
    return answered(case)
"""
FILE = "--ragassert-answers=answers.jsonl"


class Application:
    """The project's application: which cases it was asked for."""

    def __init__(self, project: Project) -> None:
        self.path = Path(project.path, "asked.txt")
        project.set(ASKED=str(self.path))

    def asked(self) -> list[str]:
        """Ids of the cases since the last call, sorted."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.path.unlink(missing_ok=True)
        return sorted(line.partition(" ")[0] for line in lines)


def cases(project: Project, *ids: str, **changed: dict[str, Any]) -> None:
    """Cases of these ids; of some with other fields."""
    lines = [
        json.dumps({"id": id, "question": f"About {id}?", **changed.get(id, {})}) for id in ids
    ]
    Path(project.path, "cases.jsonl").write_text("\n".join(lines))
