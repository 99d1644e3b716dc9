"""What a request of OpenAI's API says of the form of its reply: how long, until which words, and as which JSON.

What cannot be done is refused by name: a program that has asked for JSON and gets prose fails where nobody sees why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, cast

from askance.server.openai_errors import OpenAIError

MOST_STOPS, LONGEST_STOP = 4, 200
LONGEST_SCHEMA = 20_000
_MOST_REFERENCES = 20
# What programs send for "no limit": LM Studio and llama.cpp -1, Ollama -2 as well.
_UNLIMITED = frozenset({-1, -2})
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
        """What a model is told of it: not every server holds its model to a schema."""
        if self.schema == _LOOSE:
            return "Reply with one JSON object and nothing else."
        text = json.dumps(self.schema, ensure_ascii=False)
        return (
            f"Reply with one JSON object that follows this JSON schema, and nothing else:\n{text}"
        )

    def is_followed(self, record: object) -> bool:
        """Whether a reply is an object with the properties that the schema requires."""
        required = cast("list[object]", self.schema.get("required") or [])
        return isinstance(record, dict) and all(name in record for name in required)

    def filled(self, answer: str, sources: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
        """Return an answer and its sources as the schema has room for them; None where it has none."""
        if self.schema == _LOOSE:
            return {"answer": answer, "sources": [dict(source) for source in sources]}
        properties = _object(self.schema.get("properties"))
        record: dict[str, Any] = {}
        for name, of_property in properties.items():
            schema = self._resolved(of_property)
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
        for name, of_property in _object(item.get("properties")).items():
            schema, field = self._resolved(of_property), _SOURCE_FIELDS.get(name.lower(), "")
            if field == "n" and (_is(schema, "integer") or _is(schema, "number")):
                fillers[name] = itemgetter("n")
            elif field and _is(schema, "string"):
                fillers[name] = partial(_text_of, field)
            elif _is(schema, "null"):
                fillers[name] = partial(_text_of, "")
        required = cast("list[object]", item.get("required") or [])
        if not fillers or not all(name in fillers for name in required):
            return None
        return [{name: fill(source) for name, fill in fillers.items()} for source in sources]

    def _resolved(self, schema: object) -> Mapping[str, Any]:
        """Return a schema, or the one inside of this whole schema that it refers to."""
        found = _object(schema)
        for _ in range(_MOST_REFERENCES):
            reference = found.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#/"):
                return found
            at: object = self.schema
            for step in reference.removeprefix("#/").split("/"):
                at = _object(at).get(step.replace("~1", "/").replace("~0", "~"))
            found = _object(at)
        return {}


def most_tokens(fields: Mapping[str, Any]) -> int:
    """Return after how many tokens the reply ends, 0 for as many as it has.

    Raises:
        Refused: that is no number.
    """
    name, wanted = next(
        (
            (name, fields[name])
            for name in ("max_completion_tokens", "max_tokens")
            if fields.get(name) is not None
        ),
        ("max_tokens", 0),
    )
    if isinstance(wanted, float) and wanted.is_integer():
        wanted = int(wanted)
    if isinstance(wanted, bool) or not isinstance(wanted, int):
        raise OpenAIError(400, f"`{name}` is a whole number from 1.", param=name)
    if wanted in _UNLIMITED:
        return 0
    if wanted < 0:
        raise OpenAIError(
            400, f"`{name}` is a whole number from 1, or -1 for no limit.", param=name
        )
    return wanted


def stops_of(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts before which the reply ends.

    Raises:
        Refused: they are none, too many or too long.
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
        Refused: it is to be something else, or there is no schema of an object.
    """
    given = fields.get("response_format")
    kind = _object(given).get("type")
    if given is None or kind == "text":
        return None
    if kind == "json_object":
        return JsonForm(_LOOSE)
    schema = _object(_object(_object(given).get("json_schema")).get("schema"))
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
        Refused: it is wanted.
    """
    if fields.get("n") not in (None, 1):
        raise OpenAIError(400, "There is one answer: leave `n` out, or set it to 1.", param="n")
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
    named = [schema.get("type"), *(_object(one).get("type") for one in schema.get("anyOf") or ())]
    return any(one == kind or (isinstance(one, list) and kind in one) for one in named)


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
