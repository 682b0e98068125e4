"""A run for a pull request's page: a comment, and the step summary of a CI job.

The document is HTML elements, which is Markdown as well: in a block of HTML no renderer looks for
Markdown, so that texts of cases can't be any.
"""
