"""What goes to a library on another machine, entered into the ledger before it goes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from askance.adapters.storage.ledger import SqliteLedger
from askance.domain.errors import StoreUnusable, place_of
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message

OCCASION = "library"
# A library is read in thousands of requests: of one kind so many seconds have one entry.
EACH_S = 60.0

_log = logging.getLogger(__name__)


class Leaving:
    """Enters what is sent to a server on another machine. For any thread.

    What cannot be written yet waits in the ledger, and holds nothing up.
    """

    def __init__(
        self, ledger: SqliteLedger, host: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ledger = ledger
        self._host = host
        self._clock = clock
        self._entered: dict[str, float] = {}
        self._one_at_a_time = threading.Lock()

    def enter(self, content: str) -> None:
        """Enter words that are searched, or documents that are sent."""
        with self._one_at_a_time:
            self._enter(content)

    def goes_on(self, kind: str) -> None:
        """Enter a request by its kind, unless that was done just now."""
        with self._one_at_a_time:
            now = self._clock()
            if now - self._entered.get(kind, now - EACH_S) >= EACH_S:
                self._entered[kind] = now
                self._enter(kind)

    def close(self) -> None:
        """Close the ledger."""
        with self._one_at_a_time:
            self._ledger.close()

    def _enter(self, content: str) -> None:
        sent = RequestSent(Sending.LIBRARY, self._host, Message("this program"), content)
        try:
            self._ledger.add(sent, OCCASION)
        except StoreUnusable as exc:
            _log.info("not entered into the ledger yet: %s", place_of(exc))
