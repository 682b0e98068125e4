"""Reads documents as passages, from which cases are made: a reader for each format, and the rules
by which a text is cut.

May import `case` and the layers below it.
"""
