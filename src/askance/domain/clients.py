"""Other programs that ask Askance for something, and what each of them may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Capability(StrEnum):
    """What a program may be allowed. Stable codes: settings and commands name them.

    Whoever may both read the library and search the web can carry private text out of this machine.
    """

    WEB = "web"
    """Search the web, and have questions answered from it."""
    READ = "read"
    """Read pages by their address."""
    LIBRARY_READ = "library_read"
    """Search the library, and have questions answered from it."""
    LIBRARY_WRITE = "library_write"
    """Add to the library."""


AT_FIRST = frozenset({Capability.WEB})
"""What a program may do that the user has said nothing about."""


LONGEST_NAME = 60
"""Signs of a client's name at the most."""


def cleaned_name(name: str) -> str:
    """Return what a program calls itself as a name that can be shown and kept; "" where nothing is left."""
    shown = "".join(sign if sign.isprintable() else " " for sign in name[: 4 * LONGEST_NAME])
    return " ".join(shown.split())[:LONGEST_NAME].strip()


@dataclass(frozen=True, slots=True)
class Client:
    """A program that asks, by the name that the user knows it by."""

    name: str
    allowed: frozenset[Capability] = AT_FIRST

    def may(self, *capabilities: Capability) -> bool:
        """Say whether it is allowed all of these."""
        return self.allowed.issuperset(capabilities)


@dataclass(frozen=True, slots=True)
class ClientCall:
    """One thing that a client asked for. `at` is a moment in ISO 8601, UTC; `outcome` a stable word."""

    client: str
    tool: str
    at: str
    outcome: str
    ms: int


@dataclass(frozen=True, slots=True)
class ClientRecord:
    """What is known of a client. `has_token`: it has a token of its own, and asks over HTTP."""

    client: Client
    has_token: bool
    first_seen: str
    last_seen: str
    calls: int
