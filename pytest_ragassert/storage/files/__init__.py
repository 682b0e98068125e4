"""How files are read and written: whole or not at all, private, locked, as JSON lines."""
