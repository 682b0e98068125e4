"""The store on disk: rows, their formats, damage and repair."""
