"""When and how often a judge is asked: stored answers first, single flight, limits and budgets,
the pause while an endpoint is away.
"""
