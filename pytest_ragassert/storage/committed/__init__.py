"""Verdicts that are committed with a project: their lines, and the file or folder of them."""
