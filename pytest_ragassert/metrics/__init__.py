"""The metrics: a case → questions → a score with the claims it rests on."""
