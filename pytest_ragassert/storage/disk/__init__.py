"""The store on disk: its database, rows, an index of claims, damage and repair."""
