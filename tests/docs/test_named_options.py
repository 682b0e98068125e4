"""Each option that a page names exists, also in workflows, which no story runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_ragassert.config.options import OPTIONS

from .blocks import ROOT, pages

FLAGS = {f"--ragassert-{one.name}" for one in OPTIONS if one.command_line}
INI = {f"ragassert_{(one.plural or one.name).replace('-', '_')}" for one in OPTIONS}
PAGES = [*pages(), ROOT / "CONTRIBUTING.md", ROOT / "example_project/README.md"]


# what a page shows as a mistake
MISSPELLED = {"--ragassert-modle", "ragassert_modle"}


def unknown(text: str) -> set[str]:
    flags = set(re.findall(r"--ragassert-[a-z-]*[a-z]", text)) - FLAGS
    ini = set(re.findall(r"\bragassert_(?!min_)[a-z_]*[a-z]\b", text)) - INI
    return flags | ini


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_option_that_a_page_names_exists(page: Path) -> None:
    found = unknown(page.read_text(encoding="utf-8"))
    assert found <= (MISSPELLED if page.name == "messages.md" else set())


def test_an_unknown_option_is_found() -> None:
    text = "--ragassert-gate, ragassert_gates, --ragassert-gatez, ragassert_modle, ragassert_min_x"
    assert unknown(text) == {"--ragassert-gatez", "ragassert_modle"}
