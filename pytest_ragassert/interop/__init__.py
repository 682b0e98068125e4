"""Objects, records and traces of other tools, read as the fields of a case.

May import `runtime` and what is below.
"""
