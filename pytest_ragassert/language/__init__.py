"""Texts read without a model: sentences, markup, words, numbers and phrases by language.

Also documents and records of other tools, as texts and fields.

Imports no other folder.
"""
