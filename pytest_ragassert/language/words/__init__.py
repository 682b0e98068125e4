"""Words by language, read without a model: stems, numbers, names, units, negation."""
