"""Masks secrets in texts that are printed or written.

Everything that leaves the process goes through `redact` (texts), `redacted` (plain data) or
`shown_argument`. A judge's reply goes through `Secrets.redact_reply` when it arrives, and an
endpoint's message that it rejects a key goes through `without_keys`.

The rule: a value is masked wherever it appears if it has at least 8 characters, or at least 6 with
a letter and a digit among them. A shorter one ("x", "EMPTY", "ollama") is a placeholder or a word
that ordinary texts contain. User info and query values of URLs are never shown, whatever their
length.

This module uses only the standard library: the plugin reads URLs with it in every pytest run.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .environment import secret_in
from .urls import MASK, masked_urls, url_secrets

_SHORTEST = 8
_SHORTEST_MIXED = 6  # for a value with a letter and a digit

_SCHEMES = ("apikey", "api-key", "basic", "bearer", "digest", "key", "token")

# Printed instead of a value that may contain a secret.
NOT_SHOWN = "its value (not shown, as it may contain a secret)"


class Secrets:
    """Values that no text may show.

    Every method accepts any text. Masking twice has the same effect as masking once, and no secret
    remains, however secrets overlap or contain each other.
    """

    def __init__(self) -> None:
        self._values: frozenset[str] = frozenset()
        # all spellings; replaced as a whole, so that other threads can read at the same time
        self._spellings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to mask."""
        return bool(self._spellings)

    def add(self, values: Iterable[str | None]) -> None:
        new = {value for value in values if value and _is_masked(value)} - self._values
        if not new:
            return
        self._values |= new
        spellings = {each for value in new for each in _spellings(value)}
        self._spellings = tuple({*self._spellings, *spellings})

    def redact(self, text: str) -> str:
        """Return the text with each secret masked, in plain form and as URLs, JSON, HTML or Base64
        spell it.
        """
        return _masked(text, self._spellings)

    def redacted(self, value: Any) -> Any:
        """Do the same for the texts in lists, tuples and dictionaries of plain data.

        Names are kept: keys, and values with letters only, such as the name of a metric or verdict.
        """
        if isinstance(value, str):
            return value if value.replace("_", "").isalpha() else self.redact(value)
        if not self._spellings:
            return value
        if isinstance(value, Mapping):
            return {key: self.redacted(held) for key, held in value.items()}
        if type(value) in (list, tuple):
            return type(value)(map(self.redacted, value))
        return value

    def redact_reply(self, text: str, question: Callable[[], str]) -> str:
        """Return a reply without the secrets that its endpoint repeats.

        A word that the question itself has is kept: quotes of its passages must remain verbatim.

        Args:
            question: returns what was sent; called if the reply contains a secret.
        """
        found = [spelling for spelling in self._spellings if spelling in text]
        if not found:
            return text
        sent = question()
        return _masked(text, tuple(spelling for spelling in found if spelling not in sent))


SECRETS = Secrets()


def redact(text: str) -> str:
    """Return the text without the secrets that this process knows."""
    return SECRETS.redact(text)


def redacted(value: Any) -> Any:
    """Return plain data without the secrets that this process knows."""
    return SECRETS.redacted(value)


def hide(*values: str | None) -> None:
    """Mask these from now on."""
    SECRETS.add(values)


def hide_url(url: str | None) -> None:
    """Mask the user info and the query values of a URL from now on."""
    SECRETS.add(url_secrets(url or ""))


def hide_environment(environ: Mapping[str, str] | None = None) -> None:
    """Mask the values of variables that the clients read: keys, ids, headers, URLs, proxies."""
    SECRETS.add(environment_secrets(os.environ if environ is None else environ))


def environment_secrets(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in environ.items():
        kind = secret_in(name)
        if kind == "value":
            yield value.strip()
        elif kind == "url":
            yield from url_secrets(value)
        elif kind == "headers":
            for _, held in header_lines(value):
                scheme, _, rest = held.partition(" ")
                yield from (held, rest.strip()) if is_credential_scheme(scheme) else (held,)


def header_lines(text: str) -> list[tuple[str, str]]:
    """Yield names and values of headers, one per line, as in the variable of the `openai`
    client.
    """
    pairs = (line.partition(":") for line in text.split("\n") if ":" in line)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def is_credential_scheme(word: str) -> bool:
    """Whether the word in a header is followed by a credential: `Bearer sk-…`."""
    return word.casefold() in _SCHEMES


def without_keys(text: str) -> str:
    """Return a text in which everything that looks like a key is masked, whoever it belongs to.

    This is for messages in which an endpoint rejects a key, which need not be ours.
    """
    text = _AFTER_ITS_NAME.sub(_unless_word, text)
    return _LIKE_A_KEY.sub(MASK, text)


# Services' prefixes of keys, followed by anything; or letters and digits in an unusual combination.
# A part of a key that is already masked belongs to the key. A request's id is kept.
_LIKE_A_KEY = re.compile(
    r"(?<![\w-])(?:sk|pk|rk|ak|gsk|csk|xai|hf|r8|nvapi|pplx|fw|tgp|dapi|ghp|key|api|AIza)"
    r"(?:(?<=AIza)|[-_])(?=[\w*•…-]*[\d*•…])[\w*•…-]{6,}"
    r"|(?<![\w-])(?!req_)(?=\w*\d)(?=\w*[A-Za-z])\w{20,}"
    r"|\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}"
)
_AFTER_ITS_NAME = re.compile(
    r"(?i)\b((?:api[ _-]?)?key|token|bearer|basic|secret|password|credentials?)"
    r"(\W{1,4}(?:(?:provided|supplied|given|received|value|is|was)\W{1,4}){0,2})"
    r"([^\s\"'`,;()<>{}]{8,})"
)
_WORDS = re.compile(r"[A-Za-z]?[a-z]+(?:[-_'/.][a-z]+)*|[A-Z_]+|\S*://\S*")


def _unless_word(match: re.Match[str]) -> str:
    value = match[3].rstrip(".:!?")
    if _WORDS.fullmatch(value):
        return match[0]
    return f"{match[1]}{match[2]}{MASK}{match[3][len(value) :]}"


# -- configured values -----------------------------------------------------------------------------


def shown_argument(argument: str) -> str:
    """Return a command-line argument in a form that may be printed and pasted."""
    return redact(masked_urls(argument))


def shown_wrong_value(text: str) -> str:
    """Return a value that its option does not accept, unless it may be secret, in printable
    form.
    """
    text = text.strip()
    harmless = re.fullmatch(r"[\w.:/\[\]-]*", text)
    if harmless and (not _is_masked(text) or re.search("[:/]", text)):
        return repr(redact(text))
    return NOT_SHOWN


# -- masking ---------------------------------------------------------------------------------------


def _is_masked(value: str) -> bool:
    value = value.strip()
    if len(value) >= _SHORTEST:
        return True
    mixed = any(map(str.isalpha, value)) and any(map(str.isdigit, value))
    return mixed and len(value) >= _SHORTEST_MIXED


def _masked(text: str, spellings: Iterable[str]) -> str:
    """Mask secrets repeatedly. Each pass shortens the text, because a spelling is longer than the
    mask; a mask may complete a secret that itself has asterisks.
    """
    while found := [spelling for spelling in spellings if spelling in text]:
        text = _once_masked(text, found)
    return text


def _once_masked(text: str, spellings: Iterable[str]) -> str:
    spans = []
    for spelling in spellings:
        at = text.find(spelling)
        while at >= 0:
            spans.append((at, at + len(spelling)))
            at = text.find(spelling, at + 1)
    parts, end = [], -1
    for begin, stop in sorted(spans):
        # overlapping or adjacent ones are one
        if begin > end:
            parts += [text[max(end, 0) : begin], MASK]
        end = max(end, stop)
    return "".join((*parts, text[end:]))


def _spellings(secret: str) -> set[str]:
    """Return the secret in plain form, and as URLs, JSON, Python, HTML and Base64 spell it."""
    import base64
    import html
    import json
    from urllib.parse import quote, quote_plus

    raw = secret.encode("utf-8", "surrogatepass")
    quoted = {quote(raw, safe=safe) for safe in ("", "/", "/:@")} | {quote_plus(raw)}
    quoted |= {re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), each) for each in quoted}
    escaped = {secret, " ".join(secret.split())}
    for _ in range(2):  # JSON contains errors of other servers as JSON
        escaped |= {
            json.dumps(each, ensure_ascii=escapes)[1:-1]
            for each in escaped
            for escapes in (True, False)
        }
    escaped |= {each.replace("/", "\\/") for each in escaped}
    escaped |= {repr(secret)[1:-1], ascii(secret)[1:-1], repr(raw)[2:-1]}
    escaped |= {html.escape(secret), html.escape(secret, quote=False)}
    encoded = {base64.b64encode(raw).decode(), raw.hex()}
    for before in range(3):
        # what remains of it, at any position among the bytes that are encoded together
        text = base64.b64encode(bytes(before) + raw).decode().rstrip("=")
        whole = (before + len(raw)) * 8 // 6
        encoded.add(text[-(-before * 8 // 6) : whole])
    encoded |= {each.translate(str.maketrans("+/", "-_")) for each in encoded}
    return {each for each in quoted | escaped | encoded if len(each) >= _SHORTEST_MIXED}
