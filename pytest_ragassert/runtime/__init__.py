"""The process of a run: its environment, clocks, threads and forks, and the secrets that are masked
in texts that leave it.

May import `language` and the layers below it.
"""
