"""Statistics: agreement, bootstrap intervals, noise between runs. Pure functions that need only the
standard library.
"""
