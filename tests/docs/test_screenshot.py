"""The picture of the report: it can be made again, and shows a claim beside its quote."""

from __future__ import annotations

from pathlib import Path

from .screenshot import HEIGHT, IMAGE, WIDTH, photograph


def test_the_picture_shows_a_claim_and_the_quote_that_contradicts_it(
    tmp_path: Path, forked_python: str
) -> None:
    made = tmp_path / "report.png"
    marked = photograph(made, forked_python)
    assert marked == ["A child's ticket costs 7 crowns.", "A child's ticket costs 4 crowns."]
    assert size(made) == size(IMAGE) == (WIDTH, HEIGHT)
    assert IMAGE.stat().st_size < 200_000


def size(image: Path) -> tuple[int, int]:
    """Width and height, as the head of a PNG file has them."""
    head = image.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
