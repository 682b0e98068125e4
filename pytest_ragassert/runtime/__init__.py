"""The process a run lives in: its environment, clocks, threads and forks."""
