"""A run as records, and the files these are written to and read from."""
