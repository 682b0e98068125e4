"""The judge behind an OpenAI-compatible endpoint."""
