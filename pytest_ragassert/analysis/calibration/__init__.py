"""A judge measured against people: claims with labels, its verdicts on them, and the figures."""
