"""What a client can read by its URI: the sources that its own runs have read, and their traces."""

from __future__ import annotations

import asyncio
import json
import re
from urllib.parse import parse_qs, urlsplit

from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp_types import Resource, ResourceTemplate

from askance.app.client_runs import source_id
from askance.app.client_service import ClientService
from askance.citations.safe_markdown import safe_line, safe_record
from askance.domain.clients import Capability, Client
from askance.domain.errors import InputError, NotAllowed
from askance.domain.evidence import Source
from askance.domain.messages import Message
from askance.domain.web import host_of
from askance.extract.text import break_control_tokens, strip_invisible
from askance.server.tool_results import (
    DATA,
    LONGEST_URL,
    address,
    cut_to,
    data_nonce,
    fenced,
    fenced_line,
    plain,
)

_TOKENS = 7_000
_MOST_LISTED = 50
_ESCAPED = re.compile(r"\\\\([\[\]`])")
_MARKDOWN, _JSON_LINES = "text/markdown", "application/jsonl"


def source_uri(source: Source) -> str:
    """Return the URI of a source's text."""
    return f"askance://source/{source_id(source.url)}"


class Resources:
    """The resources of every client. Nobody sees another's."""

    def __init__(self, service: ClientService) -> None:
        self._service = service

    def listed(self, client: Client) -> list[Resource]:
        """Return the client's own traces and sources, the newest first."""
        runs = self._service.runs
        traces = [
            Resource(
                uri=f"askance://trace/{run.id}",
                name=f"Trace: {plain(run.question, 80)}",
                description="What the search did, step by step.",
                mime_type=_JSON_LINES,
            )
            for run in runs.of(client)
            if run.is_over
        ]
        sources = [
            Resource(
                uri=f"askance://source/{stored.id}",
                name=plain(host_of(stored.url), 80) or stored.id,
                description="Text of a page that was read for you.",
                mime_type=_MARKDOWN,
            )
            for stored in runs.sources(client)
        ]
        return [*traces, *sources][:_MOST_LISTED]

    def templates(self) -> list[ResourceTemplate]:
        """Return how resources are named."""
        return [
            ResourceTemplate(
                uri_template="askance://source/{id}{?start}",
                name="source",
                description="The whole text of a source of an answer, from a character on.",
                mime_type=_MARKDOWN,
            ),
            ResourceTemplate(
                uri_template="askance://trace/{id}{?start}",
                name="trace",
                description="What a search of yours did, as lines of JSON.",
                mime_type=_JSON_LINES,
            ),
        ]

    async def read(self, client: Client, uri: str) -> ReadResourceContents:
        """Read a resource, from `start` on as far as a result may reach.

        Raises:
            InputError: the client has none of this URI.
        """
        kind, identity, start = _parts(uri)
        if kind == "trace":
            run = self._service.runs.find(client, identity)
            if run is None or not run.is_over or (run.has_read_library and not _reads(client)):
                raise _unknown(uri)
            trace = await asyncio.to_thread(_safe_trace, run.trace())
            return _content(uri, trace, start, _JSON_LINES, "")
        if kind != "source":
            raise _unknown(uri)
        head, text = await self._source(client, identity, uri)
        return _content(uri, text, start, _MARKDOWN, head)

    async def _source(self, client: Client, identity: str, uri: str) -> tuple[str, str]:
        stored = self._service.runs.source(client, identity)
        if stored is not None and stored.text is not None:
            return _head(stored.title, stored.url), stored.text
        try:
            found = await self._service.document(client, stored.url if stored else identity)
        except NotAllowed as exc:
            raise _unknown(uri) from exc
        if found is None:
            raise _unknown(uri)
        url, title, text = found
        return _head(title, url), text


def _head(title: str, url: str) -> str:
    where = address(url) or fenced_line(url, LONGEST_URL)
    return " ".join(filter(None, (fenced_line(title), where)))


def _content(uri: str, text: str, start: int, kind: str, head: str) -> ReadResourceContents:
    shown = cut_to(text[start:], _TOKENS)
    end = start + len(shown)
    rest = ""
    if end < len(text):
        where = f"{uri.partition('?')[0]}?start={end}"
        rest = f"Characters {start} to {end} of {len(text)}. What follows: {where}"
    if kind == _JSON_LINES:
        rest = json.dumps({"type": "cut", "text": rest}) if rest else ""
        nonce = data_nonce()
        parts = [
            json.dumps({"type": "notice", "text": DATA}),
            json.dumps({"type": "data", "text": f"<<<data {nonce}"}),
            shown,
            json.dumps({"type": "data", "text": f"data {nonce}>>>"}),
            rest,
        ]
        return ReadResourceContents(content="\n".join(filter(None, parts)), mime_type=kind)
    parts = [head, DATA, fenced(shown), rest]
    return ReadResourceContents(content="\n\n".join(filter(None, parts)), mime_type=kind)


def _safe_trace(trace: str) -> str:
    """Return lines of JSON with every text in them inert, and without what ends a prompt."""
    records = (safe_record(json.loads(line), _safe_lines) for line in trace.splitlines())
    # JSON doubles backslashes; who takes a line for Markdown would see them escaped, and not what follows.
    lines = (
        _ESCAPED.sub(lambda found: f"&#{ord(found[1])};", json.dumps(record, ensure_ascii=False))
        for record in records
    )
    return break_control_tokens(strip_invisible("\n".join(lines)))


def _safe_lines(text: str) -> str:
    """Return a text with each of its lines inert: in JSON they are one."""
    return "\n".join(map(safe_line, text.split("\n")))


def _reads(client: Client) -> bool:
    return client.may(Capability.LIBRARY_READ)


def _parts(uri: str) -> tuple[str, str, int]:
    """Return the kind, the identity and the start that a URI names."""
    try:
        parts = urlsplit(uri)
        asked = parse_qs(parts.query).get("start", ["0"])[0]
    except ValueError as exc:
        raise _unknown(uri) from exc
    if parts.scheme != "askance" or not asked.isdecimal() or len(asked) > 9:
        raise _unknown(uri)
    return parts.netloc, parts.path.removeprefix("/"), int(asked)


def _unknown(uri: str) -> InputError:
    return InputError(
        Message("There is no {uri}, or not any more.", uri=plain(uri)),
        fix=Message("Search again."),
    )
