"""A search and a reader that send nothing, while the settings do not say for sure by which way."""

from __future__ import annotations

from typing import NoReturn

from askance.domain.errors import ServiceAbsent
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web import WHOLE_WEB, Page, SearchScope


class NoWeb:
    """A `WebSearch` and a `PageReader` that always say why nothing goes out."""

    def __init__(self, why: Message) -> None:
        self._why = why

    async def search(
        self,
        query: str,  # noqa: ARG002 - the port's
        *,
        wanted: int,  # noqa: ARG002
        sent: Sent,  # noqa: ARG002
        narrowing: SearchScope = WHOLE_WEB,  # noqa: ARG002
        language: str | None = None,  # noqa: ARG002
    ) -> NoReturn:
        """Raise ServiceAbsent with the reason."""
        raise ServiceAbsent("search", "", self._why)

    async def read(
        self,
        url: str,  # noqa: ARG002 - the port's
        *,
        sent: Sent,  # noqa: ARG002
        known: Page | None = None,  # noqa: ARG002
    ) -> NoReturn:
        """Raise ServiceAbsent with the reason."""
        raise ServiceAbsent("reader", "", self._why)
