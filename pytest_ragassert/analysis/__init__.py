"""A run as plain data, and conclusions from it: comparison with a baseline, quality gates,
calibration of a judge, statistics.

May import `generation` and the layers below it.
"""
