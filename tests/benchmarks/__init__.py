"""Measurements of the plugin: `python -m tests.benchmarks [NAME|all]`."""
