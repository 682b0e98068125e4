"""What sentences say besides facts: courtesy, lead-ins, and not knowing, by language."""
