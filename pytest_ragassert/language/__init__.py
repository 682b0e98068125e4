"""What is known of writing, whatever is asked about it: sentences, markup, scripts and languages.

Imports no other folder.
"""
