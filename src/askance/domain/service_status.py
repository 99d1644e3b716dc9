"""How a service of this machine is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """A service that answers: its version, "" where it tells none, and its round trip."""

    version: str
    ms: float
