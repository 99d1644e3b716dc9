"""What front ends send out of this machine themselves is noted as what runs send."""

from __future__ import annotations

from collections.abc import Callable

from askance.domain.ports.web import OutboundLedger, Sent
from askance.engine.progress import recorded


def _ignore(_problem: str) -> None:
    pass


def noted(
    ledger: OutboundLedger | None, occasion: str, warn: Callable[[str], None] = _ignore
) -> Sent:
    """Return what enters requests into the ledger; `warn` gets a sentence where that cannot be done."""
    return recorded(ledger, occasion, lambda _event: None, lambda _code, message: warn(message))
