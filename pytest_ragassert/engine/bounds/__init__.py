"""Finds the bounds of a score although judgements are missing.

A replay that lacks judgements measures the metric once for each way in which a judge might have
decided (a *world*). If all worlds are on one side of the minimum, the assertion is decided.
"""
