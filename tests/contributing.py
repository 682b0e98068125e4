"""The code that `CONTRIBUTING.md` shows."""

from __future__ import annotations

import re
from pathlib import Path

_FILE = Path(__file__).parent.parent / "CONTRIBUTING.md"


def shown_code(heading: str) -> list[str]:
    """The Python blocks of a section, in their order."""
    text = _FILE.read_text(encoding="utf-8")
    section = re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^##+ |\Z)", text, re.M | re.S)
    assert section is not None, f"no section {heading!r}"
    return re.findall(r"^```python\n(.*?)^```$", section[1], re.M | re.S)
