"""A run as plain data, and what is concluded from it: comparison with a baseline, quality gates,
a judge's calibration, statistics.

May import `engine` and what is below.
"""
