def search(question):
    return ["From May to September the ferry runs every 40 minutes."]


def write_answer(question, contexts):
    return "The ferry runs every 40 minutes."
