"""The judge behind an OpenAI-compatible endpoint, through the `openai` client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ....config.settings import Settings
from ....errors import JudgeError
from ....runtime.canonical_json import Json
from ....steps.step import Step
from ....usage import Usage
from ...calls.send_permit import Spent
from ..judge import Lesson, Malformed, Reply, TooLong
from .completions import reply_of
from .endpoint_errors import is_too_long
from .openai_client import OpenAIClient, RefusedRequest
from .request_findings import Findings, FindingsOfProcess
from .request_parameters import STREAM, RequestShape, is_unexplained, refused_part
from .stream import is_stream, joined, streamed

if TYPE_CHECKING:
    import openai

_PATH = "/chat/completions"


class _Model:
    """What is known about a model's endpoint.

    Attributes:
        remembered: the shape comes from an earlier run and was not yet tried in this one.
        answered: the endpoint accepted a request.
    """

    def __init__(self, shape: RequestShape, *, remembered: bool) -> None:
        self.shape = shape
        self.remembered = remembered
        self.answered = False


class _Request:
    """A message to be sent. It is written at the moment when it may be sent.

    Waiting for that, and creating the client, may take longer than another process needs to find
    out how requests have to be written.

    Args:
        write: writes its body with everything known by then.

    Attributes:
        body: the body as it was last sent.
    """

    def __init__(self, write: Callable[[], dict[str, Any]]) -> None:
        self._write = write
        self.body: dict[str, Any] = {}

    async def send(self, client: openai.AsyncOpenAI) -> Any:
        self.body = self._write()
        return await _create(self.body, client)


class OpenAIJudge:
    """A judge that asks for chat completions; `model` chooses what answers.

    Args:
        learned: called with what the endpoint rejects.
        findings: how requests to its models have to be written; default: those of this process.
    """

    uses_model = True

    def __init__(
        self,
        settings: Settings,
        learned: Callable[[Lesson], None],
        findings: Findings | None = None,
    ) -> None:
        self._settings = settings
        self.id = settings.judge_id or f"openai {settings.endpoint}"
        self._client = OpenAIClient(settings)
        self._models: dict[str, _Model] = {}
        self._learned = learned
        self._findings = FindingsOfProcess() if findings is None else findings

    async def reply(self, step: Step, message: Json, model: str, sample: int) -> Reply:
        """Answer as `Judge.reply`. Later requests leave out what the endpoint rejects of this
        one.
        """
        known = self._known(model)

        def body_of(shape: RequestShape) -> dict[str, Any]:
            return shape.body(self._settings, step, message, model, sample)

        def newest() -> dict[str, Any]:
            self._catch_up(known, model)
            return body_of(known.shape)

        if not known.answered:
            # the task that looks for an accepted form has then found it
            async with self._findings.alone():
                pass
        spent = Spent()
        try:
            completion = await self._completion(known, body_of, model, _Request(newest), spent)
            reply = reply_of(completion, spent.usage, self._client.as_one_line)
            self._client.has_answered()
            return reply
        except JudgeError as error:
            error.usage = spent.usage
            raise

    async def _completion(
        self,
        known: _Model,
        body_of: Callable[[RequestShape], dict[str, Any]],
        model: str,
        request: _Request,
        spent: Spent,
    ) -> Any:
        """Return the completion for the first request that the endpoint accepts."""
        while True:
            try:
                completion = await self._sent(request.send, model, spent)
            except RefusedRequest as refusal:
                _raise_if_of_this_text(refusal, spent.usage)
                body = request.body
                if self._learn(known.shape, refusal, body, model):
                    self._share(known, model)
                    continue
                # another question may have found an accepted form in the meantime
                if body_of(known.shape) != body:
                    continue
                if known.answered or not _is_unexplained(refusal, body):
                    raise
                async with self._findings.alone():
                    found = await self._simpler(known, refusal, body, body_of, model, spent)
                if found is None:
                    continue
                completion = found
            self._taken(known, model)
            return completion

    def forget(self) -> None:
        self._client.forget()

    async def close(self) -> None:
        await self._client.close()

    async def _sent(
        self, request: Callable[[openai.AsyncOpenAI], Awaitable[Any]], model: str, spent: Spent
    ) -> Any:
        """Return the response, and add its cost, or that of its failure, to `spent`."""
        try:
            completion, usage = await self._client.send(request, model)
        except JudgeError as error:
            spent.add(error.usage or Usage())
            raise
        spent.add(usage)
        return completion

    # -- how requests are written ----------------------------------------------------------------

    def _known(self, model: str) -> _Model:
        if model not in self._models:
            finding = self._findings.found(self._whose(model))
            shape = self._shape(finding.shape) if finding is not None else None
            remembered = shape is not None and finding is not None and finding.remembered
            if shape is not None and remembered and shape.lacks:
                note = f"{model} is asked without {shape.lacks}, which it refused in an earlier run"
                self._learned(Lesson(note, loud="temperature" in shape.lacks))
            self._models[model] = _Model(shape or self._whole_shape(), remembered=remembered)
        return self._models[model]

    def _catch_up(self, known: _Model, model: str) -> None:
        """Before the first answer, write requests as the run has learned by now."""
        finding = None if known.answered else self._findings.found(self._whose(model))
        if finding is None or finding.remembered or (known.remembered and not finding.settled):
            return
        shape = self._shape(finding.shape)
        if shape is None:
            return
        if known.remembered:
            # the finding of an earlier run is outdated
            known.shape, known.remembered = shape, False
        else:
            known.shape.adopt(shape)

    def _share(self, known: _Model, model: str, *, settled: bool = False) -> None:
        """Share with the run's other processes what this one has learned."""
        whose = self._whose(model)
        finding = self._findings.found(whose)
        if finding is not None and not finding.remembered:
            shape = self._shape(finding.shape)
            if shape is None and not settled:
                return  # no omission helps
            if shape is not None:
                known.shape.adopt(shape)
            settled = settled or finding.settled
        if settled or not known.remembered:
            self._findings.keep(whose, known.shape.record(), settled=settled)

    def _whose(self, model: str) -> str:
        return f"{self.id} {model}"

    def _whole_shape(self) -> RequestShape:
        return RequestShape(stream=self._settings.stream == "on")

    def _shape(self, record: Json | None) -> RequestShape | None:
        return RequestShape.of_record(record, stream=self._settings.stream == "on")

    def _learn(
        self, shape: RequestShape, refusal: RefusedRequest, body: dict[str, Any], model: str
    ) -> bool:
        """Change what the rejection names. Return whether the next request differs from the
        rejected one.
        """
        part = _refused_part(refusal, body)
        if part is None:
            return False
        known = len(shape.lessons)
        changed = shape.learn(part, body)
        for lesson in shape.lessons[known:]:
            self._learned(_told(model, lesson, part))
        return changed

    def _taken(self, known: _Model, model: str) -> None:
        """Note that the endpoint accepted a request: later rejections are about the text."""
        if known.answered:
            return
        known.answered, known.remembered = True, False
        whose = self._whose(model)
        finding = self._findings.found(whose)
        if finding is None or not finding.settled or finding.shape is None:
            self._share(known, model, settled=True)

    async def _simpler(
        self,
        known: _Model,
        refusal: RefusedRequest,
        body: dict[str, Any],
        body_of: Callable[[RequestShape], dict[str, Any]],
        model: str,
        spent: Spent,
    ) -> Any | None:
        """Try simpler requests if the first one was rejected without an explanation. Return the
        reply.

        Each form is tried once per run, by one process.

        Returns:
            None if another task or process found an accepted form, which is in `known`.

        Raises:
            RefusedRequest: no form is accepted, or another process already found this out.
        """
        if body_of(known.shape) != body:
            return None
        whose = self._whose(model)
        finding = self._findings.found(whose)
        if finding is not None and finding.settled:
            shape = self._shape(finding.shape)
            if shape is None:
                raise _none_is_taken(refusal)
            if body_of(shape) == body:
                raise refusal
            known.shape, known.remembered = shape, False
            return None
        # the finding of an earlier run is outdated: try everything again
        anew = known.remembered
        trial = self._whole_shape() if anew else self._shape(known.shape.record())
        assert trial is not None
        last = refusal
        while anew or self._learn(trial, last, body, model) or trial.simplify(body):
            anew = False
            body = body_of(trial)
            try:
                completion = await self._sent(partial(_create, body), model, spent)
            except RefusedRequest as again:
                last = again
                _raise_if_of_this_text(again, spent.usage)
                if _refused_part(again, body) is None and not _is_unexplained(again, body):
                    raise
                continue
            known.shape, known.remembered = trial, False
            self._findings.keep(whose, trial.record(), lasting=True)
            self._learned(_found(model, refusal, trial))
            return completion
        self._findings.keep(whose, None, lasting=True)
        raise _none_is_taken(refusal)


async def _create(body: dict[str, Any], client: openai.AsyncOpenAI) -> Any:
    from openai.types.chat import ChatCompletion

    if body.get(STREAM):
        return await streamed(client, _PATH, body)
    # `chat.completions.create` would look for convertible values in each message and the whole
    # schema, which takes as much time as sending them
    reply: Any = await client.post(_PATH, cast_to=ChatCompletion, body=body)
    return await joined(reply) if isinstance(reply, str) and is_stream(reply) else reply


def _raise_if_of_this_text(refusal: RefusedRequest, usage: Usage) -> None:
    """Raise the error of a rejection that concerns only this text, not requests in general.

    Args:
        usage: the cost of what was sent.
    """
    if is_too_long(refusal.error):
        raise TooLong(str(refusal), usage) from None
    if refusal.kind == "malformed":
        # some endpoints show their model's output, which may be cut off
        raise Malformed(str(refusal), usage) from None


_MAY_DIFFER = "so a question that is asked again may get another verdict"


def _told(model: str, lesson: str, part: str) -> Lesson:
    if part != "temperature":
        return Lesson(f"{model} {lesson}")
    return Lesson(f"{model} {lesson}, {_MAY_DIFFER}", loud=True)


def _found(model: str, refusal: RefusedRequest, shape: RequestShape) -> Lesson:
    lacks = shape.lacks
    if not lacks:
        refused = (
            f"{model} refused a request of a form that it accepted in an earlier run ({refusal})"
        )
        return Lesson(f"{refused} and accepts whole requests again", loud=True)
    differs = f", {_MAY_DIFFER}" if "temperature" in lacks else ""
    return Lesson(
        f"{model} refused a whole request ({refusal}) and accepts requests without {lacks}{differs}"
        "; later runs leave it out too, until one with --ragassert-record-mode=all tries again",
        loud=True,
    )


def _none_is_taken(refusal: RefusedRequest) -> RefusedRequest:
    text = (
        f"{refusal.message}; it refused simpler requests too, without response_format and optional "
        "parameters (if it needs more, --ragassert-extra-body and --ragassert-header add it)"
    )
    return RefusedRequest(text, refusal.error, kind=refusal.kind)


def _is_unexplained(refusal: RefusedRequest, body: dict[str, Any]) -> bool:
    error = refusal.error
    asked = error.status, error.parameter, error.words
    return refusal.kind == "request" and is_unexplained(*asked, body)


def _refused_part(refusal: RefusedRequest, body: dict[str, Any]) -> str | None:
    error = refusal.error
    # a rejection that names no parameter may have another reason: a filter, a missing model
    if error.parameter is None and refusal.kind != "request":
        return None
    return refused_part(error.status, error.parameter, error.words, body)
