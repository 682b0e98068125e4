"""The metrics: what each asks the judge about a case, and how the answers become a score.

One file for each metric or family of metrics; votes and ensembles are combined here too.

May import `corpus` and `datasets` and the layers below it.
"""
