"""Cases from files and lists, with a reader for each file format; samples of cases.

Imports `case` and the folders `storage` and below.
"""
