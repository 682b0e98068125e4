"""The judges: an OpenAI-compatible endpoint, the offline judge, and objects from hooks."""
