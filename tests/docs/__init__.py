"""Runs every code block of the README and the docs: see `blocks.py` for what a page may hold."""
