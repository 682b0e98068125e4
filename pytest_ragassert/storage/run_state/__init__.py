"""What the processes of one run share in its run folder: answers, usage, progress, notices and
outages.
"""
