"""Judges and embedders, and how they are asked.

May import `config` and what is below.
"""
