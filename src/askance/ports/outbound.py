"""The record of everything that leaves this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from askance.domain.events import RequestSent

Sent = Callable[[RequestSent], None]
"""Takes note of a request. Whoever sends one calls it before the first byte goes out."""


class OutboundLedger(Protocol):
    """Keeps what was sent, when, and on what occasion."""

    def add(self, sent: RequestSent, occasion: str) -> None:
        """Keep one entry, under the present time. `occasion` is the question, or the command.

        Raises:
            StoreUnusable: it cannot be written.
        """
        ...
