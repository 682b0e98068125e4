"""Reads texts without a model: sentences, markup, words, numbers and phrases by language.

Imports no other folder.
"""
