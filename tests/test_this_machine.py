"""Addresses of this machine, where no key is asked for."""

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.config.credentials import needs_key
from pytest_ragassert.runtime.urls import is_this_machine

HERE = [
    "http://localhost:11434/v1",
    "https://LOCALHOST/v1",
    "http://localhost./v1",
    "http://llm.localhost:8080",
    "http://127.0.0.1:8000/v1",
    "http://127.9.8.7",
    "http://127.1:8000",
    "http://0.0.0.0:8000/v1",
    "http://[::1]:8000/v1",
    "http://[::]:8000/v1",
    "http://[::ffff:127.0.0.1]:8000/v1",
    "http://host.docker.internal:11434/v1",
    "http://host.containers.internal:11434/v1",
    f"http://{socket.gethostname()}:8000/v1",
    f"http://{socket.gethostname()}.local:8000/v1",
]
ELSEWHERE = [
    "https://api.openai.com/v1",
    "http://localhost.example.com/v1",
    "http://127.0.0.1.nip.io/v1",
    "http://notlocalhost/v1",
    "http://192.168.0.7:11434/v1",
    "http://10.0.0.1/v1",
    "http://[2001:db8::1]/v1",
    "http://128.0.0.1/v1",
    "https://user@example.com/v1#@localhost",
    "https://localhost@example.com/v1",
    "no url",
    "",
]


@pytest.mark.parametrize("url", HERE)
def test_addresses_of_this_machine_want_no_key(url: str) -> None:
    assert is_this_machine(url)
    assert not needs_key(url, {})


@pytest.mark.parametrize("url", ELSEWHERE)
def test_other_addresses_are_elsewhere(url: str) -> None:
    assert not is_this_machine(url)


@given(st.ip_addresses(v=4))
def test_of_addresses_those_of_the_loopback_are_here(address: object) -> None:
    here = str(address).startswith("127.") or str(address) == "0.0.0.0"
    assert is_this_machine(f"http://{address}:8000/v1") is here


@pytest.mark.parametrize(
    ("url", "headers", "needs"),
    [
        ("https://llm.example.com/v1", "", True),
        ("https://llm.example.com/v1", "X-Trace: 1", True),
        ("https://llm.example.com/v1", "X-Trace: 1\napi-key: abc", False),
        ("https://llm.example.com/v1", "authorization: Basic abc", False),
        ("https://bob:secret@llm.example.com/v1", "", False),
        ("https://llm.example.com/v1?key=secret", "", True),
    ],
)
def test_other_credentials_take_the_place_of_a_key(url: str, headers: str, needs: bool) -> None:
    assert needs_key(url, {"OPENAI_CUSTOM_HEADERS": headers}) is needs
