"""What was learned of the speed of model servers, kept from one start to the next."""

from __future__ import annotations

from typing import Protocol

from askance.domain.speed import Speed


class Speeds(Protocol):
    """A store of speeds. It never fails: one that cannot be read knows nothing."""

    async def known(self, server: str, model: str) -> Speed:
        """Return what is known of a model on a server; an empty `Speed` where nothing is."""
        ...

    async def keep(self, server: str, model: str, speed: Speed) -> None:
        """Keep what is known now, in place of what was."""
        ...
