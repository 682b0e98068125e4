"""The `openai` client with our own retries, limits and messages, shared by judge and embedder."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from ....config.credentials import AUTHORIZATION, PLACEHOLDER
from ....config.judge_choice import NO_KEY_WANTED, OR_OFFLINE
from ....config.options import KEY_VARIABLE
from ....config.settings import Settings
from ....errors import ConfigurationError, JudgeError
from ....language.escaping import shortened
from ....runtime.redaction import redact
from ....runtime.urls import is_this_machine, without_user_info
from ....usage import Usage
from ...calls.blocked_sockets import blocked, blocker_in
from ...calls.retries import RETRY_SECONDS, ordinary_wait, retried, tries
from ...calls.send_permit import Failure
from .client_environment import (
    certificates,
    custom_headers,
    proxy_of,
    proxy_variable,
    why_no_client,
)
from .client_logs import mask_client_logs
from .endpoint_errors import asked_wait, is_too_long, refusal_of
from .error_body import ServerError, error_inside, error_of
from .permit_hook import paced
from .redirects import RedirectedRequest, only_to
from .reply_limit import ENCODING, MEGABYTE, BrokenReply, UnreadReply, limited
from .stream import UnreadEvent

if TYPE_CHECKING:
    import openai

Result = TypeVar("Result")


class RefusedRequest(JudgeError):
    """The endpoint answered with an error.

    Attributes:
        error: its answer.
    """

    def __init__(self, message: str, error: ServerError, **kind: Any) -> None:
        super().__init__(message, **kind)
        self.error = error


class _ErrorInside(Exception):
    """A response with status 200 is an error."""

    def __init__(self, error: ServerError) -> None:
        self.error = error


class _NoJson(Exception):
    """The body of a response with status 200 is not JSON. The message is its text."""


# Statuses of a gateway without a server, or of a server that loads its model or is overloaded.
_NOT_READY = (502, 503, 504, 529)
_NOTHING_CAME = "Server disconnected"  # the HTTP client's words
_GRACE = 1.0  # seconds after which the client's own limit has had its chance
_LONGEST_WORDS = 300  # maximum characters of an endpoint's message
_of_parents: list[openai.AsyncOpenAI | None] = []


class OpenAIClient:
    """The client of the process, created with the first request.

    Args:
        model_option: the option that names the model.
        largest_reply: maximum number of bytes that are read of a reply.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        model_option: str = "--ragassert-model",
        largest_reply: int = 16 * MEGABYTE,
    ) -> None:
        self._settings = settings
        self._model_option = model_option
        self._largest_reply = largest_reply
        self._client: openai.AsyncOpenAI | None = None
        self._answered = False

    async def send(
        self, request: Callable[[openai.AsyncOpenAI], Awaitable[Result]], model: str
    ) -> tuple[Result, Usage]:
        """Return the response and what it cost.

        Raises:
            JudgeError: as in `retried`.
        """
        client = self._opened()

        async def send() -> Result:
            # the client's own limit is for each read, and some gateways send blanks in the meantime
            response = await asyncio.wait_for(request(client), self._settings.timeout + _GRACE)
            inside = error_inside(response)
            if inside is not None:
                raise _ErrorInside(inside)
            if isinstance(response, str):
                # what the client returns for a body that is not declared as JSON
                raise _NoJson(response)
            return response

        return await retried(send, partial(self._failure, model), _usage_of)

    def has_answered(self) -> None:
        """The endpoint gave an answer that could be used."""
        self._answered = True

    def forget(self) -> None:
        """Drop the client without closing it: after a fork, it belongs to the parent process."""
        # asyncio warns about open connections when they are collected
        _of_parents.append(self._client)
        self._client = None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _opened(self) -> openai.AsyncOpenAI:
        """Create the client.

        Raises:
            JudgeError: no client can be created, because of a proxy or certificate that can't be
                used.
        """
        if self._client is None:
            self._check_key()
            try:
                self._client = self._made()
            except Exception as error:
                text = self.as_one_line(f"{type(error).__name__}: {error}")
                why = why_no_client(error, self._settings.url, self._settings.environ)
            else:
                return self._client
            # here, so that no traceback leads to frames that contain the key
            raise JudgeError(
                f"no client can be created for {self._settings.endpoint}: "
                + (f"{why} ({text})" if why else text),
                kind="configuration",
                ends_judging=True,
            )
        return self._client

    def _check_key(self) -> None:
        """Check that there is a key.

        Raises:
            JudgeError: there is no key, and the endpoint requires one.
        """
        if self._settings.lacks_key:
            raise JudgeError(
                f"the variable {KEY_VARIABLE} is not set, and this is not stored; set it "
                f"({NO_KEY_WANTED}){OR_OFFLINE}",
                kind="credentials",
                ends_judging=True,
            )

    def _made(self) -> openai.AsyncOpenAI:
        import openai

        mask_client_logs()
        credentials = self._settings.credentials
        url = urlsplit(self._settings.url)
        query = dict(parse_qsl(url.query))
        headers = self._headers()
        if "api-version" in query and credentials.key is not None:
            # Azure's addresses of a deployment need the version there, and the key here
            headers["api-key"] = credentials.key
        names_who_asks = any(name.lower() == AUTHORIZATION for name in headers)
        http_client = self._http_client(url, user_info=not names_who_asks)
        client = openai.AsyncOpenAI(
            # without a key it creates no client
            api_key=credentials.key or PLACEHOLDER,
            base_url=without_user_info(url._replace(query="", fragment="")).geturl(),
            default_query=query or None,
            default_headers=headers,
            http_client=http_client,
            timeout=self._settings.timeout,
            max_retries=0,
        )
        # under the client's own names, so that no header is sent twice
        own = {name.lower(): name for name in client.default_headers}
        headers = {own.get(name.lower(), name): value for name, value in headers.items()}
        # instead of what it took from the present variables
        client.organization, client.project = credentials.organization, credentials.project
        client._custom_headers = headers
        http_client.event_hooks = {
            # as the client spells it, whatever the alphabet of the host's name
            "request": [only_to(str(client.base_url)), self._without_placeholder, paced],
            "response": [limited(self._largest_reply)],
        }
        return client

    def _headers(self) -> dict[str, str]:
        """Return the user's headers; an option takes precedence over the variable, regardless of
        case.
        """
        added = dict(self._settings.headers)
        names = {name.lower() for name in added}
        given = custom_headers(self._settings.environ)
        return {name: value for name, value in given.items() if name.lower() not in names} | added

    async def _without_placeholder(self, request: Any) -> None:
        """Remove the placeholder key from a request to another machine."""
        if request.headers.get("authorization") == f"Bearer {PLACEHOLDER}" and not is_this_machine(
            self._settings.url
        ):
            del request.headers["authorization"]

    def _http_client(self, url: SplitResult, *, user_info: bool) -> openai.DefaultAsyncHttpxClient:
        """Create an HTTP client that sends the URL's user and password as a header.

        In the address, they would appear in the client's logs.

        Args:
            user_info: whether to send them; they would replace a header that the user set.
        """
        import openai

        auth = None
        if user_info and url.username is not None:
            auth = (unquote(url.username), unquote(url.password or ""))
        return openai.DefaultAsyncHttpxClient(
            auth=auth,
            proxy=proxy_of(self._settings.url, self._settings.environ),
            verify=certificates(self._settings.environ),
            trust_env=False,
            headers={"accept-encoding": ENCODING},
        )

    def _failure(self, model: str, error: Exception, retry: int) -> Failure:
        import openai

        if isinstance(error, _ErrorInside):
            return self._refused(error.error, model, retry)
        blocker = blocker_in(error)
        if blocker is not None:
            host = urlsplit(self._settings.url).hostname
            advice = f"pytest-socket allows it with --allow-hosts={host}, or enable_socket"
            return Failure(blocked(blocker, advice))
        endpoint = self._settings.endpoint
        if isinstance(error, openai.APITimeoutError | asyncio.TimeoutError):
            return Failure(
                JudgeError(
                    f"no reply from {endpoint} within {self._settings.timeout:g} s{tries(retry)}; "
                    "--ragassert-timeout sets how long to wait, --ragassert-concurrency how many "
                    "requests are sent at once",
                    kind="timeout",
                ),
                ordinary_wait(retry),
            )
        cause = error.__cause__
        if isinstance(cause, ConfigurationError):
            raise cause  # from the moment when it began to wait for its turn
        if redirected := _redirect_in(error):
            text = (
                f"{endpoint} redirects to {redirected}; nothing was sent there, because questions "
                "go only to the configured endpoint; to use the other one, set --ragassert-base-url"
            )
            return Failure(JudgeError(text, kind="request", ends_judging=not self._answered))
        if isinstance(cause, UnreadReply):
            text = f"the reply of {endpoint} was not read: {cause}"
            return Failure(JudgeError(text, kind="malformed"))
        if isinstance(error, openai.APIConnectionError | BrokenReply):
            proxy = proxy_variable(self._settings.url, self._settings.environ)
            by = f" through the proxy in {proxy}" if proxy else ""
            lost = error if isinstance(error, BrokenReply) else cause or error
            why = self.as_one_line(_words_of(lost))
            advice = ""
            if isinstance(lost, BrokenReply):
                what = f"the reply of {endpoint}{by} was broken off"
            elif type(lost).__name__ == "RemoteProtocolError" and not why.startswith(_NOTHING_CAME):
                what = f"the reply of {endpoint}{by} is not valid HTTP"
            else:
                what = f"no connection to {endpoint}{by}"
                advice = f"; {_where_to_look(self._settings.url, proxy)}"
            text = f"{what}: {why}{tries(retry)}{advice}"
            # the endpoint never answered: the next question would wait just as long
            unreachable = type(cause).__name__ == "ConnectError" and not self._answered
            failure = JudgeError(text, kind="connection", ends_judging=unreachable)
            return Failure(failure, ordinary_wait(retry))
        if isinstance(error, openai.APIStatusError):
            return self._refused(error_of(error), model, retry)
        came = _in_place_of_json(error)
        if came is not None:
            advice = "check --ragassert-base-url, which often ends in /v1"
            return Failure(JudgeError(f"{endpoint} answered {came}; {advice}", kind="malformed"))
        named = "" if isinstance(error, UnreadEvent) else f"{type(error).__name__}: "
        why = self.as_one_line(f"{named}{error}")
        text = f"the reply of {endpoint} can't be used: {why}"
        return Failure(JudgeError(text, kind="malformed"))

    def _refused(self, error: ServerError, model: str, retry: int) -> Failure:
        refusal = refusal_of(
            error,
            model,
            answered=self._answered,
            credentials=self._settings.sent_credentials,
            model_option=self._model_option,
        )
        # many texts and pages begin with the status
        words = re.sub(rf"\A\s*{error.status}(?!\w|\.\d)[\s:.,-]*", "", refusal.words)
        text = f"{error.status} {self.as_one_line(words).rstrip('.') or 'without a message'}"
        text += f"; {refusal.advice}" if refusal.advice else tries(retry)
        wait = asked_wait(error.headers)
        if refusal.again and wait is not None and wait > RETRY_SECONDS:
            text += "; the endpoint asks to wait "
            text += f"{wait:.0f} s" if wait < math.inf else "for ever"
        failure = RefusedRequest(text, error, kind=refusal.kind, ends_judging=refusal.ends_judging)
        if not refusal.again or is_too_long(error):
            return Failure(failure)
        return Failure(
            failure,
            ordinary_wait(retry) if wait is None else wait,
            asked=wait is not None,
            not_ready=error.status in _NOT_READY,
        )

    def as_one_line(self, text: str) -> str:
        """Return an endpoint's message on one line, without secrets."""
        return shortened(" ".join(redact(text).split()), _LONGEST_WORDS)


def _redirect_in(error: BaseException) -> RedirectedRequest | None:
    """Return the refused redirect behind an error; some versions of the client wrap it."""
    return next((e for e in (error, error.__cause__) if isinstance(e, RedirectedRequest)), None)


def _where_to_look(url: str, proxy: str | None) -> str:
    if proxy:
        return f"check the proxy in {proxy}, or list the host in NO_PROXY"
    if is_this_machine(url):
        return "start that server, or check --ragassert-base-url"
    return "check the network and --ragassert-base-url"


def _in_place_of_json(error: Exception) -> str | None:
    """Return what an endpoint answered instead of JSON, or None if the error is about something
    else.

    The client decodes only bodies that are declared as JSON.
    """
    if isinstance(error, _NoJson | json.JSONDecodeError):
        text = error.doc if isinstance(error, json.JSONDecodeError) else str(error)
        return "with a body that is not JSON" if text.strip() else "without a body"
    return "with a body that is not JSON" if isinstance(error, UnicodeDecodeError) else None


def _usage_of(response: Any) -> Usage:
    """Return the usage that a response reports for its request."""
    usage = getattr(response, "usage", None)
    cached = getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", None)
    return Usage(
        requests=1,
        prompt_tokens=_count(getattr(usage, "prompt_tokens", None)),
        cached_tokens=_count(cached),
        completion_tokens=_count(getattr(usage, "completion_tokens", None)),
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _words_of(error: BaseException | None) -> str:
    """Return an error's message or that of its cause: an HTTP client's own errors are often
    empty.
    """
    name = type(error).__name__
    while error is not None:
        if words := str(error):
            return words
        error = error.__cause__ or error.__context__
    return name
