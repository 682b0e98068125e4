"""Whole pytest runs of small projects: what a person sees, and what it costs."""
