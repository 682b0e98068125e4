"""The judge behind an OpenAI-compatible endpoint: client, requests, streams and errors."""
