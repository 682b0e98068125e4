"""From a judge's text to a JSON value of the step's schema: found, read strictly, repaired
where nothing is lost.
"""
