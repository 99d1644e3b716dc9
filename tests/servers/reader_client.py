"""The client of the reader service before a server that plays the service."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.reader.network import Resolver
from askance.adapters.reader.reader_protocol import (
    LINES_TYPE,
    STATUS_OF,
    OutgoingRequest,
    ReadReply,
    Refusal,
    ReplyLine,
)
from askance.adapters.reader.service import LastSeen, ServiceReader
from askance.config.settings import ReaderSettings
from askance.domain.errors import ServiceError
from askance.domain.events import RequestSent
from askance.domain.web_pages import Page, PageStatus, Validators
from servers.loopback import Handler, Loopback, serve
from servers.proofs import proven
from servers.site import PUBLIC, ScriptedResolver

URL = "http://site.example/page"
TOKEN = "a-token-of-43-characters"  # noqa: S105 - of no service
NAMES = {"site.example": [[PUBLIC]], "inner.example": [["10.0.0.7"]], "mixed.example": [[PUBLIC, "::1"]]}  # fmt: skip
PAGE = Page(
    URL,
    PageStatus.OK,
    final_url=URL,
    title="A page",
    markdown="Some words.",
    words=2,
    language="en",
    byline="Somebody",
    fetched_at="2026-11-20T10:00:00+00:00",
    content_hash="00ff",
    validators=Validators('"v1"', "Thu, 19 Nov 2026 10:00:00 GMT"),
)


LINES = {"Content-Type": LINES_TYPE}


def asked_line(url: str) -> bytes:
    """The service's line before it asks a host."""
    return ReplyLine(asked=OutgoingRequest(to=url.split("/")[2], url=url)).encoded()


def page_line(page: Page = PAGE, **changes: Any) -> bytes:
    """The service's last line, with some of the page's fields changed."""
    fields = {**ReadReply.of(page).model_dump(mode="json"), **changes}
    return json.dumps({"page": fields}).encode() + b"\n"


def reply_of(page: Page = PAGE, *asked: str, **changes: Any) -> bytes:
    """The service's reply that carries a page."""
    return b"".join(map(asked_line, asked or (URL,))) + page_line(page, **changes)


def answers(page: Page = PAGE, *asked: str, **changes: Any) -> Handler:
    """Play a service that has read the page."""
    return lambda request, wire: wire.send(reply_of(page, *asked, **changes), headers=LINES)


def refuses(code: Refusal) -> Handler:
    """Play a service that does not serve."""
    body = {"error": {"code": code, "message": "Said by the service."}}
    return lambda request, wire: wire.send_json(body, STATUS_OF[code])


@dataclass
class Client:
    """A client, what it asks, and what it told of that."""

    reader: ServiceReader
    server: Loopback
    _serving: AsyncExitStack
    _playing: Callable[[Handler], AbstractAsyncContextManager[Loopback]]
    sent: list[RequestSent] = field(default_factory=list[RequestSent])

    async def read(self, url: str = URL, known: Page | None = None) -> Page:
        return await self.reader.read(url, sent=self.sent.append, known=known)

    async def stop(self) -> None:
        """Let nothing listen any more where the service was."""
        await self._serving.aclose()

    def start_again(self) -> AbstractAsyncContextManager[Loopback]:
        """Let a service listen at the same address again."""
        return self._playing(answers())

    async def error(self) -> ServiceError:
        """The error of a reading, which says what is wrong and what fixes it."""
        with pytest.raises(ServiceError) as caught:
            await self.read()
        assert caught.value.service == "page reader"
        assert caught.value.address == self.server.url
        assert caught.value.problem.endswith(".")
        assert "`askance up`" in caught.value.fix or "`askance logs reader`" in caught.value.fix
        return caught.value


@asynccontextmanager
async def client_of(
    handler: Handler,
    folder: Path,
    *,
    resolver: Resolver | None = None,
    received: Path | None = None,
    **settings: Any,
) -> AsyncIterator[Client]:
    """Give a client to a service; without a resolver it knows the names of `NAMES`.

    The service knows the token, and proves it, whatever else it says.
    """
    token_file = folder / "reader.token"
    token_file.write_text(f"{TOKEN}\n", "ascii")

    def playing(handler: Handler) -> AbstractAsyncContextManager[Loopback]:
        proof = proven(handler, lambda: token_file.read_text("ascii").strip())
        return serve(proof, port=port[0])

    port = [0]
    async with AsyncExitStack() as serving:
        server = await serving.enter_async_context(playing(handler))
        port[0] = server.port
        limit = {"page_timeout_s": settings.pop("page_timeout_s", 5)}
        chosen = ReaderSettings(**{"url": server.url, **settings}).model_copy(update=limit)
        resolver = resolver or ScriptedResolver(NAMES)
        async with ServiceReader(chosen, token_file, resolver, LastSeen(received)) as reader:
            yield Client(reader, server, serving, playing)
