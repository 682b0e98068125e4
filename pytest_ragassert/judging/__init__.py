"""Judges and embedders, and how they are called.

May import `config` and what is below.
"""
