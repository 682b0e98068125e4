"""Texts → vectors: the embedders, behind one door."""
