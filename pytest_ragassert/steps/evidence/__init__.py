"""What a verdict rests on: quotes looked for in the passages, how much of a claim they cover,
and which passages a judge gets first.
"""
