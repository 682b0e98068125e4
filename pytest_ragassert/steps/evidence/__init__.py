"""Which passage a verdict rests on, and whether it says so: quotes, coverage, ranking."""
