"""What is done for a request at OpenAI's API, and what a front end gets of its end."""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from askance.app.client_service import ClientService
from askance.citations.safe_markdown import safe_line, safe_markdown, safe_reply
from askance.domain.clients import Client
from askance.domain.conversation import Outcome, RunRequest, Turn, Usage
from askance.domain.errors import AskanceError, NotAllowed, TooManyWaiting, place_of
from askance.domain.events import Answered, ClarifyAsked, Emit, Failed, RunEnd
from askance.domain.history import published_in, quoted_in
from askance.server.chat_jobs import plain_reply
from askance.server.openai_request import (
    CompletionRequest,
    ErrorType,
    JsonForm,
    OpenAIError,
    RecentAnswers,
)
from askance.server.openai_text import (
    AnnotatedText,
    cost_of,
    cut_to,
    first_stop,
    footer,
    outside_code,
    shown,
    sources_of,
)

_log = logging.getLogger(__name__)
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
            plain = plain_reply(asked.job, asked.instructions, asked.message, asked.conversation)
            return _answered(plain)
        text = f"{end.problem} {end.fix}".strip()
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
            return _answered(
                plain_reply(asked.job, asked.instructions, asked.message, asked.conversation)
            )
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
        published = published_in(asked.message, end)
        quoted = quoted_in(end)
        turn = Turn(asked.message, end.answer, published, quoted, end.inputs, end.model_host)
        self.remembered.store(client.name, text, turn)


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
    links = (a for a in whole.annotations if a["url_citation"]["end_index"] <= len(text))
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


def _answered(text: str) -> Answered:
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
