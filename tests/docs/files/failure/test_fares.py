from pytest_ragassert import EvalCase, assert_faithful


def test_child_fare():
    case = EvalCase(
        question="What does a child's ticket cost?",
        answer="A child's ticket costs 7 crowns. Children under three need a ticket.",
        retrieved_contexts=[
            "From May to September the ferry runs every 40 minutes.",
            "A child's ticket costs 4 crowns. Children under six travel free.",
        ],
        retrieved_context_sources=["timetable.md", "fares.md"],
    )
    assert_faithful(case, min=0.8)
