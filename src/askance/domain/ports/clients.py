"""What is known of the programs that ask, and what each may do."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from askance.domain.clients import Capability, Client, ClientCall, ClientRecord


class ClientRegistry(Protocol):
    """Keeps the clients. All of it blocks, and raises StorageError where it cannot be read or written."""

    def look_up(self, name: str) -> Client | None:
        """Return the client of a name as it is now, None where it is not known yet. Nothing is written."""
        ...

    def known(self, name: str) -> Client:
        """Return the client of a name as it is now; a new one is taken note of, and may search the web."""
        ...

    def by_token(self, token: str) -> Client | None:
        """Return the client whose token this is. All tokens are compared, in constant time."""
        ...

    def allow(self, name: str, capabilities: Collection[Capability]) -> None:
        """Set what a client may do, from its next call on."""
        ...

    def make_token(self, name: str) -> str:
        """Give a client a new token, and return it: only a digest is stored. An earlier one ends."""
        ...

    def forget(self, name: str) -> None:
        """Delete a client with its token and its calls."""
        ...

    def note(self, call: ClientCall) -> None:
        """Keep what a client did; the oldest of its calls go."""
        ...

    def records(self) -> Sequence[ClientRecord]:
        """Return all clients, the one that was seen last first."""
        ...

    def calls(self, name: str, limit: int) -> Sequence[ClientCall]:
        """Return the last calls of a client, newest first."""
        ...
