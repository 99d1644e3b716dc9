"""A conversation as JSON for other programs: everything that is stored of it.

What models and pages wrote is inert, since a program that reads this may render it as Markdown.
"""

from __future__ import annotations

import json
from typing import Any, cast

from askance.citations.safe_markdown import leads_away, safe_markdown, safe_record
from askance.domain.history import ConversationRecord, Exchange
from askance.domain.records import to_record

FORMAT = "askance-conversation"
VERSION = 1
"""Grows when a reader of the former version would misunderstand; new keys do not make it grow."""


def as_json(record: ConversationRecord) -> str:
    """Return a conversation as one JSON object; its events are records as in a trace.

    Only ASCII stands in it: no encoding can fail, whatever a page holds.
    """
    summary = record.summary
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "id": summary.id,
        "title": _safe(summary.title),
        "created_at": summary.created_at,
        "updated_at": summary.updated_at,
        "exchanges": [_exchange(exchange) for exchange in record.exchanges],
    }
    return json.dumps(whole, indent=1) + "\n"


def _exchange(exchange: Exchange) -> dict[str, Any]:
    return {
        "id": exchange.id,
        "command": exchange.command,
        "text": exchange.text,
        "quote": _safe(exchange.quote),
        "asked_at": exchange.asked_at,
        "ended": exchange.ended,
        "damage": exchange.damage,
        "events": [_event(to_record(timed.event, timed.at_s)) for timed in exchange.events],
    }


def _event(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of an event with its texts inert, the places of citations moved along."""
    safe = cast("dict[str, Any]", safe_record(record, _safe))
    for name in ("answer", "text"):
        text = record.get(name)
        if "citations" not in safe or not isinstance(text, str):
            continue
        urls = [source["url"] for source in record.get("sources", ())]
        if not leads_away(text):
            continue
        safe[name] = safe_markdown(text, urls)
        for citation in safe["citations"]:
            start = max(0, safe[name].find(citation["sentence"]))
            citation |= {"start": start, "end": start + len(citation["sentence"])}
    return safe


def _safe(text: str) -> str:
    """Return a text as it is unless who renders it would load, run or lead to something."""
    return safe_markdown(text) if leads_away(text) else text
