"""A single call that may fail, hang or be limited: event loop, time limits, retries, hooks,
sockets.
"""
