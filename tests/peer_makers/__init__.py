"""Files as other tools' current releases write them: `python -m tests.peer_makers TOOL…`.

A module here makes the files of a tool by the tool's own export, and its objects. The small files
in `tests/peer_files/` were made so; `tests/test_peer_files.py` reads them, and makes them anew
where a tool is installed.
"""
