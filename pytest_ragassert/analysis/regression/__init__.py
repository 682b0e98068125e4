"""A run held against quality gates, a baseline, or another run."""
