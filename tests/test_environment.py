"""Which variables decide, and which proxy they name for an endpoint."""

from __future__ import annotations

import pytest

from pytest_ragassert.judging.judges.openai.client_environment import custom_headers, proxy_of
from pytest_ragassert.runtime.environment import Environment, expanded


def test_an_environment_stays_as_it_was_and_shows_nothing() -> None:
    variables = {"OPENAI_API_KEY": "sk-secret", "PATH": "/bin"}
    environment = Environment(variables)
    variables.clear()
    assert dict(environment) == {"OPENAI_API_KEY": "sk-secret", "PATH": "/bin"}
    assert repr(environment) == "<Environment of 2 variables>"
    assert environment == Environment(dict(environment)) == dict(environment)
    assert environment != Environment({"PATH": "/bin"})
    assert environment != {"PATH": "/bin"}


def test_a_worker_takes_what_decides_from_the_controller() -> None:
    controller = Environment({"OPENAI_API_KEY": "a", "CI": "1", "https_proxy": "p", "HOME": "/c"})
    worker = Environment({"OPENAI_API_KEY": "b", "RAGASSERT_MODEL": "m", "HOME": "/w"})
    assert dict(worker.with_deciding(controller.deciding())) == {
        "OPENAI_API_KEY": "a",
        "CI": "1",
        "https_proxy": "p",
        "HOME": "/w",
    }


def test_the_home_folder_is_the_environments() -> None:
    assert expanded("~/store", {"HOME": "/home/a"}) == "/home/a/store"
    assert expanded("~", {"HOME": "/home/a"}) == "/home/a"
    assert expanded("store/~", {"HOME": "/home/a"}) == "store/~"


@pytest.mark.parametrize(
    ("variables", "proxy"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://p:1"}, "http://p:1"),
        ({"HTTPS_PROXY": "p:1"}, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, None),
        ({"ALL_PROXY": "socks5://p:1", "HTTP_PROXY": "http://q:1"}, "socks5://p:1"),
        ({"ALL_PROXY": "http://p:1", "HTTPS_PROXY": "http://q:1"}, "http://q:1"),
        ({"HTTPS_PROXY": "http://p:1", "https_proxy": "http://q:1"}, "http://q:1"),
        ({"HTTPS_PROXY": "http://p:1", "https_proxy": ""}, None),
        ({"HTTPS": "on", "ALL": "yes"}, None),
        ({"https_proxy": "http://p:1", "NO_PROXY": "other.example, judge.example"}, None),
        ({"https_proxy": "http://p:1", "NO_PROXY": ".judge.example"}, None),
        ({"https_proxy": "http://p:1", "NO_PROXY": "*.example"}, None),
        ({"https_proxy": "http://p:1", "no_proxy": "API.judge.example:8443"}, None),
        ({"https_proxy": "http://p:1", "no_proxy": "api.judge.example:443"}, "http://p:1"),
        ({"https_proxy": "http://p:1", "no_proxy": "*"}, None),
        ({"https_proxy": "http://p:1", "no_proxy": "dge.example,,"}, "http://p:1"),
    ],
)
def test_the_proxy_of_an_endpoint(variables: dict[str, str], proxy: str | None) -> None:
    assert proxy_of("https://u:p@api.judge.example:8443/v1?x=y", variables) == proxy


def test_the_headers_of_every_request() -> None:
    text = "X-Team: a:b\n no header \nX-Own:  1 "
    assert custom_headers({"OPENAI_CUSTOM_HEADERS": text}) == {"X-Team": "a:b", "X-Own": "1"}
    assert custom_headers({}) == {}
