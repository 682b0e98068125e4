"""A run held against gates, a baseline, and earlier runs."""
