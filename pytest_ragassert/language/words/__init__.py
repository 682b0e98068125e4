"""What a text says in words, read without a model: stems, numbers, names, negation."""
