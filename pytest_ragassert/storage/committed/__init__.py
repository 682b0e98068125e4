"""Committed verdicts: the file or folder under version control that CI replays, and why an
answer is missing there.
"""
