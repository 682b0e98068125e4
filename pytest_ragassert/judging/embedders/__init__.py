"""From texts to vectors: the embedders."""
