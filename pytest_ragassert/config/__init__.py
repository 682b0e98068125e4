"""What can be set, and what it means; knows nothing of pytest.

Imports `storage` and the folders below it.
"""
