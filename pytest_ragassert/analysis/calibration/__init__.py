"""A judge measured on claims that people labelled: the files of claims, its verdicts, the
figures.
"""
