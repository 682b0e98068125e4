"""The runner itself: what it runs, and what it reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from .blocks import ROOT, Block, Story, stories
from .outputs import part, same
from .run_story import Differs, run_story


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tests.docs.blocks.ROOT", tmp_path)
    return tmp_path / "page.md"


def run(page: Path, text: str, python: str) -> None:
    page.write_text(text, encoding="utf-8")
    for number, story in enumerate(stories(page)):
        run_story(story, page.parent / str(number), python)


@pytest.mark.parametrize(
    "text",
    [
        "```console\n$ echo one\none\n$ echo two\n```\n",
        "```console\n$ seq 3\n1\n...\n```\n```text\n2\n3\n```\n",
        "```console\n$ echo a b c\na [...] c\n```\n",
        "```console exit=3\n$ exit 3\n```\n",
        '```python title="a/b.py"\nprint(6 * 7)\n```\n```console\n$ python a/b.py\n42\n```\n',
        '```sh\nexport A=b\ncd /\n```\n```console\n$ echo "$A in $PWD"\nb in /\n```\n',
        "```python\ndef test_one():\n    assert True\n```\n",
        "```python\nfrom pytest_ragassert import EvalCase\n```\n",
        '```toml\nmin = 0.8\n```\n\n```json\n{"a": 1}\n```\n',
        '<!-- setup\n```text title="a"\nx\n```\n-->\n```console\n$ cat a\nx\n```\n',
        "<!-- run: exit=3 exit 3 -->\n<!-- run: echo x > a -->\n```console\n$ cat a\nx\n```\n",
        "<!-- env: A=b -->\n```console\n$ echo $A\nb\n```\n",
        "<!-- not run: there is no cloud -->\n```sh\nfalse\n```\n",
        "```sh\npython3 -m venv .venv\n.venv/bin/pip install 'pytest-ragassert[excel]'\n```\n",
        "- item\n\n  ```console\n  $ echo one\n  one\n  ```\n",
        '```python title="test_a.py"\ndef test_a():\n    pass\n```\n'
        "```console\n$ pytest\n...\nplugins: ragassert-[...]\ncollected 1 item\n\n[...]\n\n"
        "===== 1 passed in 0.1s =====\n```\n",
        "```console\n$ echo took 0.31 s\ntook 2.5 s\n```\n",
        "```console\n$ echo a \\\n    b\na b\n```\n",
    ],
)
def test_what_runs(page: Path, text: str, forked_python: str) -> None:
    run(page, text, forked_python)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("# One\n\n```console\n$ echo one\ntwo\n```\n", "page.md:3: shown\ntwo\n"),
        ("```console\n$ false\n```\n", "page.md:1: exit status 1, not 0"),
        ("```console exit=1\n$ true\n```\n", "exit status 0, not 1"),
        ("<!-- run: exit 3 -->\n", "exit status 3, not 0"),
        ("```console\nls\n```\n", "begins with `$ `"),
        ("```python\nraise OSError\n```\n", "exit status 1"),
        ("```python\ndef test_one():\n    assert False\n```\n", "exit status 1"),
        ("```toml\nmin = \n```\n", "no valid toml"),
        ("```cobol\nx\n```\n", "no rule says how to run 'cobol'"),
        ('```python title="a.py"\nx = 1\n```\n', "nothing on the page uses a.py"),
        ("```console\n$ echo 1\n```\n```text\n2\n```\n", "shown\n2\n"),
        ("```sh\npip install 'pytest-ragassert[cobol]'\n```\n", "no such extra"),
        ("<!-- run by: tests/none.py -->\n```sh\ntrue\n```\n", "no such test"),
        ("```sh\ntouch a\n```\n<!-- new folder -->\n```sh\ncat a\n```\n", "No such file"),
    ],
)
def test_what_is_reported(page: Path, text: str, reported: str, forked_python: str) -> None:
    with pytest.raises(Differs) as caught:
        run(page, text, forked_python)
    assert reported in str(caught.value)


def test_an_endpoint_answers_for_the_url_that_the_page_shows(
    page: Path, forked_python: str
) -> None:
    text = """\
<!-- endpoint: https://judge.example.org/v1 -->
<!-- env: OPENAI_API_KEY=sk-test -->
```toml title="pyproject.toml"
[tool.pytest.ini_options]
ragassert_model = "some-model"
ragassert_base_url = "https://judge.example.org/v1"
```
```python
from pytest_ragassert import EvalCase, assert_faithful

def test_one():
    case = EvalCase(question="q", answer="Dogs pay.", retrieved_contexts=["Dogs pay."])
    assert "some-model" in assert_faithful(case).pretty()
```
"""
    run(page, text, forked_python)


def test_real_outputs_replace_those_shown(page: Path, forked_python: str) -> None:
    page.write_text("```console\n$ echo one\ntwo\n$ echo three\nthree\n```\n", encoding="utf-8")
    (story,) = stories(page)
    updated = run_story(story, page.parent / "x", forked_python, update=True)
    assert list(updated.values()) == ["$ echo one\none\n$ echo three\nthree\n"]


def test_a_block_names_its_page_and_line() -> None:
    block = Block(ROOT / "docs/a.md", 7, "sh", "")
    assert block.place == "docs/a.md:7"
    assert Story(ROOT / "docs/a.md", 7, [block]).name == "docs/a.md:7"


def test_elisions() -> None:
    assert same("a\n...\nd\n", "a\nb\nc\nd\n")
    assert not same("a\n...\nd\n", "a\nb\nc\n")
    assert same("..\n", "..\n")
    assert part("b\nc", "a\nb\nc\nd\n")
    assert not part("b\nd", "a\nb\nc\nd\n")
