"""A run as one self-contained page: its data, template, style and script.

Imported only if such a page is written.
"""
