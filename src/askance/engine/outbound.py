"""Telling of everything that leaves this machine, while it leaves."""

from __future__ import annotations

from collections.abc import Callable

from askance.domain.errors import StoreUnusable
from askance.domain.events import RequestSent, RunEvent, Sending, WarningCode
from askance.domain.messages import Message
from askance.ports.model import ModelInfo
from askance.ports.outbound import OutboundLedger, Sent

Emit = Callable[[RunEvent], None]
Warn = Callable[[WarningCode, Message], None]


def recorded(ledger: OutboundLedger | None, occasion: str, emit: Emit, warn: Warn) -> Sent:
    """Return what takes note of the requests of one run: in the ledger first, then as an event."""

    def sent(request: RequestSent) -> None:
        if ledger is not None:
            try:
                ledger.add(request, occasion)
            except StoreUnusable as exc:
                warn(WarningCode.LEDGER_UNUSABLE, exc.message)
        emit(request)

    return sent


def tell_of_model(info: ModelInfo, sent: Sent) -> None:
    """Take note of a model on another machine: the question and all evidence go there."""
    if info.host:
        sent(RequestSent(Sending.MODEL, info.host, Message("this program"), info.name))
