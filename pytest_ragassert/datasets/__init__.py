"""Cases from files, with a reader for each format; samples of cases.

May import `case` and what is below.
"""
