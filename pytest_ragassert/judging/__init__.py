"""Judges and embedders, and how they are called.

May import `config` and the layers below it.
"""
