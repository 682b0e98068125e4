"""What a judge is asked: the instructions and reply schema of each step, how a reply is read, and
how quotes are checked.

May import `errors` and the layers below it.
"""
