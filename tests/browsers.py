"""A real browser for tests of pages: the Chromium of the machine, which reaches nothing."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_A_FRAME_LATER = "new Promise(done => setTimeout(() => requestAnimationFrame(done), 20))"
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 360, "height": 740}


def executable() -> str | None:
    """Where a Chromium is; None where there is none, or nothing to drive it."""
    if importlib.util.find_spec("playwright") is None:
        return None
    return next(filter(None, map(shutil.which, _NAMES)), None)


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A browser; the test is skipped where there is none."""
    found = executable()
    if found is None:
        pytest.skip("no chromium, or no playwright, is installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=found, args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """A page that is opened in a browser, and what it did.

    Attributes:
        requests: what was fetched, but for the page itself.
        said: what stands in the console, and errors of scripts.
    """

    def __init__(self, browser: Any, path: Path, address: str = "", **context: Any) -> None:
        self._scripts = context.get("java_script_enabled", True)
        self._context = browser.new_context(**{"viewport": WIDE, **context})
        self._page = self._context.new_page()
        self._page.set_default_timeout(10_000)
        self.requests: list[str] = []
        self.said: list[str] = []
        self._url = path.as_uri()
        self._page.on("request", self._note)
        self._page.on("console", lambda message: self.said.append(message.text))
        self._page.on("pageerror", lambda error: self.said.append(str(error)))
        self._page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.go(address)

    def go(self, address: str) -> None:
        self._page.goto(self._url + address)

    def _note(self, request: Any) -> None:
        if request.url.partition("#")[0] != self._url:
            self.requests.append(request.url)

    @property
    def page(self) -> Any:
        """Playwright's page, once what was clicked or typed is shown.

        The page tells of a new address after the click that leads there, and reads its parts
        without holding up anything else: a look right after a click may come too early.
        """
        if self._scripts:
            self._page.evaluate(_A_FRAME_LATER)
        self._page.locator("main:not([aria-busy])").wait_for(state="attached")
        return self._page

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.page.locator(selector).all_inner_texts()
        return found

    def close(self) -> None:
        self._context.close()
