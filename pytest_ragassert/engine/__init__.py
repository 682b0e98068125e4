"""Measures cases: the session of a process, the runner, and prefetching for coming tests.

May import `metrics` and the layers below it.
"""
