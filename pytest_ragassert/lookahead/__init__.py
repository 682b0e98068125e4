"""Judging the coming cases of a test function while its earlier ones are asserted."""
