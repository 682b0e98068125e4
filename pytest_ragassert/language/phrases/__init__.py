"""Phrases by language: courtesy, lead-ins, and saying that one does not know."""
