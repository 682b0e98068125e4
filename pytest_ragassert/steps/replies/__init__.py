"""From a judge's text to a JSON value of the step's shape."""
