"""The metrics, a file for each or for a family: from a case to questions, and from answers to a
score with its claims. Votes and ensembles become one.

May import `datasets` and what is below.
"""
