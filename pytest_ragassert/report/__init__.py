"""What a person sees: rows of plain data from results, and lines of text from rows."""
