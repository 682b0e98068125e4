"""Measurements of the plugin: `python -m tests.benchmarks [idle|reruns|stored|halueval|all]`."""
