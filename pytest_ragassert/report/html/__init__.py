"""A run as one self-contained page: its data, and the template, style and script it is made of.

Loaded where such a page is wanted.
"""
