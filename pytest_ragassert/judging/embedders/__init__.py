"""Embedders, which turn texts into vectors, and the local model for BERTScore."""
