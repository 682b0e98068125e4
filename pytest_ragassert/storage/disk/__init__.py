"""The store on disk: SQLite, rows and their formats, an index of claims, damage and repair."""
