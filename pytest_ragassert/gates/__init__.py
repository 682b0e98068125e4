"""Gates: what must hold of a whole run."""
