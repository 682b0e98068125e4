"""The commands of `python -m pytest_ragassert`, one module each.

May import `plugin` and the layers below it.
"""
