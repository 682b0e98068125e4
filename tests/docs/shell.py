"""The shell in which a story's commands run: one folder, one environment, no key, no network.

`python`, `pip` and `pytest` are scripts: Python's processes are forked from one that has imported
everything; `python -m venv` makes a folder with these scripts; `pip install` checks that the
project has the extras it names, and installs nothing.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.loopback.server import LoopbackJudge
from tests.toml_files import pyproject
from tests.writing_judge import writes

from .blocks import ROOT

_PYTHON = """\
#!/bin/sh
case "$1 $2" in
"-m venv") mkdir -p "$3" && ln -sfn {bin} "$3/bin" && exit ;;
"-m pip") shift 2; exec {bin}/pip "$@" ;;
"-m pytest"|"-m pytest_ragassert") exec {python} "$@" ;;
esac
exec {plain} "$@"
"""
_PYTEST = '#!/bin/sh\nexec {python} -m pytest "$@"\n'
_PIP = '#!/bin/sh\nexec {plain} {script} "$@"\n'
_CHECK_REQUIREMENTS = """\
import re, sys

EXTRAS = set({extras!r})
command, *words = sys.argv[1:]
assert command == "install", f"pip {{command}}: only install is known here"
for word in words:
    name, extras = re.fullmatch(r"([^\\[]*)(?:\\[(.*)\\])?", word).groups()
    if extras and (word.startswith("-") or name in ("", ".", "pytest-ragassert")):
        assert set(extras.split(",")) <= EXTRAS, f"no such extra: {{word}}"
"""
_ADDOPTS = (
    "-p ragassert -p xdist -p asyncio"
    " -o asyncio_default_fixture_loop_scope=function"
    " -W ignore::pytest.PytestAssertRewriteWarning"
)
_DEVELOPMENT = re.compile(r"^(plugins: .*?)(ragassert-[^,\n]*).*\n(?:asyncio: mode=.*\n)?", re.M)
_STATE = """\
. "$STORY_STATE/env" 2>/dev/null
cd "$(cat "$STORY_STATE/cwd")"
{command}
status=$?
export -p >"$STORY_STATE/env"
pwd >"$STORY_STATE/cwd"
exit $status
"""


class Shell:
    """Runs commands in a folder, with what they print and how they end."""

    def __init__(self, folder: Path, state: Path, python: str) -> None:
        self.folder, self._state = folder, state
        self._endpoints: dict[str, LoopbackJudge] = {}
        scripts = state / "bin"
        scripts.mkdir(parents=True)
        check = state / "check_requirements.py"
        extras = sorted(pyproject()["project"]["optional-dependencies"])
        check.write_text(_CHECK_REQUIREMENTS.format(extras=extras), encoding="utf-8")
        python_script = _PYTHON.format(bin=scripts, python=python, plain=sys.executable)
        texts = {
            "python": python_script,
            "python3": python_script,
            "pytest": _PYTEST.format(python=python),
            "pip": _PIP.format(plain=sys.executable, script=check),
            "activate": "",
        }
        for name, text in texts.items():
            scripts.joinpath(name).write_text(text, encoding="utf-8")
            scripts.joinpath(name).chmod(0o755)
        state.joinpath("cwd").write_text(str(folder), encoding="utf-8")
        state.joinpath("env").write_text("", encoding="utf-8")
        kept = {
            name: os.environ[name] for name in ("TMPDIR", "LANG", "LC_ALL") if name in os.environ
        }
        self.environ = {
            **kept,
            "PATH": f"{scripts}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(state),
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "PYTHONPATH": str(ROOT),
            "STORY_STATE": str(state),
            # a file that is written again within a second, as long as before, would be the old one
            "PYTHONDONTWRITEBYTECODE": "1",
            # only the plugins that a reader has, or that a page names
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": _ADDOPTS,
            "GIT_AUTHOR_NAME": "You",
            "GIT_AUTHOR_EMAIL": "you@example.org",
            "GIT_COMMITTER_NAME": "You",
            "GIT_COMMITTER_EMAIL": "you@example.org",
        }

    def endpoint(self, url: str, replies: str = "") -> None:
        """Let a test server answer for `url`.

        Args:
            url: the base URL that the page shows.
            replies: what it replies to each request, as a JSON object of `LoopbackJudge.script`;
                "writes": as the judge of `tests.writing_judge`; empty: as one that compares words.
        """
        judge = self._endpoints[url] = LoopbackJudge().start()
        if replies == "writes":
            writes(judge)
        elif replies:
            judge.script([json.loads(replies)], repeat_last=True)
        if url == "https://api.openai.com/v1":
            self.environ["OPENAI_BASE_URL"] = judge.base_url

    def close(self) -> None:
        for judge in self._endpoints.values():
            judge.close()

    def inward(self, text: str) -> str:
        """A text of the page with the test servers' addresses."""
        for url, judge in self._endpoints.items():
            text = text.replace(url, judge.base_url)
        return text

    def outward(self, text: str) -> str:
        """What was printed, with the addresses and folders that the page has."""
        for url, judge in self._endpoints.items():
            text = text.replace(judge.base_url, url)
            text = text.replace(judge.base_url.removesuffix("/v1"), url.removesuffix("/v1"))
        text = text.replace(str(self.folder), "/home/you/project")
        text = re.sub(r"/tmp/fork-server-\w+/python", "/home/you/project/.venv/bin/python", text)
        text = _DEVELOPMENT.sub(r"plugins: \2\n", text)
        return re.sub(r"\r(?!\n)|\x1b\[[0-9;]*[A-Za-z]", "", text)

    def run(self, command: str) -> tuple[int, str]:
        """Run a command; its exit status, and all that it printed."""
        done = subprocess.run(
            ["bash", "-c", _STATE.format(command=self.inward(command))],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=120,
        )
        return done.returncode, self.outward(done.stdout)
