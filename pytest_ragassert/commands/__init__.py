"""The commands of `python -m pytest_ragassert`, a module each.

May import `plugin` and what is below.
"""
