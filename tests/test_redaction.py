"""What is masked in a text: every secret in every spelling, and nothing else."""

from __future__ import annotations

import base64
import json
import pickle
import string
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_ragassert.config.credentials import Credentials, header_value, read_credentials
from pytest_ragassert.config.other_providers import VARIABLES
from pytest_ragassert.runtime.redaction import (
    Secrets,
    environment_secrets,
    shown_wrong_value,
    without_keys,
)
from pytest_ragassert.runtime.urls import endpoint_of, masked_urls, parsed, shown_url, url_secrets

ALPHABET = string.ascii_letters + string.digits + "-_.~+/=%&\"'\\<>*ü鍵"
KEYS = st.text(ALPHABET, min_size=8, max_size=30).filter(lambda key: len(key.strip()) >= 8)
# few letters, so that secrets overlap, hold each other, and complete what a mask leaves
TANGLED = st.text("ab*", min_size=8, max_size=14)


def secrets_of(*values: str) -> Secrets:
    secrets = Secrets()
    secrets.add(values)
    return secrets


@given(st.lists(st.one_of(KEYS, TANGLED), min_size=1, max_size=4), st.data())
def test_no_secret_is_left_and_masking_twice_is_masking_once(
    keys: list[str], data: st.DataObject
) -> None:
    pieces = st.one_of(st.sampled_from(keys), st.text("ab* \ud800-", max_size=6), st.text())
    text = "".join(data.draw(st.lists(pieces, max_size=8)))
    secrets = secrets_of(*keys)
    masked = secrets.redact(text)
    assert not [key for key in keys if key in masked]
    assert secrets.redact(masked) == masked


@given(KEYS, st.text("xyz ", max_size=5), st.text("xyz ", max_size=5))
def test_every_spelling_is_known(key: str, before: str, after: str) -> None:
    secrets = secrets_of(key)
    raw = f"{before}{key}{after}"
    spelled = [
        raw,
        quote(raw),
        quote(raw, safe=""),
        json.dumps(raw),
        json.dumps(raw, ensure_ascii=False),
        json.dumps(json.dumps(raw)),
        repr(raw),
        repr(raw.encode()),
        raw.encode().hex(),
    ]
    for text in spelled:
        masked = secrets.redact(text)
        assert "***" in masked
        for one in {key, quote(key, safe=""), json.dumps(key)[1:-1], repr(key)[1:-1]}:
            assert one not in masked
    encoded = base64.b64encode(raw.encode()).decode()
    masked = secrets.redact(encoded)
    # a letter at each end belongs to the text around it as well
    assert len(masked) <= len(encoded) - len(key) + 3


@given(st.text(string.ascii_lowercase + " .", max_size=200))
def test_texts_without_secrets_stay(text: str) -> None:
    secrets = secrets_of("sk-Zebra-4711", "x", "EMPTY", "ollama", "", "        ")
    assert secrets.redact(text) == text
    assert secrets.redacted({"a": [text, 1, None, (text,)]}) == {"a": [text, 1, None, (text,)]}


def test_what_is_masked() -> None:
    secrets = secrets_of("hunter2", "sk-Zebra-4711", "pass word1")
    assert secrets.redact("hunter2 hunter sk-Zebra-4711!") == "*** hunter ***!"
    assert secrets.redacted({"hunter2": [("pass word1", 2)]}) == {"hunter2": [("***", 2)]}


def test_names_in_plain_data_stay() -> None:
    secrets = secrets_of("reference", "factual_recall")
    row = {"source": "reference", "metric": "factual_recall", "reason": "no reference"}
    assert secrets.redacted(row) == {**row, "reason": "no ***"}


def test_a_reply_may_quote_what_was_sent() -> None:
    secrets = secrets_of("production", "sk-Zebra-4711")
    reply = '{"quote": "in production", "reason": "sk-Zebra-4711"}'
    assert secrets.redact_reply(reply, lambda: "made in production") == (
        '{"quote": "in production", "reason": "***"}'
    )
    assert secrets.redact_reply("nothing", lambda: pytest.fail("asked")) == "nothing"


def test_long_texts_are_masked_in_linear_time() -> None:
    # 400,000 characters: a quadratic search would take minutes
    secrets = secrets_of("a" * 40, "ab" * 20)
    assert secrets.redact("a" * 200_000 + "b") == "***b"
    assert len(secrets.redact("ab" * 100_000)) < 10
    assert secrets.redact("a" * 39 + "c") == "a" * 39 + "c"


def test_long_texts_are_searched_for_urls_in_linear_time() -> None:
    text = "a" * 1_000_000 + " " + "a." * 500_000 + "://"
    assert masked_urls(text).startswith(text[:-30])
    assert masked_urls("://" * 500_000).startswith("://")


# -- URLs ------------------------------------------------------------------------------------------

VALUES = st.text(string.ascii_letters + string.digits + "-._~%", min_size=1, max_size=20)
NAMES = st.sampled_from(["api-key", "key", "code", "sig", "subscription-key"])


@given(VALUES, VALUES, st.lists(st.tuples(NAMES, VALUES), max_size=3), VALUES)
def test_no_secret_of_a_url_is_shown_or_names_a_judge(
    user: str, password: str, query: list[tuple[str, str]], fragment: str
) -> None:
    pairs = "&".join(f"{name}={value}" for name, value in query)
    url = (
        f"https://{user}:{password}@host.example:8080/v1/?api-version=2024-10-21&{pairs}#{fragment}"
    )
    assert shown_url(url) == "https://host.example:8080/v1/"
    assert endpoint_of(url) == "https://host.example:8080/v1/?api-version=2024-10-21"
    names = "".join(f"&{name}=***" for name, _ in query) or "&"
    shown = f"https://***@host.example:8080/v1/?api-version=2024-10-21{names}#***"
    assert masked_urls(f"-o ragassert_base_url={url} x") == f"-o ragassert_base_url={shown} x"
    assert masked_urls(shown) == shown
    assert {user, password, fragment, *(value for _, value in query)} <= set(url_secrets(url))


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "http://127.0.0.1:11434/v1",
        "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
        "https://x.openai.azure.com/openai/deployments/d?api-version=2025-01-01-preview",
        "https://host/run/@cf/meta",
    ],
)
def test_ordinary_urls_name_judges_as_they_are(url: str) -> None:
    assert endpoint_of(url) == url
    assert endpoint_of(f"{url}/" if "?" not in url else url) == url
    assert masked_urls(url) == url


def test_a_version_that_is_none_is_a_secret() -> None:
    url = "https://host/v1?api-version=sk-Zebra-4711"
    assert endpoint_of(url) == "https://host/v1"
    assert "sk-Zebra-4711" in set(url_secrets(url))


@pytest.mark.parametrize(
    "url",
    [
        "https://bob:pa/ss@host/v1",
        "https://bob:12/ss@host/v1",
        "https://bob:pa?ss@host/v1",
        "https://bob:pa#ss@host/v1",
        "https://bob:pass@/v1",
        "https://bob:pass@[host/v1",
        "https://bob:pass@host:port/v1",
        "https://bob:pass@ho\x00st/v1",
        "https://bob:pass@\u2100.example/v1",
        "bob:pass@host/v1",
        "host/v1?key=pass",
        "sk-Zebra-4711-do-not-tell",
    ],
)
def test_of_a_malformed_url_nothing_is_shown(url: str) -> None:
    with pytest.raises(ValueError, match=r"^(?!.*(?:ss@|pass|Zebra))"):
        parsed(url)
    assert shown_url(url) == "***"
    assert not {"pa", "ss@", "pass", "Zebra"} & {*shown_wrong_value(url).split("'")}
    assert shown_wrong_value(url).startswith("its value")
    assert "pass" not in masked_urls(url) or "://" not in url


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert isinstance(shown_url(text) + endpoint_of(text) + masked_urls(text), str)
    assert list(url_secrets(text)) is not None


# -- headers ---------------------------------------------------------------------------------------


@given(st.text(string.printable[:94], min_size=1), st.text(" \t\r\n\u00a0"))
def test_white_space_around_a_header_is_no_part_of_it(value: str, space: str) -> None:
    assert header_value(f"{space}{value}{space}", "X") == value


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("sk-a\nsk-b", "character 5 of 9 is a line break"),
        ("sk-\x07bell", "a control character"),
        ("schlüssel", "not ASCII"),
        ("\u200bkey", "not ASCII"),
        ("\ud800key", "not ASCII"),
    ],
)
def test_what_no_header_can_hold_is_told_without_the_value(value: str, told: str) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        with pytest.raises(ValueError, match=rf"^{name}: .*{told}") as caught:
            read_credentials({name: value}, value if name == "OPENAI_API_KEY" else "k", name)
        assert value not in str(caught.value)
    if "\n" not in value:
        with pytest.raises(ValueError, match=rf"^OPENAI_CUSTOM_HEADERS: .*{told}"):
            read_credentials({"OPENAI_CUSTOM_HEADERS": f"A: b\nX-Key: {value}"}, "k")


def test_credentials_show_nothing() -> None:
    credentials = Credentials("sk-Zebra-4711", "org-Zebra", "proj-Zebra")
    assert "Zebra" not in repr(credentials)
    assert pickle.loads(pickle.dumps(credentials)) == credentials


def test_what_the_client_reads_from_the_environment_is_secret() -> None:
    environ = {
        "OPENAI_API_KEY": " sk-Zebra-4711\n",
        "OPENAI_ORG_ID": "org-Yak",
        "OPENAI_CUSTOM_HEADERS": "X-One: gnu-1\nX-Two: gnu-2 \nnone",
        "OPENAI_BASE_URL": "https://bob:hunter2@host/v1?code=C0DE",
        "https_proxy": "http://ann:proxy-word@host:3128",
        "http_proxy": "ann:bare-word@host:3128",
        "ALL_PROXY": "http://ann:wide/word@host:3128",
        "ANTHROPIC_API_KEY": "sk-ant-Lynx",
        "HOME": "/root",
    }
    found = set(environment_secrets(environ))
    assert found >= {"sk-Zebra-4711", "org-Yak", "gnu-1", "gnu-2", "bob:hunter2", "hunter2"}
    assert found >= {"bare-word", "wide/word"}
    assert found >= {"C0DE", "code=C0DE", "proxy-word", "ann:proxy-word", "sk-ant-Lynx"}
    assert "/root" not in found


def test_the_keys_and_addresses_of_all_providers_are_secret() -> None:
    for name in VARIABLES - {"OPENAI_API_VERSION", "AZURE_OPENAI_API_VERSION"}:
        url = name.endswith(("ENDPOINT", "HOST", "API_BASE", "BASE_URL"))
        value = "https://ann:sk-Zebra-4711@host/v1" if url else "sk-Zebra-4711"
        assert "sk-Zebra-4711" in set(environment_secrets({name: value})), name


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "Incorrect API key provided: sk-proj-9f2Kd8aQ. You can find your API key at "
            "https://platform.openai.com/account/api-keys.",
            "Incorrect API key provided: ***. You can find your API key at "
            "https://platform.openai.com/account/api-keys.",
        ),
        ("Incorrect API key provided: sk-abc1********************7xYz", "key provided: ***"),
        ("Invalid API Key: gsk_A1b2C3d4E5f6G7h8", "Invalid API Key: ***"),
        ("Key 'AIzaSyD4-x9QwErTy' is not valid", "Key '***' is not valid"),
        (
            "bad header Authorization: Bearer eyJhbGci.eyJzdWIi.c2lnbmF0",
            "Authorization: Bearer ***",
        ),
        ('{"key": "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"}', '{"key": "***"}'),
        ("no team has 0123456789abcdef0123456789abcdef", "no team has ***"),
        ("The token Zx9-q.7Lm_p0 expired", "The token *** expired"),
    ],
)
def test_what_looks_like_a_key_is_masked(said: str, shown: str) -> None:
    masked = without_keys(said)
    assert masked.endswith(shown)
    assert without_keys(masked) == masked


@pytest.mark.parametrize(
    "said",
    [
        "You didn't provide an API key. Set the header api-key, or OPENAI_API_KEY.",
        "key authentication failed; the token expired, credentials are missing",
        "Your key has no access to gpt-4o-mini-2024-07-18 (request req_011CSHoEeqs5C35K2UUqR7)",
        "Access denied due to invalid subscription key or wrong API endpoint of eastus2.",
        "API key not valid. Please see https://ai.example.org/gemini-api/docs/api-key2.",
        "project proj_abc is not in organization acme: 403, code 20015",
    ],
)
def test_words_about_keys_are_none(said: str) -> None:
    assert without_keys(said) == said
