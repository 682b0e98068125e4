"""A run as plain data, and what is concluded from it.

Imports `engine` and the folders below it.
"""
