"""The page of large runs in a browser: how long it takes to write, to open, and to filter.

Of 2,000 cases with five passages of 3,000 characters it opens in two seconds and filters in a tenth
of one; 10,000 cases only have to work.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from pytest_ragassert import EvalCase
from pytest_ragassert.analysis.run_record import RunRecord
from pytest_ragassert.report.html.page_file import HtmlPage
from tests.browsers import Visit, chromium, executable
from tests.html_runs import Made
from tests.measured import claim, result

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PASSAGE = 3_000  # characters
_OPENED, _FILTERED = 2.0, 0.1  # seconds
_TEXTS = ("a", "ab", "case-1", "zzzz", "case-1999")

# Types each text and says how long it took until the list was laid out, in milliseconds.
_TYPE = """texts => texts.map((text) => {
    const field = document.getElementById("f-text"), start = performance.now();
    field.value = text;
    field.dispatchEvent(new Event("input", {bubbles: true}));
    document.body.offsetHeight;
    return performance.now() - start;
})"""


def measure() -> bool:
    if executable() is None:
        print("skipped: no chromium, or no playwright, is installed")
        return True
    print("| cases | page | written | opened | filtered, median / most | a case |")
    print("|---|---|---|---|---|---|")
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        each = [_measured(browser, Path(folder), count) for count in (2_000, 10_000)]
    return all(each)


def _measured(browser: Any, folder: Path, count: int) -> bool:
    path = folder / f"{count}.html"
    run = large_run(count)
    start = time.perf_counter()
    HtmlPage(path).write(run)
    written = time.perf_counter() - start
    start = time.perf_counter()
    visit = Visit(browser, path, "#view=cases")
    visit.page.locator("#list a").first.wait_for()
    opened = time.perf_counter() - start
    # the first runs what the browser has not compiled yet, and has the passages read
    visit.page.evaluate(_TYPE, ["warm"])
    visit.page.evaluate("passagesRead")
    times = [one / 1000 for one in visit.page.evaluate(_TYPE, [*_TEXTS, ""])]
    start = time.perf_counter()
    visit.page.locator("#list a").nth(3).click()
    visit.page.locator(".claim").first.wait_for()
    shown = time.perf_counter() - start
    visit.close()
    typical = statistics.median(times)
    print(
        f"| {count:,} | {path.stat().st_size / 1e6:.0f} MB | {written:.1f} s | {opened:.2f} s | "
        f"{1000 * typical:.0f} / {1000 * max(times):.0f} ms | {shown:.2f} s |",
        flush=True,
    )
    path.unlink()
    return count > 2_000 or (opened < _OPENED and typical < _FILTERED)


def large_run(count: int) -> RunRecord:
    """So many cases with texts of random words, which compress worse than any language."""
    chance = random.Random(count)
    words = ["".join(chance.choices(_LETTERS, k=chance.randint(3, 10))) for _ in range(5_000)]
    made = Made()
    for number in range(count):
        passages = [" ".join(chance.choices(words, k=500))[:_PASSAGE] for _ in range(5)]
        answer = " ".join(chance.choices(words, k=80))
        failing = number % 17 == 0
        case = EvalCase(
            id=f"case-{number}",
            question=" ".join(chance.choices(words, k=12)),
            answer=answer,
            retrieved_contexts=passages,
            metadata={"topic": f"t{number % 20}", "language": ("en", "de", "zh")[number % 3]},
        )
        claims = [
            claim(
                answer[100 * place : 100 * place + 90],
                "CONTRADICTORY" if failing else "FULLY_SUPPORTED",
                span=(100 * place, 100 * place + 90),
                quote=passages[place][50:150],
                passage=place,
                quote_span=(50, 150),
                reason="The passage says so.",
            )
            for place in range(4)
        ]
        score = 0.0 if failing else 1.0
        made.add(case, result("faithfulness", score, 0.8, passed=not failing, claims=claims))
    return made.record(exit_status=1)
