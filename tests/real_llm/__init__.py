"""Tests against a real model: llama.cpp's server with a small instruct model, as a peer.

What it answers is often nonsense; that its requests, replies and errors are dealt with is what
these tests look at. See `server.py` for how it is set up, started and stopped.
"""
