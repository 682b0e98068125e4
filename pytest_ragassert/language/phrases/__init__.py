"""Phrases by language: courtesy, lead-ins, saying that one does not know, and what
questions refer to."""
