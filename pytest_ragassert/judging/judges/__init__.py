"""The judges: what answers a question."""
