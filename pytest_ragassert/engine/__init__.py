"""One measurement, from case to result: the session, its runner, and what is measured ahead.

Imports `metrics` and the folders below it.
"""
