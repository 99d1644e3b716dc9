"""Notes of what left the machine."""

from __future__ import annotations

from askance.domain.errors import StorageError
from askance.domain.events import RequestSent


def ignore(request: RequestSent) -> None:
    """Take no note."""


class ListedLedger:
    """A ledger in memory. With `broken` it cannot be written."""

    def __init__(self, broken: str = "") -> None:
        self.entries: list[tuple[RequestSent, str]] = []
        self.broken = broken

    def add(self, sent: RequestSent, occasion: str) -> None:
        if self.broken:
            raise StorageError(self.broken)
        self.entries.append((sent, occasion))
