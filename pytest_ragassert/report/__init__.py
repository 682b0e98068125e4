"""What a person reads: lines of text from records.

Imports `analysis` and the folders below it.
"""
