"""Compares a run with quality gates, a baseline, or another run."""
