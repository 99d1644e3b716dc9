"""What the window shows of other programs that ask, decided without Qt: their lines, calls and addresses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from askance.config.settings import ServerSettings
from askance.domain.clients import Capability, Client, ClientCall, ClientRecord
from askance.presentation.i18n import duration, moment_text, plural, term, tr
from askance.presentation.sanitizing import one_line

CAPABILITIES = {
    Capability.WEB: term("Search the web"),
    Capability.READ: term("Read pages by address"),
    Capability.LIBRARY_READ: term("Search the library"),
    Capability.LIBRARY_WRITE: term("Add to the library"),
}
"""What each capability is called, in the order in which they are shown."""
DONE = "ok"
"""How a call ended that got what it asked for."""
_OUTCOMES = {
    DONE: term("done"),
    "cancelled": term("cancelled"),
    "failed": term("failed"),
    "not_allowed": term("not allowed"),
    "refused": term("refused"),
    "too_many": term("too many at once"),
}
# Where nobody can say what is wrong: who stops a call has its reason.
_QUIET = {DONE, "cancelled"}
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here


def seen_text(record: ClientRecord, now: datetime, *, over_http: bool) -> str:
    """Say how a program asks, and when it did last."""
    texts = [tr("over HTTP")] if over_http else []
    if record.calls:
        texts.append(tr("last seen {when}", when=moment_text(record.last_seen, now)))
    elif over_http:
        texts.append(tr("has not asked yet"))
    else:
        texts.append(tr("connected {when}", when=moment_text(record.last_seen, now)))
    return " · ".join(texts)


def calls_text(record: ClientRecord) -> str:
    """Say how often a program has asked."""
    return plural("{n} call", "{n} calls", record.calls)


def call_text(call: ClientCall, now: datetime) -> str:
    """Say when something was asked for, what came of it, and how long that took."""
    outcome = tr(_OUTCOMES[call.outcome]) if call.outcome in _OUTCOMES else one_line(call.outcome)
    return " · ".join((moment_text(call.at, now), outcome, duration(call.ms)))


def went_wrong(call: ClientCall) -> bool:
    """Whether a call got nothing of what it asked for."""
    return call.outcome not in _QUIET


def may_carry_out(client: Client) -> bool:
    """Whether a program both reads the library and can send words or addresses out of this computer."""
    goes_out = client.may(Capability.WEB) or client.may(Capability.READ)
    return goes_out and client.may(Capability.LIBRARY_READ)


def door_address(settings: ServerSettings) -> str:
    """Return the address at which programs of this computer ask over HTTP, without a path."""
    host = _EVERYWHERE.get(settings.host, settings.host)
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{settings.port}"


def configuration(command: Sequence[str]) -> str:
    """Return what programs that start Askance over MCP have in their configuration, as JSON."""
    entry = {"command": command[0], "args": [*command[1:], "mcp"]}
    return json.dumps({"mcpServers": {"askance": entry}}, indent=2, ensure_ascii=False)
