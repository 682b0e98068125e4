"""When and how often a judge is asked: stored answers first, single flight, limits and budgets, and
the pause while an endpoint is unavailable.
"""
