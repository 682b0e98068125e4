"""The commands of `python -m pytest_ragassert`, a module each.

Imports every other folder.
"""
