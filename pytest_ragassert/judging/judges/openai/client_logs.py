"""Masks secrets in the log lines of the HTTP client, which pytest shows and keeps (`log_cli`,
JUnit).
"""

from __future__ import annotations

import logging

from ....runtime.redaction import redact
from ....runtime.urls import masked_urls

# `openai` and the libraries that its versions use. Filters do not apply to child loggers.
_LIBRARIES = ("openai", "httpx", "httpx2", "httpcore", "httpcore2")
# Loggers that are created only when they are first needed.
_LATE = ("connection", "http11", "http2", "proxy", "socks")


class _WithoutSecrets(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        except (TypeError, ValueError):
            return True  # logging reports it
        masked = redact(masked_urls(message))
        if masked != message:
            record.msg, record.args = masked, None
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        return True


_FILTER = _WithoutSecrets()


def mask_client_logs() -> None:
    """Mask secrets in the messages of the HTTP client's loggers from now on."""
    late = (f"{core}.{name}" for core in ("httpcore", "httpcore2") for name in _LATE)
    known = (name for name in logging.root.manager.loggerDict)
    for name in {*_LIBRARIES, *late, *known}:
        if name.partition(".")[0] in _LIBRARIES:
            logging.getLogger(name).addFilter(_FILTER)
