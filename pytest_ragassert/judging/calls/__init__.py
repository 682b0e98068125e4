"""How a call is made that may fail, hang or be limited: event loop, retries, hooks, sockets."""
