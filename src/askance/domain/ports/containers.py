"""The services that run in containers, as front ends start, stop and look at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from askance.domain.containers import ComposeProgress, LogLine, StartResult, Survey


class Services(Protocol):
    """The services that the settings ask for."""

    async def up(self, report: Callable[[ComposeProgress], None]) -> StartResult:
        """Start them."""
        ...

    async def down(self, report: Callable[[ComposeProgress], None]) -> bool:
        """Stop and remove them; return whether there was anything."""
        ...

    async def survey(self) -> Survey:
        """Look at them."""
        ...


class ContainerServices(Services, Protocol):
    """The same with what a terminal does beside that: remove volumes, and show the logs."""

    async def down(
        self, report: Callable[[ComposeProgress], None], *, volumes: bool = False
    ) -> bool:
        """Stop and remove them, with `volumes` what they keep as well; return whether there was anything."""
        ...

    async def log(self, service: str = "", *, lines: int) -> list[LogLine]:
        """Return the last lines of their logs."""
        ...

    async def follow(
        self, service: str = "", *, lines: int, emit: Callable[[LogLine], None]
    ) -> None:
        """Hand over the lines of their logs as they come."""
        ...
