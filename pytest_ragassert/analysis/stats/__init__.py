"""Statistics: agreement, bootstrap intervals, noise between runs. Pure functions of the
standard library.
"""
