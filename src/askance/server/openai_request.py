"""What is asked at OpenAI's door: a request for a completion, read with distrust."""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, cast

from askance.domain.conversation import Conversation, Turn
from askance.server.chat_jobs import Job, job_of

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


class ErrorType(StrEnum):
    """The kinds of errors of OpenAI's API."""

    INVALID = "invalid_request_error"
    PERMISSION = "permission_error"
    BUSY = "rate_limit_error"
    SERVER = "server_error"


class Refused(Exception):
    """A request is not served. `said` tells why, in sentences; `param` names what is at fault."""

    def __init__(
        self,
        status: int,
        said: str,
        *,
        kind: ErrorType = ErrorType.INVALID,
        code: str = "",
        param: str = "",
    ) -> None:
        super().__init__(said)
        self.status = status
        self.said = said
        self.kind = kind
        self.code = code
        self.param = param

    def body(self) -> dict[str, Any]:
        """Return the error in OpenAI's form."""
        told = {
            "message": self.said,
            "type": self.kind.value,
            "param": self.param or None,
            "code": self.code or None,
        }
        return {"error": told}


@dataclass(frozen=True, slots=True)
class Completion:
    """What is wanted. `job` is a front end's job, None where a person asks.

    `searches` says whether it is answered from the web; `instructions` are what its system messages
    said. With `most_tokens` the reply ends there, 0 leaves it as it is.
    """

    model: str
    message: str
    instructions: str
    conversation: Conversation
    job: Job | None
    searches: bool
    streams: bool
    tells_usage: bool
    most_tokens: int

    @property
    def spoken(self) -> str:
        """The message for the model alone: what it was told to be like stands before it."""
        return f"{self.instructions}\n\n{self.message}".strip()


class Remembered:
    """The answers that the door gave last, as turns: a request brings back only their text.

    So a question that goes on from one finds its sources again, and only what was public of it is
    searched. Nothing of it outlives the daemon.
    """

    def __init__(self) -> None:
        self._turns: OrderedDict[bytes, Turn] = OrderedDict()

    def keep(self, client: str, shown: str, turn: Turn) -> None:
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


def read_completion(body: bytes, client: str, remembered: Remembered) -> Completion:
    """Read a request.

    Raises:
        Refused: it is none, or wants what is not there.
    """
    try:
        known: Any = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "The request is not JSON.") from None
    if not isinstance(known, dict):
        raise Refused(400, "The request is not a JSON object.")
    fields = cast("dict[str, Any]", known)
    model = known_model(fields.get("model"))
    if fields.get("n") not in (None, 1):
        raise Refused(400, "There is one answer: leave `n` out, or set it to 1.", param="n")
    instructions, conversation, message = _messages(fields.get("messages"), client, remembered)
    job = job_of(instructions, message, conversation)
    return Completion(
        model,
        message,
        instructions[:LONGEST_INSTRUCTIONS],
        conversation,
        job,
        model == ASKANCE and job is None and len(message) <= LONGEST_QUESTION,
        fields.get("stream") is True,
        _options(fields.get("stream_options")).get("include_usage") is True,
        _most_tokens(fields),
    )


def known_model(name: object) -> str:
    """Return a model's name.

    Raises:
        Refused: there is no such model.
    """
    if not isinstance(name, str) or not name:
        raise Refused(400, "Name a model: `askance`, or `askance-chat`.", param="model")
    if name not in MODELS:
        said = f"There is no model {name[:80]!r} here. Use `askance`, or `askance-chat`."
        raise Refused(404, said, code="model_not_found", param="model")
    return name


def _messages(given: object, client: str, remembered: Remembered) -> tuple[str, Conversation, str]:
    """Return the instructions, the turns before the last message, and that message."""
    if not isinstance(given, list) or not given:
        raise Refused(400, "`messages` is a list that holds at least one.", param="messages")
    instructions: list[str] = []
    said: list[tuple[str, str]] = []
    for i, one in enumerate(cast("list[object]", given)):
        role, text = _message(one, f"messages.[{i}]")
        if role in _INSTRUCTING and not (said and said[-1][0] == "assistant"):
            instructions.append(text)
        elif said and said[-1][0] == role:
            said[-1] = (role, f"{said[-1][1]}\n\n{text}")
        else:
            # An instruction behind an answer is a job's: it is what was said last.
            said.append(("user" if role in _INSTRUCTING else role, text))
    message = said[-1][1].strip() if said and said[-1][0] == "user" else ""
    if not message:
        raise Refused(400, "The last message must be the user's, with text.", param="messages")
    turns = [
        remembered.turn(client, asked.strip(), answered.strip())
        for (who, asked), (_, answered) in pairwise(said)
        if who == "user"
    ]
    return "\n\n".join(instructions).strip(), Conversation(tuple(turns[-_MOST_TURNS:])), message


def _message(given: object, place: str) -> tuple[str, str]:
    if not isinstance(given, dict):
        raise Refused(400, "A message is an object with `role` and `content`.", param=place)
    message = cast("dict[str, Any]", given)
    role = message.get("role")
    if role in ("tool", "function") or message.get("tool_calls"):
        raise Refused(400, "Askance calls no tools of yours.", param=f"{place}.role")
    if role not in ("user", "assistant", *_INSTRUCTING):
        raise Refused(400, "A role is system, user or assistant.", param=f"{place}.role")
    text = _text(message.get("content"), f"{place}.content")
    return role, text.encode("utf-8", "replace").decode()  # JSON may hold halves of characters


def _text(content: object, place: str) -> str:
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            return "\n".join(_part(part, place) for part in cast("Sequence[object]", content))
        case _:
            raise Refused(400, "The content of a message is text.", param=place)


def _part(part: object, place: str) -> str:
    match part:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "image_url" | "input_audio" | "file"}:
            said = "Askance reads text alone: leave images, sound and files out."
            raise Refused(400, said, param=place)
        case _:
            raise Refused(400, "A part of a message is text.", param=place)


def _options(given: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", given) if isinstance(given, dict) else {}


def _most_tokens(fields: Mapping[str, Any]) -> int:
    given = [fields.get(name) for name in ("max_completion_tokens", "max_tokens")]
    wanted = next((value for value in given if value is not None), 0)
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 0:
        raise Refused(400, "`max_tokens` is a whole number from 1.", param="max_tokens")
    return wanted


def _digest(client: str, shown: str) -> bytes:
    return hashlib.sha256(f"{client}\0{shown.strip()}".encode("utf-8", "replace")).digest()
