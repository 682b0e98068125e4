"""How a judge is asked, and which judges and embedders there are.

Imports `config` and the folders below it.
"""
