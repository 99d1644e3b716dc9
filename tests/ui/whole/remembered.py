"""What the history has kept, as another program finds it."""

from __future__ import annotations

import pytest

from askance.adapters.storage.history import SqliteHistory
from askance.config.folders import Folders


def answers_kept(folders: Folders) -> list[tuple[str, str]]:
    """The questions of all exchanges, with what was written of their answers."""
    history = SqliteHistory(folders.history, pytest.fail)
    try:
        found = [history.conversation(c.id) for c in history.conversations(limit=1000)]
        return [
            (exchange.text, exchange.answer.answer if exchange.answer else "")
            for record in found
            if record is not None
            for exchange in record.exchanges
        ]
    finally:
        history.close()


def questions_kept(folders: Folders) -> list[tuple[str, bool]]:
    """The questions of all exchanges, and whether each has its end."""
    history = SqliteHistory(folders.history, pytest.fail)
    try:
        found = [history.conversation(c.id) for c in history.conversations(limit=1000)]
        return [
            (exchange.text, bool(exchange.events))
            for record in found
            if record is not None
            for exchange in record.exchanges
        ]
    finally:
        history.close()
