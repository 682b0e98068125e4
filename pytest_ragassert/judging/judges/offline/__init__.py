"""The offline judge: answers by words alone, without a network, a key or a model."""
