"""A book of clients in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from askance.domain.ports.storage import Capability, Client, ClientCall, ClientRecord


class ListedClients:
    """Keeps what each client may do, and what it did. It gives no tokens out."""

    def __init__(self) -> None:
        self.allowed: dict[str, frozenset[Capability]] = {}
        self.noted: list[ClientCall] = []

    def look_up(self, name: str) -> Client | None:
        return Client(name, self.allowed[name]) if name in self.allowed else None

    def known(self, name: str) -> Client:
        return Client(name, self.allowed[name]) if name in self.allowed else Client(name)

    def allow(self, name: str, capabilities: Collection[Capability]) -> None:
        self.allowed[name] = frozenset(capabilities)

    def note(self, call: ClientCall) -> None:
        self.noted.append(call)

    def by_token(self, token: str) -> Client | None:
        return None

    def make_token(self, name: str) -> str:
        raise NotImplementedError

    def forget(self, name: str) -> None:
        self.allowed.pop(name, None)

    def records(self) -> Sequence[ClientRecord]:
        return ()

    def calls(self, name: str, limit: int) -> Sequence[ClientCall]:
        return [call for call in self.noted if call.client == name][-limit:]
