"""Variables of providers that nothing reads: what is said of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.config.option_types import read_url
from pytest_ragassert.config.other_providers import VARIABLES, unused_lines
from pytest_ragassert.plugin.run_configuration import OF_PROVIDERS

ANTHROPIC = (
    "ANTHROPIC_API_KEY is set but not used; to judge with this provider, set OPENAI_API_KEY to the "
    "value of ANTHROPIC_API_KEY, --ragassert-base-url=https://api.anthropic.com/v1 and "
    "--ragassert-model=MODEL"
)


def test_the_line_says_what_to_set() -> None:
    assert unused_lines({"ANTHROPIC_API_KEY": "sk-ant-1234567890"}, "offline") == [ANTHROPIC]


def test_azure_is_told_with_its_own_endpoint() -> None:
    environ = {
        "AZURE_OPENAI_API_KEY": "0123456789abcdef",
        "AZURE_OPENAI_ENDPOINT": "https://bob:hunter2@ferry.openai.azure.com/openai/deployments/x",
        "OPENAI_API_VERSION": "2024-10-21",
    }
    [line] = unused_lines(environ, "offline")
    assert line == (
        "AZURE_OPENAI_API_KEY, AZURE_OPENAI_ENDPOINT, OPENAI_API_VERSION are set but not used; to "
        "judge with this provider, set OPENAI_API_KEY to the value of AZURE_OPENAI_API_KEY, "
        "--ragassert-base-url=https://ferry.openai.azure.com/openai/v1 and "
        "--ragassert-model=DEPLOYMENT"
    )


def test_a_token_takes_the_place_of_azures_key() -> None:
    [line] = unused_lines({"AZURE_OPENAI_AD_TOKEN": "ey.token"}, "offline")
    assert "OPENAI_API_KEY to the value of AZURE_OPENAI_AD_TOKEN" in line
    assert "https://RESOURCE.openai.azure.com/openai/v1" in line


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
        ("0.0.0.0", "http://localhost:11434/v1"),
        ("0.0.0.0:8000", "http://localhost:8000/v1"),
        (":8000", "http://localhost:8000/v1"),
        ("::", "http://localhost:11434/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        ("https://llm.localhost", "https://llm.localhost/v1"),
        ("what is this", "http://localhost:11434/v1"),
    ],
)
def test_ollama_is_told_at_its_address_and_without_a_key(host: str, url: str) -> None:
    [line] = unused_lines({"OLLAMA_HOST": host}, "offline")
    assert line == (
        "OLLAMA_HOST is set but not used; to judge with this provider, set "
        f"--ragassert-base-url={url} and --ragassert-model=MODEL"
    )


def test_other_packages_have_names_of_their_own() -> None:
    [azure] = unused_lines({"AZURE_API_BASE": "https://ferry.openai.azure.com"}, "offline")
    assert "--ragassert-base-url=https://ferry.openai.azure.com/openai/v1" in azure
    [ollama] = unused_lines({"OLLAMA_BASE_URL": "http://localhost:8000/api"}, "offline")
    assert "--ragassert-base-url=http://localhost:8000/v1" in ollama
    [token] = unused_lines({"ANTHROPIC_AUTH_TOKEN": "sk-ant-1234567890"}, "offline")
    assert "OPENAI_API_KEY to the value of ANTHROPIC_AUTH_TOKEN" in token


def test_ollama_elsewhere_needs_some_key() -> None:
    [line] = unused_lines({"OLLAMA_HOST": "gpu.example.com"}, "offline")
    assert "--ragassert-base-url=http://gpu.example.com:11434/v1" in line
    assert "OPENAI_API_KEY (to any text if it needs no key)" in line


def test_each_variable_is_told_and_many_take_three_lines() -> None:
    for name in VARIABLES:
        [line] = unused_lines({name: "value-of-it"}, "offline")
        assert name in line
        assert line.count("--ragassert-base-url=") == 1
    lines = unused_lines(dict.fromkeys(VARIABLES, "value-of-it"), "offline")
    assert len(lines) == 3
    assert all(any(name in line for line in lines) for name in VARIABLES)


def test_a_run_knows_by_their_ends_whether_there_are_any() -> None:
    assert all(name.endswith(OF_PROVIDERS) for name in VARIABLES)


def test_blank_ones_are_not_set() -> None:
    assert unused_lines(dict.fromkeys(VARIABLES, " \n"), "offline") == []


def test_with_a_key_of_openai_those_that_look_like_its_own_are_told() -> None:
    environ = {"OPENAI_API_KEY": "sk-0123456789", "ANTHROPIC_API_KEY": "sk-ant-1234567890"}
    assert unused_lines(environ, "openai") == []
    environ["OPENAI_API_BASE"] = "http://localhost:8000/v1"
    assert unused_lines(environ, "openai") == [
        "OPENAI_API_BASE is set but not used (questions go to https://api.openai.com/v1); to judge "
        "with this provider, set --ragassert-base-url=http://localhost:8000/v1 and "
        "--ragassert-model=MODEL"
    ]


@given(st.text(max_size=40))
def test_no_value_is_shown_but_an_address_without_its_secrets(value: str) -> None:
    secret = "s3cr3t=0123456789"
    for name in VARIABLES:
        for given_value in (secret, f"https://bob:{secret}@host.example/{value}?k={secret}"):
            told = " ".join(unused_lines({name: given_value}, "offline"))
            assert secret not in told


@given(st.text(max_size=30))
def test_what_is_to_be_set_can_be_set(value: str) -> None:
    for name in ("OLLAMA_HOST", "OLLAMA_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_API_BASE"):
        for line in unused_lines({name: value}, "offline"):
            url = line.partition("--ragassert-base-url=")[2].split(" and ")[0]
            assert read_url(url) == url
