"""The kinds of question a judge is asked: instructions, reply schema, and how replies are read."""
