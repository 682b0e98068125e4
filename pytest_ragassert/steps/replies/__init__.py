"""From a judge's text to a JSON value of the step's schema: found, read strictly, and repaired only
if nothing is lost.
"""
