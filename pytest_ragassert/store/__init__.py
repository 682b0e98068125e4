"""Where verdicts are kept: keys, the disk cache, the run's own folder, and single flight."""
