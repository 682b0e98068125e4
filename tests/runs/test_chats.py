"""A run over cases that belong to conversations."""

from __future__ import annotations

import json

import pytest

from .projects import Project, new_project

project = pytest.fixture(new_project)

KEY = "sk-live-0123456789abcdefghij"


def test_the_turns_before_a_question_reach_hook_report_and_files(project: Project) -> None:
    turns = [{"role": "user", "content": f"My key is {KEY}. What is the fare?"}]
    chats = [
        {"id": "kids", "question": "And for children?", "history": turns},
        {"id": "alone", "question": "And for children?"},
    ]
    lines = "".join(json.dumps(chat) + "\n" for chat in chats)
    (project.path / "chats.jsonl").write_text(lines)
    project.pytester.makeconftest(
        """
        def pytest_ragassert_answer(case):
            said = [turn["content"][-17:] for turn in case.history]
            return {"answer": f"Dogs pay {len(said)} euros.", "retrieved_contexts": said or ["No."]}
        """
    )
    project.test(
        """
        import pytest
        from pytest_ragassert import assert_faithful

        @pytest.mark.rag_cases("chats.jsonl")
        def test_it(rag_case):
            assert_faithful(rag_case)
        """
    )
    project.set(OPENAI_API_KEY=KEY)
    found = project.run("--ragassert-judge=offline", "--ragassert-artifacts=out")
    found.assert_outcomes(failed=2)
    titles = [line for line in found.outlines if line.startswith("case ")]
    assert titles == [
        'case kids  And for children?  (after "My key is ***. What is the fare?")',
        "case alone  And for children?",
    ]
    [path] = project.path.glob("out/results_*.json")
    results = json.loads(path.read_text())
    alone, kids = results["results"]
    assert (kids["previous_turn"], alone["previous_turn"]) == (
        "My key is ***. What is the fare?",
        None,
    )
    texts = [results["cases"][one["texts"]] for one in (kids, alone)]
    assert [one["history"] for one in texts] == [
        [{"role": "user", "content": "My key is ***. What is the fare?"}],
        [],
    ]
    assert [one["answer"] for one in texts] == ["Dogs pay 1 euros.", "Dogs pay 0 euros."]
    assert texts[0]["retrieved_contexts"] == ["What is the fare?"]
