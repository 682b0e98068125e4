"""The judge in the documentation, by another client than ours, against an endpoint of its kind."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fork_server import fork_server
from tests.loopback.judge import answer

from .projects import FAILING, Project, new_project, section, table

# looked for, not imported: it takes longer than the test, and this process has no use for it
pytestmark = pytest.mark.skipif(find_spec("anthropic") is None, reason="needs anthropic")

project = pytest.fixture(new_project)

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "anthropic.md"
STEP = re.compile(r"You (split|check)")
STEPS = {"split": "extract_claims", "check": "verify_claims"}


class Messages(BaseHTTPRequestHandler):
    """Anthropic's messages API, judged by the loopback judge's rules."""

    asked: list[str]

    def do_POST(self) -> None:  # the library's name
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        match = STEP.match(body["system"])
        assert match
        step = STEPS[match[1]]
        self.asked.append(step)
        text = json.dumps(answer(step, json.loads(body["messages"][0]["content"])))
        content = json.dumps(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": body["model"],
                "content": [{"type": "text", "text": f"Here it is:\n```json\n{text}\n```"}],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        return None


# As a prefix of the fork server's command: its processes need not load the other client again.
WITH_CLIENT = """
import runpy, sys
import anthropic

del sys.argv[1:3]
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def forked_python() -> Iterator[str]:
    with fork_server(sys.executable, "-c", WITH_CLIENT) as python:
        yield python


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("Handler", (Messages,), {"asked": asked})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_the_documented_judge_works_with_store_report_and_workers(
    project: Project, endpoint: tuple[str, list[str]]
) -> None:
    url, asked = endpoint
    (code,) = re.findall(
        r'```python title="conftest.py"\n(.*?)```', PAGE.read_text("utf-8"), re.DOTALL
    )
    project.pytester.makeconftest(code)
    project.test(FAILING)
    project.set(ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="sk-of-another", NO_PROXY="127.0.0.1")
    judged = "--ragassert-judge=claude"
    first = project.process(judged, "-n", "2")
    first.assert_outcomes(passed=1, failed=1)
    assert "judge claude" in section(first)
    # the tests share a claim: which worker asks for it, and with what, is a matter of time
    assert set(asked) == {"extract_claims", "verify_claims"}
    requests = len(asked)
    assert requests <= 4
    second = project.process(judged)
    second.assert_outcomes(passed=1, failed=1)
    assert len(asked) == requests
    shown = table(second)
    assert shown[2].strip() == "judge claude-sonnet-5-5, stored"
    assert any(line.strip().startswith('[2] "The crossing costs 9 euros."') for line in shown)
    assert "sk-of-another" not in second.stdout.str()
