"""When and how often a judge is asked: from the store first, each question once, within limits."""
