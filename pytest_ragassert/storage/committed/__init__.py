"""Committed verdicts: the file or folder under version control that CI replays, and why a judgement
is missing in it.
"""
