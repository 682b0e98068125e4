"""Figures of a measurement and how sure they are: pure functions of the standard library."""
