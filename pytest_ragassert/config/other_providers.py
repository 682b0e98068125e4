"""Environment variables of other providers, which this package does not read, and what to set to
use these providers as the judge.

Imports only the standard library: the header of every run uses it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import SplitResult

from ..runtime.urls import is_this_machine, parsed, shown_url
from .options import DEFAULT_BASE_URL, KEY_VARIABLE

_HOST = re.compile(r"[\w.-]+|[\da-f:.]+")
_MOST_LISTED = 2  # the number of providers that get their own line


class _Provider(NamedTuple):
    """An OpenAI-compatible endpoint.

    Attributes:
        keys: variables for its API key, the most common one first.
        base_url: the URL of its endpoint.
        others: its other variables.
        model: how its models are named.
    """

    keys: tuple[str, ...]
    base_url: str
    others: tuple[str, ...] = ()
    model: str = "MODEL"


_AZURE_ADDRESSES = ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_BASE", "AZURE_API_BASE")
_OLLAMA_ADDRESSES = ("OLLAMA_HOST", "OLLAMA_BASE_URL", "OLLAMA_API_BASE")
_AZURE = _Provider(
    ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_KEY", "AZURE_OPENAI_AD_TOKEN", "AZURE_API_KEY"),
    "https://RESOURCE.openai.azure.com/openai/v1",
    (*_AZURE_ADDRESSES, "OPENAI_API_VERSION", "AZURE_OPENAI_API_VERSION"),
    "DEPLOYMENT",
)
_OLLAMA = _Provider((), "http://localhost:11434/v1", _OLLAMA_ADDRESSES)
# OPENAI_BASE_URL as old clients and other packages name it.
_OLD_NAME = _Provider((KEY_VARIABLE,), DEFAULT_BASE_URL, ("OPENAI_API_BASE",))
_PROVIDERS = (
    _AZURE,
    _Provider(
        ("ANTHROPIC_API_KEY", "CLAUDE_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        "https://api.anthropic.com/v1",
    ),
    _OLLAMA,
    _OLD_NAME,
    _Provider(
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "https://generativelanguage.googleapis.com/v1beta/openai",
    ),
    _Provider(("MISTRAL_API_KEY",), "https://api.mistral.ai/v1"),
    _Provider(("GROQ_API_KEY",), "https://api.groq.com/openai/v1"),
    _Provider(("OPENROUTER_API_KEY",), "https://openrouter.ai/api/v1"),
    _Provider(("TOGETHER_API_KEY", "TOGETHERAI_API_KEY"), "https://api.together.xyz/v1"),
    _Provider(("DEEPSEEK_API_KEY",), "https://api.deepseek.com"),
    _Provider(("XAI_API_KEY",), "https://api.x.ai/v1"),
    _Provider(("COHERE_API_KEY", "CO_API_KEY"), "https://api.cohere.ai/compatibility/v1"),
    _Provider(("PERPLEXITY_API_KEY", "PPLX_API_KEY"), "https://api.perplexity.ai"),
    _Provider(("FIREWORKS_API_KEY",), "https://api.fireworks.ai/inference/v1"),
    _Provider(("CEREBRAS_API_KEY",), "https://api.cerebras.ai/v1"),
    _Provider(("SAMBANOVA_API_KEY",), "https://api.sambanova.ai/v1"),
    _Provider(("NVIDIA_API_KEY",), "https://integrate.api.nvidia.com/v1"),
    _Provider(("DEEPINFRA_API_KEY",), "https://api.deepinfra.com/v1/openai"),
    _Provider(("MOONSHOT_API_KEY",), "https://api.moonshot.ai/v1"),
    _Provider(("DASHSCOPE_API_KEY",), "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
    _Provider(("OLLAMA_API_KEY",), "https://ollama.com/v1"),
    _Provider(("AI_GATEWAY_API_KEY",), "https://ai-gateway.vercel.sh/v1"),
)
VARIABLES = frozenset(
    name for one in _PROVIDERS for name in (*one.keys, *one.others) if name != KEY_VARIABLE
)
# Providers whose users might expect questions to go there while they go to OpenAI.
_LIKE_OPENAI = (_AZURE, _OLD_NAME)


def unused_lines(environ: Mapping[str, str], judge: str) -> list[str]:
    """Lines on provider variables that are set but not used, and what to set instead; one line for
    each of the first providers.

    Args:
        judge: the default judge: `offline`, or `openai` at OpenAI's own address.
    """
    found = []
    for provider in _PROVIDERS if judge == "offline" else _LIKE_OPENAI:
        own = (*provider.keys, *provider.others)
        names = [name for name in own if name in VARIABLES and environ.get(name, "").strip()]
        if names:
            found.append((provider, names))
    lines = [_line(provider, names, environ, judge) for provider, names in found[:_MOST_LISTED]]
    more = [name for _, names in found[_MOST_LISTED:] for name in names]
    if more:
        lines.append(f"{_are_set(more)} but not used either (see docs/how-to/judges.md)")
    return lines


def _line(provider: _Provider, names: list[str], environ: Mapping[str, str], judge: str) -> str:
    url = _base_url(provider, environ)
    key = next((name for name in provider.keys if name in names), None) or next(
        iter(provider.keys), None
    )
    steps = [f"--ragassert-base-url={url}", f"--ragassert-model={provider.model}"]
    if key is None and not is_this_machine(url):
        steps.insert(0, f"{KEY_VARIABLE} (to any text if it needs no key)")
    elif key == KEY_VARIABLE and not environ.get(KEY_VARIABLE, "").strip():
        steps.insert(0, KEY_VARIABLE)
    elif key is not None and key != KEY_VARIABLE:
        steps.insert(0, f"{KEY_VARIABLE} to the value of {key}")
    goes = "" if judge == "offline" else f" (questions go to {DEFAULT_BASE_URL})"
    *most, last = steps
    wanted = f"set {', '.join(most)} and {last}"
    return f"{_are_set(names)} but not used{goes}; to judge with this provider, {wanted}"


def _are_set(names: list[str]) -> str:
    return f"{', '.join(names)} {'are' if len(names) > 1 else 'is'} set"


def _base_url(provider: _Provider, environ: Mapping[str, str]) -> str:
    """The provider's base URL, at the address given by its variables."""
    if provider is _AZURE:
        url = _first(environ, _AZURE_ADDRESSES)
        return _with_path(url, "/openai/v1") or provider.base_url
    if provider is _OLD_NAME:
        return _with_path(environ.get("OPENAI_API_BASE", "").strip(), None) or "URL"
    if provider is _OLLAMA:
        return _of_ollama(_first(environ, _OLLAMA_ADDRESSES)) or provider.base_url
    return provider.base_url


def _first(environ: Mapping[str, str], names: Sequence[str]) -> str:
    """The value of the first variable that is set; empty if none is."""
    return next((value for name in names if (value := environ.get(name, "").strip())), "")


def _with_path(url: str, path: str | None) -> str | None:
    """The URL without credentials and with another path; None if it is not a URL."""
    parts = _shown(url)
    if parts is None:
        return None
    return (parts if path is None else parts._replace(path=path)).geturl().rstrip("/")


def _shown(url: str) -> SplitResult | None:
    try:
        parts = parsed(shown_url(url))
    except ValueError:
        return None
    # a value that is not an address may be a key
    valid = parts.scheme in ("http", "https") and _HOST.fullmatch(parts.hostname or "")
    return parts if valid else None


def _of_ollama(host: str) -> str | None:
    """The base URL for `HOST`, `:PORT`, `HOST:PORT` or a URL; a wildcard listen address becomes
    localhost.
    """
    scheme, _, rest = host.rpartition("://")
    rest = rest.partition("/")[0]
    if rest.startswith(":"):
        rest = f"localhost{rest}"
    elif rest.count(":") > 1 and "[" not in rest:
        rest = f"[{rest}]"
    parts = _shown(f"{scheme or 'http'}://{rest}")
    if parts is None:
        return None
    name = parts.hostname or ""
    if name in ("0.0.0.0", "::"):
        name = "localhost"
    name = f"[{name}]" if ":" in name else name
    port = parts.port or (None if scheme else 11434)
    return f"{parts.scheme}://{name}{f':{port}' if port else ''}/v1"
