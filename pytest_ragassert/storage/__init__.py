"""Everything that is stored: keys, the store, committed verdicts, overrides, and what the processes
of one run share.

May import `steps` and the layers below it.
"""
