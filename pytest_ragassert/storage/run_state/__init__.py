"""What the processes of one run share: answers, usage, notices, outages."""
