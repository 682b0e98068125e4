"""Answers that last: their keys, `open_store` and the store on disk, committed verdicts, and what
the processes of one run share.

Imports `steps`, `runtime` and `language`.
"""
