"""`python -m tests.rivals [FOLDER]`: our scores, ragas' and DeepEval's from the same verdicts.

Their environments are made in FOLDER, or one of the user's cache, by the first run (minutes).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from . import ours
from .scenes import DEEPEVAL, PROMPTFOO, RAGAS, SCENES, Scene, same

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ragassert-rivals"
# ragas 0.4.3 imports what langchain-community 0.4 no longer has, and asks for no older one.
NEEDS = {
    RAGAS: ["ragas==0.4.3", "langchain-community<0.4", "langchain-openai<1", "instructor>=1.8"],
    DEEPEVAL: ["deepeval==4.3.1"],
}
# promptfoo needs a newer Node.js than many machines have, so one is installed beside it.
PROMPTFOO_NEEDS = ["promptfoo@0.123.1", "node@22.23.3"]
QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "RAGAS_DO_NOT_TRACK": "true",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
}


class Row(NamedTuple):
    """A scene's values, and what is wrong with them."""

    scene: Scene
    ours: float | None
    theirs: dict[str, float | None]

    def faults(self) -> list[str]:
        found = []
        if not same(self.ours, self.scene.score):
            found.append(f"ours is {self.ours}, by definition {self.scene.score}")
        for rival, value in self.theirs.items():
            differs = measures(rival, self.scene) and not same(value, self.scene.score)
            if differs and rival not in self.scene.why:
                found.append(f"{rival} says {value}, and nothing says why ours is right")
            if not differs and rival in self.scene.why:
                found.append(f"{rival} agrees, yet is said to differ: {self.scene.why[rival]}")
        return found


def measures(rival: str, scene: Scene) -> bool:
    """Whether the rival has that metric with that definition of its parts."""
    own = {
        RAGAS: scene.metric != "context_relevance",
        DEEPEVAL: scene.metric
        in ("faithfulness", "context_precision", "context_recall", "context_relevance"),
    }
    return own[rival]


def environment(rival: str, folder: Path, needs: Sequence[str] | None = None) -> Path:
    """Return the Python of the rival's environment, made where it is not there yet.

    Args:
        needs: of another one than those that have scores.
    """
    needs = NEEDS[rival] if needs is None else needs
    place = folder / rival
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    made = place / "made-for.txt"
    wanted = "\n".join(needs)
    if not made.exists() or made.read_text() != wanted:
        print(f"installing {', '.join(needs)} in {place}", flush=True)
        venv.create(place, with_pip=True, clear=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([python, *install, *needs], check=True)
        made.write_text(wanted)
    return python


def promptfoo_command(folder: Path) -> tuple[Path, Path]:
    """Return Node.js and the script of promptfoo's command, installed by npm at the first use."""
    place = folder / PROMPTFOO
    made = place / "made-for.txt"
    wanted = "\n".join(PROMPTFOO_NEEDS)
    if not made.exists() or made.read_text() != wanted:
        print(f"installing {', '.join(PROMPTFOO_NEEDS)} in {place}", flush=True)
        place.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]
        subprocess.run([*install, place, *PROMPTFOO_NEEDS], check=True)
        made.write_text(wanted)
    modules = place / "node_modules"
    return modules / "node" / "bin" / "node", modules / "promptfoo" / "dist/src/entrypoint.js"


def scores_of(rival: str, python: Path) -> list[float | None]:
    """Raises CalledProcessError: the rival did not measure."""
    scenes = json.dumps([vars(scene) for scene in SCENES])
    script = HERE / f"with_{rival}.py"
    child = subprocess.run(
        [python, "-W", "ignore", script],
        input=scenes,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        env={**os.environ, **QUIET},
    )
    scores: list[float | None] = json.loads(child.stdout.splitlines()[-1])
    return scores


def shown(value: float | None, asked: bool = True) -> str:
    if not asked:
        return ""
    return "nothing" if value is None else f"{value:.10g}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rivals", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CACHE)
    folder = parser.parse_args().folder
    scores = {rival: scores_of(rival, environment(rival, folder)) for rival in NEEDS}
    faulty = 0
    for number, scene in enumerate(SCENES):
        row = Row(scene, ours.score(scene), {r: scores[r][number] for r in NEEDS})
        cells = [
            f"{rival} {shown(value, measures(rival, scene)) or '-'}"
            for rival, value in row.theirs.items()
        ]
        print(f"{scene.metric}, {scene.name}: ours {shown(row.ours)}; {'; '.join(cells)}")
        for rival, why in scene.why.items():
            print(f"    {rival}: {why}")
        for fault in row.faults():
            faulty += 1
            print(f"    FAULT: {fault}")
    agreed = sum(not scene.why for scene in SCENES)
    print(f"{len(SCENES)} scenes: {agreed} agree, {len(SCENES) - agreed} differ; {faulty} faults")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
