"""Evidence rooms: which passage a verdict rests on, and whether it really says so."""
