"""What answers say without stating anything, and where their sentences may be cut, by language."""
