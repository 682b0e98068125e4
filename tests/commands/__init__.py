"""Tests of `python -m pytest_ragassert`."""
