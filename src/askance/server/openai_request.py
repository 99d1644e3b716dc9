"""What is asked at OpenAI's door: a request for a completion, read with distrust."""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from askance.domain.conversation import Conversation, Turn
from askance.server.chat_jobs import Job, job_of
from askance.server.openai_errors import OpenAIError
from askance.server.openai_options import (
    JsonForm,
    json_form_of,
    most_tokens,
    refuse_unserved,
    stops_of,
)

ASKANCE, ASKANCE_CHAT = "askance", "askance-chat"
MODELS = {
    ASKANCE: "Searches the web, reads, and answers with sources.",
    ASKANCE_CHAT: "The language model alone, from its memory.",
}
LONGEST_QUESTION = 2_000
"""Characters: what is longer holds a text that nobody meant to be searched, and goes to the model alone."""
LONGEST_INSTRUCTIONS = 4_000
_MOST_TURNS = 50
_MOST_REMEMBERED = 512
_OURS = re.compile(r"\[\d{1,3}\]\(https?://[^()\s]{1,2000}\)[≈✗]?")
_SOURCES = re.compile(r"\n\n\*\*Sources\*\*\n.*\Z", re.DOTALL)
_INSTRUCTING = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """What is wanted. `job` is a front end's job, None where a person asks.

    `searches` says whether it is answered from the web; `instructions` are what its system messages
    said. With `most_tokens` the reply ends there, 0 leaves it as it is, and before the first of its `stops`.
    It is JSON of `form`, text without one.
    """

    model: str
    message: str
    instructions: str
    conversation: Conversation
    job: Job | None
    searches: bool
    streams: bool
    includes_usage: bool
    most_tokens: int
    stops: tuple[str, ...] = ()
    form: JsonForm | None = None

    @property
    def spoken(self) -> str:
        """The message for the model alone: what it was told to be like stands before it."""
        order = self.form.order if self.form is not None else ""
        return "\n\n".join(part for part in (self.instructions, self.message, order) if part)


class RecentAnswers:
    """The answers that the door gave last, as turns: a request brings back only their text.

    So a question that goes on from one finds its sources again, and only what was public of it is
    searched. Some clients bring back no more than the id of an answer. Nothing of it outlives the daemon.
    """

    def __init__(self) -> None:
        self._turns: OrderedDict[bytes, Turn] = OrderedDict()
        self._texts: OrderedDict[bytes, str] = OrderedDict()

    def name(self, client: str, item_id: str, shown: str) -> None:
        """Keep the text of an answer under its id."""
        self._texts[_digest(client, item_id)] = shown
        while len(self._texts) > _MOST_REMEMBERED:
            self._texts.popitem(last=False)

    def text(self, client: str, item_id: str) -> str | None:
        """Return the text of an answer by its id, None where it is not known any more."""
        return self._texts.get(_digest(client, item_id))

    def store(self, client: str, shown: str, turn: Turn) -> None:
        """Keep a turn under the text that its answer was shown as."""
        self._turns[_digest(client, shown)] = turn
        while len(self._turns) > _MOST_REMEMBERED:
            self._turns.popitem(last=False)

    def turn(self, client: str, question: str, shown: str) -> Turn:
        """Return the turn of an answer that came back.

        Of one that is not remembered nothing is known, whatever its text looks like: none of it is searched,
        and a model on another computer does not read it.
        """
        known = self._turns.get(_digest(client, shown))
        if known is not None and known.question == question:
            return known
        return Turn(question, _OURS.sub("", _SOURCES.sub("", shown)))


def read_completion(body: bytes, client: str, remembered: RecentAnswers) -> CompletionRequest:
    """Read a request for a chat completion.

    Raises:
        Refused: it is none, or wants what is not there.
    """
    return completion_of(fields_of(body), client, remembered)


def fields_of(body: bytes) -> dict[str, Any]:
    """Return the fields of a request.

    Raises:
        Refused: it is no JSON object.
    """
    try:
        known: Any = json.loads(body)
    except (ValueError, RecursionError):
        raise OpenAIError(400, "The request is not JSON.") from None
    if not isinstance(known, dict):
        raise OpenAIError(400, "The request is not a JSON object.")
    return cast("dict[str, Any]", known)


def completion_of(
    fields: Mapping[str, Any], client: str, remembered: RecentAnswers
) -> CompletionRequest:
    """Return what the fields of a request for a chat completion ask for.

    Raises:
        Refused: it wants what is not there.
    """
    model = known_model(fields.get("model"))
    refuse_unserved(fields)
    instructions, conversation, message = _messages(fields.get("messages"), client, remembered)
    job = job_of(instructions, message, conversation)
    form = json_form_of(fields)
    completion = CompletionRequest(
        model,
        message,
        instructions[:LONGEST_INSTRUCTIONS],
        conversation,
        job,
        model == ASKANCE and job is None and len(message) <= LONGEST_QUESTION,
        fields.get("stream") is True,
        _options(fields.get("stream_options")).get("include_usage") is True,
        most_tokens(fields),
        stops_of(fields),
        form,
    )
    if form is not None and completion.searches and form.filled("", ()) is None:
        problem = (
            "`askance` fills a schema that has room for its answer and its sources: a property `answer` of type string, "
            "and `sources`, an array of objects with `url` and `title`. For any other use `askance-chat`, or leave "
            "`response_format` out."
        )
        raise OpenAIError(400, problem, param="response_format")
    return completion


def known_model(name: object) -> str:
    """Return a model's name.

    Raises:
        Refused: there is no such model.
    """
    if not isinstance(name, str) or not name:
        raise OpenAIError(400, "Name a model: `askance`, or `askance-chat`.", param="model")
    if name not in MODELS:
        problem = f"There is no model {name[:80]!r} here. Use `askance`, or `askance-chat`."
        raise OpenAIError(404, problem, code="model_not_found", param="model")
    return name


def _messages(
    given: object, client: str, remembered: RecentAnswers
) -> tuple[str, Conversation, str]:
    """Return the instructions, the turns before the last message, and that message."""
    if not isinstance(given, list) or not given:
        raise OpenAIError(400, "`messages` is a list that holds at least one.", param="messages")
    instructions: list[str] = []
    messages: list[tuple[str, str]] = []
    listed = cast("list[object]", given)
    for i, one in enumerate(listed):
        role, text = _message(one, f"messages.[{i}]", is_last=i == len(listed) - 1)
        if role in _INSTRUCTING and not (messages and messages[-1][0] == "assistant"):
            instructions.append(text)
        elif messages and messages[-1][0] == role:
            messages[-1] = (role, "\n\n".join(part for part in (messages[-1][1], text) if part))
        else:
            # An instruction behind an answer is a job's: it is what was said last.
            messages.append(("user" if role in _INSTRUCTING else role, text))
    message = messages[-1][1].strip() if messages and messages[-1][0] == "user" else ""
    if not message:
        raise OpenAIError(400, "The last message must be the user's, with text.", param="messages")
    turns = [
        remembered.turn(client, asked.strip(), answered.strip())
        for (who, asked), (_, answered) in pairwise(messages)
        if who == "user" and asked.strip() and answered.strip()
    ]
    return "\n\n".join(instructions).strip(), Conversation(tuple(turns[-_MOST_TURNS:])), message


def _message(given: object, place: str, *, is_last: bool) -> tuple[str, str]:
    """Return the role and the text of a message. Calls of tools and what is no text are left out of earlier ones."""
    if not isinstance(given, dict):
        raise OpenAIError(400, "A message is an object with `role` and `content`.", param=place)
    message = cast("dict[str, Any]", given)
    role = message.get("role")
    if role in ("tool", "function") or (is_last and message.get("tool_calls")):
        if not is_last:
            return "assistant", ""
        raise OpenAIError(400, "Askance calls no tools of yours.", param=f"{place}.role")
    if role not in ("user", "assistant", *_INSTRUCTING):
        raise OpenAIError(400, "A role is system, user or assistant.", param=f"{place}.role")
    text = _text(message.get("content"), f"{place}.content", is_last=is_last)
    return role, text.encode("utf-8", "replace").decode()  # JSON may hold halves of characters


def _text(content: object, place: str, *, is_last: bool) -> str:
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            parts = cast("Sequence[object]", content)
            texts = (_part(part, place, is_last=is_last) for part in parts)
            return "\n".join(text for text in texts if text is not None)
        case _:
            raise OpenAIError(400, "The content of a message is text.", param=place)


def _part(part: object, place: str, *, is_last: bool) -> str | None:
    match part:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": str()} if not is_last:
            return None
        case {"type": "image_url" | "input_audio" | "file"}:
            problem = "Askance reads text alone: leave images, sound and files out."
            raise OpenAIError(400, problem, param=place)
        case _:
            raise OpenAIError(400, "A part of a message is text.", param=place)


def _options(given: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", given) if isinstance(given, dict) else {}


def _digest(client: str, shown: str) -> bytes:
    return hashlib.sha256(f"{client}\0{shown.strip()}".encode("utf-8", "replace")).digest()
