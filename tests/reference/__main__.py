"""Writes the generated parts and the schemas again."""

from __future__ import annotations

from .pages import ROOT, written


def main() -> None:
    for path, text in written().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
