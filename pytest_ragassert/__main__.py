"""The command line: `python -m pytest_ragassert`."""

from __future__ import annotations

import sys

from .commands.command_line import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
