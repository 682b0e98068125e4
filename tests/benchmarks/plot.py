"""Wall time against the number of cases, as a picture: `python -m tests.benchmarks plot`."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .ahead import AT_ONCE, CHAIN, CONCURRENCY, LATENCY, SERVED, deepeval_run
from .children import ROOT, JudgeProcess
from .project import OF_FAITHFULNESS, write_project
from .rows import Choice, asked_run, ideal_seconds

PICTURE = ROOT / "docs" / "images" / "speed.svg"
SIZES = (10, 20, 40, 80, 160, 400)
THEIRS = (10, 20, 40)  # DeepEval's, as it takes more than a second a case
ASKED, STORED, DEEPEVAL, IDEAL = "asked", "stored", "DeepEval 4.3.1", "ideal"
# Seconds by number of cases.
Figures = Mapping[str, Mapping[int, float]]
_STYLES = {
    DEEPEVAL: ("#c0392b", "s", "-"),
    ASKED: ("#1f4e9c", "o", "-"),
    STORED: ("#2e8b57", "^", "-"),
    IDEAL: ("#777777", "", "--"),
}
_TITLES = {
    DEEPEVAL: "DeepEval 4.3.1, pytest mode",
    ASKED: "pytest-ragassert, every verdict asked",
    STORED: "pytest-ragassert, every verdict stored",
    IDEAL: f"ideal: replies alone, {AT_ONCE} in flight",
}


def measure(choice: Choice) -> bool:
    """Measure, draw, and print what was drawn as a Markdown table."""
    if importlib.util.find_spec("matplotlib") is None:
        print("no matplotlib; pip install 'pytest-ragassert[bench]'")
        return False
    sizes = SIZES if choice.whole else THEIRS
    found = figures(choice, sizes)
    draw(found, PICTURE)
    print("| cases | " + " | ".join(_TITLES.values()) + " |")
    print("|---" * (len(_TITLES) + 1) + "|")
    for size in SIZES:
        cells = (found[name].get(size) for name in _TITLES)
        print(f"| {size} | " + " | ".join(f"{c:.1f} s" if c else "" for c in cells) + " |")
    print(f"{PICTURE}: {PICTURE.stat().st_size / 1000:.0f} kB")
    return True


def figures(choice: Choice, theirs: tuple[int, ...]) -> Figures:
    """Whole runs of ours, asked and again, and of DeepEval's where it is to be measured."""
    found: dict[str, dict[int, float]] = {name: {} for name in _TITLES}
    with tempfile.TemporaryDirectory() as name, JudgeProcess(LATENCY, module=SERVED) as judge:
        for size in SIZES:
            folder = Path(name, str(size))
            folder.mkdir()
            write_project(folder, size, f1=False)
            for kind in (ASKED, STORED):
                found[kind][size] = asked_run(judge, folder, "store", CONCURRENCY).wall
            found[IDEAL][size] = ideal_seconds(
                OF_FAITHFULNESS * size, latency=LATENCY, at_once=AT_ONCE, chain=CHAIN
            )
            if size in theirs:
                found[DEEPEVAL][size] = deepeval_run(judge, folder, choice.rivals).wall
    return found


def draw(found: Figures, picture: Path) -> None:
    """The same figures make the same bytes."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    # text stays text: it is small, and can be searched
    mpl.rcParams.update(
        {"svg.hashsalt": "speed", "svg.fonttype": "none", "font.family": "sans-serif"}
    )
    figure, axes = plt.subplots(figsize=(8, 5))
    for name, (colour, marker, line) in _STYLES.items():
        sizes, seconds = zip(*sorted(found[name].items()), strict=True)
        axes.plot(sizes, seconds, color=colour, marker=marker, linestyle=line, label=_TITLES[name])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(SIZES, [str(size) for size in SIZES])
    axes.set_yticks(
        (0.5, 1, 2, 5, 10, 20, 50, 100), ["0.5", "1", "2", "5", "10", "20", "50", "100"]
    )
    axes.minorticks_off()
    axes.set_xlabel("cases, one pytest test each (logarithmic)")
    axes.set_ylabel("wall time of the whole run, s (logarithmic)")
    axes.set_title(
        f"A serial pytest run of faithfulness, {LATENCY * 1000:.0f} ms a reply, loopback judge",
        fontsize=11,
    )
    axes.grid(color="#e0e0e0", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    # below, where no line can run into it
    figure.legend(loc="lower center", ncols=2, frameon=False, fontsize=9)
    figure.tight_layout(rect=(0, 0.1, 1, 1))
    figure.savefig(picture, metadata={"Date": None})
    lines = picture.read_text(encoding="utf-8").splitlines()
    picture.write_text("".join(f"{line.rstrip()}\n" for line in lines), encoding="utf-8")
    plt.close(figure)
