"""What a judge is asked: instructions, reply schema, and how a reply becomes values.

Imports `runtime` and `language`.
"""
