"""A conversation as JSON for other programs: everything that is kept of it."""

from __future__ import annotations

import json
from typing import Any

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
        "title": summary.title,
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
        "quote": exchange.quote,
        "asked_at": exchange.asked_at,
        "ended": exchange.ended,
        "damage": exchange.damage,
        "events": [to_record(timed.event, timed.at_s) for timed in exchange.events],
    }
