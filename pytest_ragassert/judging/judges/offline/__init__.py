"""The offline judge: compares words, without a network, a key or a model."""
