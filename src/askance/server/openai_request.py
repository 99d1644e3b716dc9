"""A request at OpenAI's API, read with distrust: what is asked, as a question or as a front end's job, in which form
the reply is to come, and refusals."""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import Any, TypeVar, cast

from starlette.responses import Response

from askance.domain.conversation import Conversation, Turn
from askance.local_service.service_process import json_reply

# Refusals in the form of OpenAI's API, which its clients show to their users.


class ErrorType(StrEnum):
    """The kinds of errors of OpenAI's API."""

    INVALID = "invalid_request_error"
    PERMISSION = "permission_error"
    BUSY = "rate_limit_error"
    SERVER = "server_error"


class OpenAIError(Exception):
    """A request is not served. `message` tells why, in sentences; `param` names what is at fault.

    `retry_after_s` says when to ask again.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: ErrorType = ErrorType.INVALID,
        code: str = "",
        param: str = "",
        retry_after_s: int = 0,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.code = code
        self.param = param
        self.retry_after_s = retry_after_s

    def body(self) -> dict[str, Any]:
        """Return the error in OpenAI's form."""
        error = {
            "message": self.message,
            "type": self.kind.value,
            "param": self.param or None,
            "code": self.code or None,
        }
        return {"error": error}

    def reply(self) -> Response:
        """Return the error as an HTTP reply."""
        headers = {"Retry-After": str(self.retry_after_s)} if self.retry_after_s else {}
        return json_reply(json.dumps(self.body()), self.status, headers)


# What a request of OpenAI's API says of the form of its reply: how long, until which words, and
# as which JSON.
#
# What cannot be done is refused by name: a program that has asked for JSON and gets prose fails
# where nobody sees why.

MOST_STOPS, LONGEST_STOP = 4, 200
# Schemas and conversations of programs have some twenty levels.
_DEEPEST = 100
LONGEST_SCHEMA = 20_000
_MOST_REFERENCES = 20
# What programs send for "no limit": LM Studio and llama.cpp -1, Ollama -2 as well.
_UNLIMITED = (-1, -2)
_ANSWER_NAMES = frozenset(
    {"answer", "text", "content", "response", "result", "reply", "output", "message", "summary"}
)
_SOURCE_NAMES = frozenset({"sources", "citations", "references", "links", "urls"})
_SOURCE_FIELDS = {"url": "url", "link": "url", "href": "url", "uri": "url", "title": "title", "name": "title", "n": "n",
                  "id": "n", "number": "n", "index": "n", "date": "date", "published": "date"}  # fmt: skip
_LOOSE: Mapping[str, Any] = {"type": "object"}


@dataclass(frozen=True, slots=True)
class JsonForm:
    """A reply as one JSON object of a schema."""

    schema: Mapping[str, Any]

    @property
    def order(self) -> str:
        """What the prompt says of it: not every server holds its model to a schema."""
        if self.schema == _LOOSE:
            return "Reply with one JSON object and nothing else."
        text = json.dumps(self.schema, ensure_ascii=False)
        return (
            f"Reply with one JSON object that follows this JSON schema, and nothing else:\n{text}"
        )

    def is_followed(self, record: object) -> bool:
        """Whether a reply is an object with the properties that the schema requires."""
        names = _listed(self.schema.get("required"))
        return isinstance(record, dict) and all(str(name) in record for name in names)

    def filled(self, answer: str, sources: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
        """Return an answer and its sources as the schema has room for them; None where it has none."""
        if self.schema == _LOOSE:
            return {"answer": answer, "sources": [dict(source) for source in sources]}
        properties = object_of(self.schema.get("properties"))
        record: dict[str, Any] = {}
        for name, of_property in properties.items():
            schema = self._resolved(of_property)
            # A string of a few allowed values has no room for an answer.
            if name.lower() in _ANSWER_NAMES and _is(schema, "string") and "enum" not in schema:
                record[name] = answer
            elif name.lower() in _SOURCE_NAMES and _is(schema, "array"):
                entries = self._entries(self._resolved(schema.get("items")), sources)
                if entries is not None:
                    record[name] = entries
            elif _is(schema, "null"):
                record[name] = None
        has_answer = any(record.get(name) == answer for name in record)
        return record if has_answer and self.is_followed(record) else None

    def _entries(
        self, item: Mapping[str, Any], sources: Sequence[Mapping[str, Any]]
    ) -> list[Any] | None:
        if _is(item, "string"):
            return [source["url"] for source in sources]
        fillers: dict[str, Callable[[Mapping[str, Any]], str | int | None]] = {}
        for name, of_property in object_of(item.get("properties")).items():
            schema, field = self._resolved(of_property), _SOURCE_FIELDS.get(name.lower(), "")
            if field == "n" and (_is(schema, "integer") or _is(schema, "number")):
                fillers[name] = itemgetter("n")
            elif field and _is(schema, "string"):
                fillers[name] = partial(_text_of, field)
            elif _is(schema, "null"):
                fillers[name] = partial(_text_of, "")
        required = _listed(item.get("required"))
        if not fillers or not all(str(name) in fillers for name in required):
            return None
        return [{name: fill(source) for name, fill in fillers.items()} for source in sources]

    def _resolved(self, schema: object) -> Mapping[str, Any]:
        """Return a schema, or the one inside of this whole schema that it refers to."""
        found = object_of(schema)
        # Bounded, since a schema may refer to itself.
        for _ in range(_MOST_REFERENCES):
            reference = found.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#/"):
                return found
            at: object = self.schema
            for step in reference.removeprefix("#/").split("/"):
                # RFC 6901, section 4: `~1` first, or `~01` would become a slash.
                at = object_of(at).get(step.replace("~1", "/").replace("~0", "~"))
            found = object_of(at)
        return {}


def most_tokens(fields: Mapping[str, Any]) -> int:
    """Return after how many tokens the reply ends, 0 for as many as it has.

    Raises:
        OpenAIError: that is no number.
    """
    name = "max_tokens" if fields.get("max_completion_tokens") is None else "max_completion_tokens"
    wanted = fields.get(name)
    # JSON does not part integers from floats: some programs send 512.0.
    if isinstance(wanted, float) and wanted.is_integer():
        wanted = int(wanted)
    if wanted is None or wanted in _UNLIMITED:
        return 0
    # Python's bool is an int.
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 0:
        problem = f"`{name}` is a whole number from 1, or -1 for no limit."
        raise OpenAIError(400, problem, param=name)
    return wanted


def stops_of(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts before which the reply ends.

    Raises:
        OpenAIError: they are none, too many or too long.
    """
    given = fields.get("stop")
    if given is None:
        return ()
    listed = cast("list[object]", given) if isinstance(given, list) else [given]
    stops = [one for one in listed if isinstance(one, str) and 0 < len(one) <= LONGEST_STOP]
    if len(stops) < len(listed) or len(stops) > MOST_STOPS:
        problem = (
            f"`stop` is a text of at most {LONGEST_STOP} characters, or up to {MOST_STOPS} of them."
        )
        raise OpenAIError(400, problem, param="stop")
    return tuple(stops)


def json_form_of(fields: Mapping[str, Any]) -> JsonForm | None:
    """Return the JSON that the reply is to be, None for text.

    Raises:
        OpenAIError: it is to be something else, or there is no schema of an object.
    """
    given = fields.get("response_format")
    kind = object_of(given).get("type")
    if given is None or kind == "text":
        return None
    if kind == "json_object":
        return JsonForm(_LOOSE)
    schema = object_of(object_of(object_of(given).get("json_schema")).get("schema"))
    if kind != "json_schema" or not schema:
        problem = "`response_format` is of type text, json_object, or json_schema with a schema."
        raise OpenAIError(400, problem, param="response_format")
    if not _is(schema, "object"):
        raise OpenAIError(400, "The schema is that of an object.", param="response_format")
    if len(json.dumps(schema)) > LONGEST_SCHEMA:
        problem = f"The schema has more than {LONGEST_SCHEMA:,} characters."
        raise OpenAIError(400, problem, param="response_format")
    return JsonForm(schema)


def refuse_unserved(fields: Mapping[str, Any]) -> None:
    """Refuse what changes what a reply is, and cannot be had here.

    Raises:
        OpenAIError: it is wanted.
    """
    if fields.get("n") not in (None, 1):
        raise OpenAIError(400, "There is one answer: leave `n` out, or set it to 1.", param="n")
    # A program that forces a call expects one; with `auto` an answer will do.
    for name in ("tool_choice", "function_call"):
        if fields.get(name) not in (None, "auto", "none"):
            problem = f"Askance calls no tools of yours: leave `{name}` out, or set it to auto."
            raise OpenAIError(400, problem, param=name)
    for name in ("logprobs", "top_logprobs"):
        if fields.get(name) not in (None, False, 0):
            problem = f"No probabilities are known of an answer: leave `{name}` out."
            raise OpenAIError(400, problem, param=name)
    modalities = fields.get("modalities")
    if fields.get("audio") is not None or (
        isinstance(modalities, list) and modalities not in ([], ["text"])
    ):
        raise OpenAIError(400, "Askance answers in text alone.", param="modalities")


def _text_of(field: str, source: Mapping[str, Any]) -> str | None:
    return str(source[field]) if field else None


def _is(schema: Mapping[str, Any], kind: str) -> bool:
    """Whether a value of this type fits a schema, as far as its type tells."""
    named = [
        schema.get("type"),
        *(object_of(one).get("type") for one in _listed(schema.get("anyOf"))),
    ]
    return any(one == kind or (isinstance(one, list) and kind in one) for one in named)


def _listed(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def object_of(value: object) -> Mapping[str, Any]:
    """Return an object of JSON; an empty one of anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


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
# A marker as this server shows it: `[3](https://example.org/a)≈`.
_OURS = re.compile(r"\[\d{1,3}\]\(https?://[^()\s]{1,2000}\)[≈✗]?")
# The list of sources that this server puts below an answer, to its end.
_SOURCES = re.compile(r"\n\n\*\*Sources\*\*\n.*\Z", re.DOTALL)
_Remembered = TypeVar("_Remembered", str, Turn)
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
        """The message for the model alone: its instructions stand before it."""
        order = self.form.order if self.form is not None else ""
        return "\n\n".join(part for part in (self.instructions, self.message, order) if part)


class RecentAnswers:
    """The answers that were given last, as turns: a request brings back only their text.

    So a question that goes on from one finds its sources again, and only what was public of it is
    searched. Some clients bring back no more than the id of an answer. Nothing of it outlives the daemon.
    """

    def __init__(self) -> None:
        self._turns: OrderedDict[bytes, Turn] = OrderedDict()
        self._texts: OrderedDict[bytes, str] = OrderedDict()

    def name(self, client: str, item_id: str, shown: str) -> None:
        """Keep the text of an answer under its id."""
        _put(self._texts, _digest(client, item_id), shown)

    def text(self, client: str, item_id: str) -> str | None:
        """Return the text of an answer by its id, None where it is not known any more."""
        return self._texts.get(_digest(client, item_id))

    def store(self, client: str, shown: str, turn: Turn) -> None:
        """Keep a turn under the text that its answer was shown as."""
        _put(self._turns, _digest(client, shown), turn)

    def turn(self, client: str, question: str, shown: str) -> Turn:
        """Return the turn of an answer that came back.

        Of one that is not remembered nothing is known, whatever its text looks like: none of it is searched,
        and a model on another computer does not read it.
        """
        known = self._turns.get(_digest(client, shown))
        # The question is compared, too: two may have had the same answer, such as "No."
        if known is not None and known.question == question:
            return known
        return Turn(question, _OURS.sub("", _SOURCES.sub("", shown)))


def fields_of(body: bytes) -> dict[str, Any]:
    """Return the fields of a request.

    Raises:
        OpenAIError: it is no JSON object.
    """
    try:
        known: Any = json.loads(body)
    except (ValueError, RecursionError):
        raise OpenAIError(400, "The request is not JSON.") from None
    if _is_deeper(known, _DEEPEST):
        raise OpenAIError(400, f"The request is nested more than {_DEEPEST} levels deep.")
    if not isinstance(known, dict):
        raise OpenAIError(400, "The request is not a JSON object.")
    return cast("dict[str, Any]", known)


def _is_deeper(value: object, most: int) -> bool:
    """Say whether a JSON value has more levels than so many; whoever writes it again recurses into each."""
    level = [value]
    for _ in range(most):
        level = [
            part
            for each in level
            if isinstance(each, dict | list)
            for part in (each.values() if isinstance(each, dict) else each)
        ]
    return bool(level)


def completion_of(
    fields: Mapping[str, Any], client: str, remembered: RecentAnswers
) -> CompletionRequest:
    """Return what the fields of a request for a chat completion ask for.

    Raises:
        OpenAIError: it wants what is not there.
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
        object_of(fields.get("stream_options")).get("include_usage") is True,
        most_tokens(fields),
        stops_of(fields),
        form,
    )
    # Tried now, so that a schema without room is refused before the search and not after it.
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
        OpenAIError: there is no such model.
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
    # Earlier messages may be tool calls of another model in the same chat.
    if role in ("tool", "function") or (is_last and message.get("tool_calls")):
        if not is_last:
            return "assistant", ""
        raise OpenAIError(400, "Askance calls no tools of yours.", param=f"{place}.role")
    if role not in ("user", "assistant", *_INSTRUCTING):
        raise OpenAIError(400, "A role is system, user or assistant.", param=f"{place}.role")
    text = _text(message.get("content"), f"{place}.content", is_last=is_last)
    # JSON may hold halves of surrogate pairs.
    return role, text.encode("utf-8", "replace").decode()


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
        # In earlier messages pictures are left out; in the last one the question may be about them.
        case {"type": str()} if not is_last:
            return None
        case {"type": "image_url" | "input_audio" | "file"}:
            problem = "Askance reads text alone: leave images, sound and files out."
            raise OpenAIError(400, problem, param=place)
        case _:
            raise OpenAIError(400, "A part of a message is text.", param=place)


def _put(remembered: OrderedDict[bytes, _Remembered], key: bytes, value: _Remembered) -> None:
    remembered[key] = value
    while len(remembered) > _MOST_REMEMBERED:
        remembered.popitem(last=False)


def _digest(client: str, shown: str) -> bytes:
    # With the client's name, so that no client gets another's turns by their text.
    return hashlib.sha256(f"{client}\0{shown.strip()}".encode("utf-8", "replace")).digest()


# What chat front ends ask of a model beside the chat: titles, tags, follow-ups, queries, completions.
#
# They send such jobs to the model of the chat, in words that each has of its own and lets people change.
# So a job is known by its shape: an order to name, tag, continue or summarise a chat, the form in which
# it wants the reply, and the chat itself as material. A person's question seldom has all three.

_LOOKED_AT = 1_500
"""Characters at either end of a message: the order stands before or behind its material."""
_NEAR = 140
_TITLE_WORDS = 6
_LONGEST_TITLE = 60


class Job(StrEnum):
    """A job, by what is wanted."""

    TITLE = "title"
    TAGS = "tags"
    FOLLOW_UPS = "follow_ups"
    QUERIES = "queries"
    COMPLETION = "text"
    EMOJI = "emoji"
    SUMMARY = "summary"
    TOOLS = "tool_calls"


_EMPTY: dict[Job, object] = {
    Job.TAGS: ["General"],
    Job.FOLLOW_UPS: [],
    Job.QUERIES: [],
    Job.COMPLETION: "",
    Job.TOOLS: [],
}

# What is wanted, in the languages of the prompts of eight chat front ends (decision 39). The first
# that fits counts: "name" and "topic" stand in many prompts, and a title may be wanted with an emoji.
_WANTED_WORDS = {
    Job.QUERIES: r"search quer(?:y|ies)|question rephras|rephrased? (?:the |follow)|standalone (?:question|quer)|suchanfragen",
    Job.FOLLOW_UPS: r"follow[- ]?ups?\b|next questions|suggested (?:questions|replies)|anschlussfragen",
    Job.TAGS: r"\btags?\b|schlagw[oö]rt|标签|標籤",
    Job.COMPLETION: r"auto-?complet|continu(?:e|ation of) the text",
    Job.TITLE: r"\btitles?\b|\bname\b|\btopic\b|\bheadline\b|\btitel\b|überschrift|\btitre|\bt[íi]tulo|\btitolo|标题|標題|主题|主題|タイトル|題名|제목|заголов",
    Job.EMOJI: r"\bemojis?\b",
    Job.SUMMARY: r"\bsummar(?:y|i[sz]e)\b|zusammenfass|总结|總結|要約|résum",
}
_WANTED = {job: re.compile(pattern, re.IGNORECASE) for job, pattern in _WANTED_WORDS.items()}
_ORDERS = re.compile(
    r"\b(?:generate|create|write|give|provide|suggest|summari[sz]e|make|name|produce|craft|come up with|analy[sz]e|detect"
    r"|rephrase|continue|complete|categori[sz]e|reflect|label|convert|need to"
    r"|erstelle|erzeuge|schreibe|fasse|nenne|génère|crée|résume|genera|crea|resume|escribe|scrivi)\b"
    r"|\byour (?:task|role|job) is\b|\byou are an? \S{1,20} ?(?:generator|rephraser|completion)"
    r"|生成|总结|總結|概括|返回|要約|作成|생성|요약|создай|сгенерируй|напиши|обобщ",
    re.IGNORECASE,
)
_CHAT = (
    r"\bchats?\b|conversation|\bdialog|discussion|\bmessages?\b|\bthread\b|\b(?:previous|user|following|the) query\b"
    r"|`?<text>|gespräch|unterhaltung|nachricht|conversación|conversazione|会话|會話|对话|對話|聊天|这句话|會話|대화|разговор|диалог|бесед"
)
_NUMBER = r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|drei|vier|fünf|zehn)"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # A length: "3-5 words", "between two and four words", "10个字".
        rf"\b{_NUMBER}(?:[ -]{{0,2}}(?:-|–|to|or|bis|à|a)[ -]{{0,2}}{_NUMBER})?[ -]{{0,2}}(?:words?|characters?|letters|wort|wörter|zeichen|mots|palabras|parole|слов|символ)"
        r"|\d{1,3} ?(?:个字|個字|字|文字|자)|四到五个字",
        # Nothing but the reply: "return only the title", "output nothing else", "直接返回".
        r"\b(?:only|just|solely|exclusively|strictly)\b[^.\n]{0,40}\b(?:titles?|name|tags?|quer|json|return|respond|reply|output|provide|emoji)"
        r"|\b(?:return|respond|reply|output|give|provide|answer)\b[^.\n]{0,40}\b(?:only|just|solely|exclusively|nothing)\b"
        r"|(?:title|name)s? only\b|nothing else|\bno (?:extra|additional|other) text|\bonly the (?:title|name)|nur (?:den|der) titel|直接返回|不要解释|だけ",
        # Bare text: "without quotation marks", "no special characters", "不要标点".
        r"\b(?:no|without|avoid|not|don['’]t|ohne|keine|sans|sin|senza)\b[^.\n]{0,60}(?:punctuation|quot|special (?:symbol|character|format)|markdown|satzzeichen|anführung|ponctuation|puntuación)|标点|標點|句読点",
        # A format that a program reads.
        r"\bjson\b|\bxml\b",
        # The language of the reply, as in "in the chat's primary language".
        r"\b(?:primary|same|detected|user['’]s|given) language\b|language of the (?:chat|conversation|user|message)",
        # What a summary is for, or in whose voice to write: "for future context", "as a user".
        r"\bfor future context\b|\bas a prompt\b|fitting emoji|\bas a \*{0,2}user\b",
    )
)
# The material: a chat in tags, with its speakers, as records, or set apart from the order.
_MATERIAL = re.compile(
    r"<(?P<tag>chat_history|chat|conversation|content|messages?|history|dialogue|transcript|text|question)>"
    r"|^[ \t>|*#\"]{0,6}(?:user|human|ai|assistant|response|用户|ユーザー)[*\"]{0,3} ?[:\uff1a]"
    r"|\"role\" ?: ?\"(?:user|assistant)\""
    r"|\bhere(?: is|['’]s) the (?:conversation|chat|query|message|dialogue)\b"
    r"|^[ \t#*|>]{0,6}(?:conversation|chat history|messages?|query|dialogue)[*]{0,2} ?[:\uff1a]"
    r"|^ {0,3}(?:```|\"\"\"|-{5,})",
    re.IGNORECASE | re.MULTILINE,
)
# Words for a chat that came as the messages before this one.
_THIS_CHAT = re.compile(
    r"\b(?:our|this|the above|above|previous|the)\s{1,3}(?:chat|conversation|discussion|dialogue?|messages?)\b"
    r"|\bso far\b|unsere[rs]? (?:gespräch|unterhaltung)|这句话|以上|上述",
    re.IGNORECASE,
)
# The JSON of the reply, as a prompt shows it: `{"follow_ups": [...`, quotes escaped or not.
_KEY = re.compile(
    r"\{\s{0,8}\\?\"(?P<key>title|tags|follow_ups|queries|text|tool_calls)\\?\" ?:", re.IGNORECASE
)
# The first message of a person in a transcript: "USER: ...".
_SPEAKER = re.compile(
    r"^[ \t>|*#]{0,6}(?:user|human|用户)[*]{0,3} ?[:\uff1a][ \t]{0,4}(?P<said>[^\n]{1,300})",
    re.IGNORECASE | re.MULTILINE,
)
_TAGGED = re.compile(r"<[^<>\n]{1,40}>")


_ABOUT_CHAT = re.compile(_CHAT, re.IGNORECASE)


def job_of(system: str, message: str, conversation: Conversation) -> Job | None:
    """Return the job that a request is, None for what a person says.

    `system` are its instructions, `message` is what was said last.
    """
    # Open WebUI has its prompt for tools in the system message, and the question in the next one.
    if "tool_calls" in system and _KEY.search(system):
        return Job.TOOLS
    # Both ends, since some front ends put the prompt before the chat and some after it.
    order = f"{message[:_LOOKED_AT]}\n{message[_LOOKED_AT:][-_LOOKED_AT:]}"
    if (found := _KEY.search(order)) and _MATERIAL.search(order):
        return Job(found["key"].lower())
    if job := _ordered(order):
        has_chat = conversation.turns and _THIS_CHAT.search(order)
        return job if has_chat or _MATERIAL.search(order) else None
    # A longer system message is a person's own instructions, which may speak of anything.
    return _ordered(system) if len(system) <= _LOOKED_AT else None


def _ordered(text: str) -> Job | None:
    """Return what a text orders to be made of a chat, and in which form."""
    if not _ABOUT_CHAT.search(text) or not any(form.search(text) for form in _FORMS):
        return None
    orders = [match.span() for match in _ORDERS.finditer(text)]
    return next((job for job, wanted in _WANTED.items() if _wants(text, job, wanted, orders)), None)


def _wants(text: str, job: Job, wanted: re.Pattern[str], orders: Sequence[tuple[int, int]]) -> bool:
    """Say whether one of the orders is near to a thing that is wanted; a summary is an order itself."""
    return any(
        job is Job.SUMMARY or any(_apart(found.span(), order) <= _NEAR for order in orders)
        for found in wanted.finditer(text)
    )


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    # One word cannot be both the order and what it asks for, as "name" could.
    return max(one[0] - other[1], other[0] - one[1]) if one != other else _NEAR + 1


def plain_reply(job: Job, system: str, message: str, conversation: Conversation) -> str:
    """Return what does for a job where no model can be asked."""
    title = _title(message, conversation)
    reply = "💬" if job is Job.EMOJI else title
    # For these the front ends parse the reply as JSON.
    if job in _EMPTY:
        return json.dumps({job.value: _EMPTY[job]})
    wants_json = re.search(r"\bjson\b", f"{system}\n{message[:_LOOKED_AT]}", re.IGNORECASE)
    return json.dumps({job.value: reply}, ensure_ascii=False) if wants_json else reply


def _title(message: str, conversation: Conversation) -> str:
    spoken = _SPEAKER.search(message)
    title = spoken["said"] if spoken else ""
    if not title and conversation.turns:
        title = conversation.turns[0].question
    words = _TAGGED.sub(" ", title).split()[:_TITLE_WORDS]
    return " ".join(words)[:_LONGEST_TITLE].strip(" .,;:!?\"'`") or "Chat"
