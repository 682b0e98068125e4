"""Stored verdicts on a Redis or Valkey server, which several machines share."""
