"""The generated parts of the pages in docs/reference/, written by `python -m tests.reference`.

A page is prose around parts between two comments; each part is made from the code that it
describes. The JSON schemas beside the pages are generated too.
"""
