"""Cases from files, and samples of them.

Imports `case` and the folders `storage` and below.
"""
