"""From a case to questions, and from answers to a score with the claims it rests on.

Imports `judging` and the folders below it.
"""
