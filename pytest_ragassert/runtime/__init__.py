"""The process a run lives in: its environment, clocks, threads and forks, and what of texts may
leave it.

Imports `language`.
"""
