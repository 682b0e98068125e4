"""Files as they are read and written here: whole or not at all, private, locked, in JSON lines."""
