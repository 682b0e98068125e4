"""Text rooms: what the library knows of writing, apart from any question asked about it."""
