"""A run as Markdown: for a pull request comment, and the step summary of a CI job.

The document consists of HTML elements, which are valid Markdown. Renderers do not look for Markdown
inside HTML blocks, so texts of cases cannot act as Markdown.
"""
