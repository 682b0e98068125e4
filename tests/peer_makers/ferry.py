"""The texts of all files that are made."""

QUESTION = "How often does the ferry run?"
ANSWER = "Every 40 minutes."
REFERENCE = "Every 40 minutes in summer."
CONTEXTS = ["The ferry runs every 40 minutes.", "Dogs ride free, 'on a lead'."]
IDEAL = ["The ferry runs every 40 minutes."]
SECOND = "Is it open in winter?"
SECOND_ANSWER = "No."
