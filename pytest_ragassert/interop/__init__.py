"""Reads objects, records and traces of other tools as the fields of a case.

May import `runtime` and the layers below it.
"""
