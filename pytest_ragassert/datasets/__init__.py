"""Reads cases from files, with one reader for each format, and takes samples of cases.

May import `case` and the layers below it.
"""
