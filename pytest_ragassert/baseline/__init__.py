"""The committed results of a good run, and what a later run changed against them."""
