"""What a person reads, made from records: failures, the summary, and the writers of files.

May import `analysis` and what is below.
"""
