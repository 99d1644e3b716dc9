"""A request at OpenAI's API, answered: its run, its reply as a whole, and its stream of server-sent events."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Protocol

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from askance.app.client_service import ClientService
from askance.citations.markdown.safe_markdown import safe_line, safe_markdown, safe_reply
from askance.domain.conversation import Outcome, RunRequest, Usage
from askance.domain.errors import AskanceError, NotAllowed, TooManyWaiting, place_of
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    DraftRetracted,
    Emit,
    Failed,
    RunEnd,
    RunEvent,
    SourcesReady,
    TokenArrived,
)
from askance.domain.evidence import Source
from askance.domain.history import turn_of
from askance.domain.ports.storage import Client
from askance.server.openai_request import (
    CompletionRequest,
    ErrorType,
    Job,
    JsonForm,
    OpenAIError,
    RecentAnswers,
    plain_reply,
)
from askance.server.openai_text import (
    AnnotatedText,
    LinkedStream,
    cost_of,
    cut_to,
    first_stop,
    footer,
    is_same_text,
    outside_code,
    shown,
    sources_of,
)

_log = logging.getLogger(__name__)
# The least that `answer.max_tokens` takes: the text is cut afterwards to what was asked for.
_SHORTEST_ANSWER = 50
# A place in the queue is free when a question is answered, which takes a model some ten seconds.
RETRY_AFTER_S = 10


@dataclass(frozen=True, slots=True)
class CompletionResult:
    """What a completion came to. `record` is what is sent beside the text."""

    shown: AnnotatedText
    usage: Usage
    finish: str = "stop"
    record: dict[str, Any] | None = None


class CompletionRunner:
    """Has requests answered by the service, and remembers the answers for the requests that go on from them."""

    def __init__(self, service: ClientService) -> None:
        self.remembered = RecentAnswers()
        self._service = service

    async def run(
        self, client: Client, asked: CompletionRequest, emit: Emit
    ) -> RunEnd | OpenAIError:
        """Do what is asked. Whatever goes wrong comes back as an error, unless it is a job's."""
        try:
            with self._service.audited(client, _tool(asked)) as call:
                end = await self._ask(client, asked, emit)
                if isinstance(end, Failed):
                    call.outcome = "failed"
        except AskanceError as exc:
            return _refused(exc)
        except Exception as exc:  # noqa: BLE001 - its text may hold what was asked
            _log.error("a completion failed: %s", place_of(exc))
            return OpenAIError(500, "Askance failed; its log says where.", kind=ErrorType.SERVER)
        if not isinstance(end, Failed):
            return end
        if asked.job is not None:
            return _without_model(asked, asked.job)
        text = f"{end.problem} {end.fix}".strip()
        # OpenAI's code, by which clients recognise this error.
        if end.is_too_long:
            return OpenAIError(400, text, code="context_length_exceeded", param="messages")
        return OpenAIError(
            503,
            text,
            kind=ErrorType.SERVER,
            code=end.service or "unavailable",
        )

    async def _ask(self, client: Client, asked: CompletionRequest, emit: Emit) -> RunEnd:
        if asked.job is not None and await self._service.withholds_conversations():
            # Its message holds a conversation of which nothing is known.
            return _without_model(asked, asked.job)
        if not asked.searches:
            schema = asked.form.schema if asked.form is not None else None
            request = RunRequest(asked.spoken, asked.conversation, reply_schema=schema)
            return await self._service.converse(client, request, emit=emit)
        most = max(_SHORTEST_ANSWER, asked.most_tokens) if asked.most_tokens else 0
        request = RunRequest(asked.message, asked.conversation, answer_tokens=most)
        return await self._service.answer(client, request, emit=emit)

    def reply(
        self, client: Client, asked: CompletionRequest, end: RunEnd
    ) -> CompletionResult | OpenAIError:
        """Return what a finished run is as one text; an error where it is not what was to come of it."""
        if asked.form is not None:
            return self._json_reply(client, asked, end, asked.form)
        if isinstance(end, ClarifyAsked):
            return CompletionResult(AnnotatedText(safe_markdown(end.question)), end.usage)
        assert isinstance(end, Answered), end
        if asked.job is not None:
            return _ended(AnnotatedText(safe_reply(end.answer)), end.usage, asked)
        whole = shown(end)
        reply = _ended(whole, end.usage, asked, record_of(end))
        text = reply.shown.text
        is_whole = text == whole.text
        if is_whole and not cut_to(text + (below := footer(end)), asked.most_tokens)[1]:
            text += below
        self.remember(client, asked, end, text)
        return replace(reply, shown=AnnotatedText(text, reply.shown.annotations))

    def _json_reply(
        self, client: Client, asked: CompletionRequest, end: RunEnd, form: JsonForm
    ) -> CompletionResult | OpenAIError:
        """Return a reply as JSON: what the model wrote, or an answer with its sources as the schema has room."""
        record: object = None
        if isinstance(end, ClarifyAsked):
            record = form.filled(safe_markdown(end.question), ())
        elif isinstance(end, Answered) and asked.searches:
            record = form.filled(shown(end).text, sources_of(end))
        elif isinstance(end, Answered):
            with suppress(ValueError, RecursionError):
                record = json.loads(safe_reply(end.answer))
        if not form.is_followed(record):
            message = (
                "The model that is set up did not write the JSON that was asked for. Leave `response_format` out, or let "
                "Askance use a model that follows schemas."
            )
            return OpenAIError(400, message, code="invalid_json", param="response_format")
        assert isinstance(end, Answered | ClarifyAsked), end
        text = json.dumps(record, ensure_ascii=False)
        if isinstance(end, Answered):
            self.remember(client, asked, end, text)
        text, is_cut = cut_to(text, asked.most_tokens)
        end_record = record_of(end) if isinstance(end, Answered) and asked.searches else None
        return CompletionResult(
            AnnotatedText(text), end.usage, "length" if is_cut else "stop", end_record
        )

    def remember(self, client: Client, asked: CompletionRequest, end: Answered, text: str) -> None:
        """Keep an answer for the request that will bring it back."""
        self.remembered.store(client.name, text, turn_of(asked.message, end))


def _ended(
    whole: AnnotatedText,
    usage: Usage,
    asked: CompletionRequest,
    record: dict[str, Any] | None = None,
) -> CompletionResult:
    """Return a text up to its first stop word, or to its most tokens; then what it has is what was used."""
    at = first_stop(whole.text, asked.stops, whole.annotations)
    text = whole.text if at is None else whole.text[: outside_code(whole.text, at)]
    text, is_cut = cut_to(text, asked.most_tokens)
    # An annotation must not reach beyond the text.
    links = (a for a in whole.annotations if a["url_citation"]["end_index"] <= len(text))
    # Usage counts what the client has got.
    if len(text) < len(whole.text):
        usage = replace(usage, output_tokens=cost_of(text))
    return CompletionResult(
        AnnotatedText(text, tuple(links)), usage, "length" if is_cut else "stop", record
    )


def record_of(end: Answered) -> dict[str, Any]:
    """Return what is known of an answer beside its text."""
    return {
        "outcome": end.outcome.value,
        "rounds": end.rounds,
        "warnings": [safe_line(str(warning)) for warning in end.warnings],
        "sources": sources_of(end),
    }


def _without_model(asked: CompletionRequest, job: Job) -> Answered:
    text = plain_reply(job, asked.instructions, asked.message, asked.conversation)
    return Answered(text, (), (), Outcome.MEMORY, 0, Usage(), (), 0)


def _tool(asked: CompletionRequest) -> str:
    if asked.job is not None:
        return f"chat {asked.job}"
    return "chat search" if asked.searches else "chat"


def _refused(error: AskanceError) -> OpenAIError:
    match error:
        case TooManyWaiting():
            status, kind, code = 429, ErrorType.BUSY, "rate_limit_exceeded"
        case NotAllowed():
            status, kind, code = 403, ErrorType.PERMISSION, "not_allowed"
        case _:
            status, kind, code = 503, ErrorType.SERVER, "unavailable"
    wait_s = RETRY_AFTER_S if status == HTTPStatus.TOO_MANY_REQUESTS else 0
    return OpenAIError(status, str(error), kind=kind, code=code, retry_after_s=wait_s)


HEARTBEAT_S = 5.0
"""A stream in which nothing is said for so long says that it lives: proxies give up silent ones."""
_HEARTBEAT = b": searching\n\n"
_PARTED = "\n\n---\n\n"
_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    # nginx would buffer the events, and send them together at the end.
    "X-Accel-Buffering": "no",
}


class StreamForm(Protocol):
    """How one of the APIs says what happens: each part is what goes over the wire."""

    def begin(self) -> bytes:
        """What comes before the text."""
        ...

    def delta(self, text: str) -> bytes:
        """A piece of the text."""
        ...

    def end(self, reply: CompletionResult) -> bytes:
        """What comes behind the text."""
        ...

    def error(self, refused: OpenAIError) -> bytes:
        """An error in the middle of the text, and the end."""
        ...


_News = RunEvent | OpenAIError
_STREAMED = (SourcesReady, TokenArrived, Answered, ClarifyAsked, OpenAIError)


class AnswerStream(Response):
    """A completion as server-sent events. It begins with the first sign of the run: an error that comes
    before has its status."""

    def __init__(
        self,
        answering: CompletionRunner,
        client: Client,
        asked: CompletionRequest,
        form: StreamForm,
        heartbeat_s: float,
    ) -> None:
        super().__init__()
        self._answering = answering
        self._heartbeat_s = heartbeat_s
        self._client = client
        self._asked = asked
        self._form = form
        self._news: asyncio.Queue[_News] = asyncio.Queue()
        self._sources: tuple[Source, ...] = ()
        self._text = LinkedStream()
        self._sent = 0
        self._stops = asked.stops
        self._left = asked.most_tokens
        self._cut_by = ""
        """The reason for which the text has ended before the answer did, as OpenAI names it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the run to its end. The HTTP endpoint cancels it where nobody is there any more."""
        async with asyncio.TaskGroup() as group:
            run = group.create_task(self._run())
            # An error before the first heartbeat has an HTTP status; later it is an event (decision 39).
            first = await self._next(_STREAMED)
            if isinstance(first, OpenAIError):
                await first.reply()(scope, receive, send)
                return
            headers = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await _send(send, self._form.begin())
            await self._stream(first, send)
            # Nobody waits for the rest of a text that is cut.
            if self._cut_by:
                run.cancel()
        await send({"type": "http.response.body", "body": b""})

    async def _run(self) -> None:
        def emit(event: RunEvent) -> None:
            # `CompletionRunner.run` returns these as an error or as an end.
            if not isinstance(event, Failed | Cancelled):
                self._news.put_nowait(event)

        self._news.put_nowait(await self._answering.run(self._client, self._asked, emit))

    async def _next(self, kinds: tuple[type[Any], ...] = (object,)) -> _News | None:
        """Return the next thing of these kinds that happens, None if nothing does for a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._heartbeat_s):
                while not isinstance(news := await self._news.get(), kinds):
                    pass
                return news
        return None

    async def _stream(self, news: _News | None, send: Send) -> None:
        """Tell what happens until the run has ended, or has said enough."""
        # A title or JSON is checked as a whole before it is sent.
        writes_along = self._asked.job is None and self._asked.form is None
        while True:
            match news:
                case None:
                    await _send(send, _HEARTBEAT)
                case OpenAIError():
                    await _send(send, self._form.error(news))
                    return
                case Answered() | ClarifyAsked():
                    await self._end(news, send)
                    return
                case _ if writes_along:
                    self._take(news)
                    await self._write(send)
                case _:
                    pass
            if self._cut_by:
                await self._finish(Usage(output_tokens=self._cost()), None, send)
                return
            news = await self._next()

    def _take(self, event: RunEvent) -> None:
        """Take into the text what an event adds to it."""
        match event:
            case SourcesReady(sources=sources):
                self._sources = sources
                self._begin_anew()
            case DraftRetracted():
                # What was sent cannot be taken back, but what follows is kept apart from it.
                self._begin_anew()
            case TokenArrived(text=text):
                self._text.add(text)
            case _:
                pass

    def _begin_anew(self) -> None:
        """Begin a text behind what was sent."""
        before = self._text
        self._text = LinkedStream(self._sources)
        if before.written:
            self._text.text, self._text.annotations = before.text, before.annotations
            self._text.follow(AnnotatedText(_PARTED))

    async def _end(self, end: Answered | ClarifyAsked, send: Send) -> None:
        asked = self._asked
        if isinstance(end, ClarifyAsked) or asked.job is not None or asked.form is not None:
            reply = self._answering.reply(self._client, asked, end)
            if isinstance(reply, OpenAIError):
                await _send(send, self._form.error(reply))
                return
            self._text.follow(reply.shown)
            # The reply is cut to these already.
            self._stops, self._left = (), 0
            await self._write(send, is_last=True)
            self._cut_by = "length" if reply.finish == "length" else ""
            await self._finish(reply.usage, reply.record, send)
            return
        self._text.close()
        # The check has replaced what the model wrote.
        if not is_same_text(self._text.written, end.answer):
            if self._text.text.strip():
                self._text.follow(AnnotatedText(_PARTED))
            self._text.follow(shown(end))
        else:
            self._text.judge(end.citations)
        await self._write(send, is_last=True)
        below = footer(end)
        if not self._cut_by and not cut_to(below, self._left)[1]:
            # Stop words are for what the model writes, and not for the list of sources.
            self._stops = ()
            self._text.follow(AnnotatedText(below))
            await self._write(send, is_last=True)
        self._answering.remember(self._client, asked, end, self._text.text[: self._sent])
        usage = Usage(output_tokens=self._cost()) if self._cut_by else end.usage
        await self._finish(usage, record_of(end), send)

    async def _write(self, send: Send, *, is_last: bool = False) -> None:
        """Send as much of the text as may be said by now: what may be the begin of a stop word waits."""
        if self._cut_by:
            return
        whole, end = self._text.text, len(self._text.text)
        if self._stops:
            at = first_stop(whole, self._stops, self._text.annotations, self._sent)
            if at is not None:
                end, self._cut_by = outside_code(whole, at), "stop"
            elif not is_last:
                end -= max(map(len, self._stops)) - 1
        piece = whole[self._sent : max(self._sent, end)]
        if self._asked.most_tokens and self._left:
            piece, is_cut = cut_to(piece, self._left, whole[: self._sent])
            self._cut_by = "length" if is_cut else self._cut_by
            # Never 0, which stands for no limit.
            self._left = max(1, self._left - cost_of(piece))
        self._sent += len(piece)
        if piece:
            await _send(send, self._form.delta(piece))

    def _cost(self) -> int:
        return cost_of(self._text.text[: self._sent])

    async def _finish(self, usage: Usage, record: dict[str, Any] | None, send: Send) -> None:
        links = (
            link
            for link in self._text.annotations
            if link["url_citation"]["end_index"] <= self._sent
        )
        whole = AnnotatedText(self._text.text[: self._sent], tuple(links))
        end = CompletionResult(whole, usage, self._cut_by or "stop", record)
        await _send(send, self._form.end(end))


async def _send(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})
