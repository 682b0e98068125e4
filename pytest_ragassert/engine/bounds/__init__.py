"""What a measurement must come to although judgements are missing: the bounds of its score.

A replay that lacks judgements measures the metric once for each way in which a judge might have
decided (a *world*). Where all worlds lie on one side of the minimum, the assertion is decided.
"""
