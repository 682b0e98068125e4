"""Writes test cases from documents: which passages are asked about, and which questions are kept.

May import `engine` and the layers below it.
"""
