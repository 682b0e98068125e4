"""What a judge is asked: the instructions and reply schema of each kind of question, how a reply
becomes values, and how quotes are checked.

May import `errors` and what is below.
"""
