"""The judges: an OpenAI-compatible endpoint, the offline judge, an object from a hook."""
