"""Tests of `pytest_ragassert.generation`."""
