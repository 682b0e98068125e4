"""Builds the output for people from records: failures, the summary, and report files.

May import `analysis` and the layers below it.
"""
