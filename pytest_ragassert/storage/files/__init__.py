"""How files are read and written: completely or not at all, private, locked, as JSON lines."""
