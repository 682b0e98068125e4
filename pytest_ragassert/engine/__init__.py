"""One measurement, from case to result: the session of a process, the runner, and prefetching
for coming tests.

May import `metrics` and what is below.
"""
