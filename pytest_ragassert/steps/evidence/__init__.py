"""What a verdict rests on: quotes and their places in the passages, how much of a claim they cover,
and which passages a judge gets first.
"""
