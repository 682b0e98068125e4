"""Options and settings: their names, values and checks, the choice of a judge, credentials.
Knows nothing of pytest.

May import `storage` and the layers below it.
"""
