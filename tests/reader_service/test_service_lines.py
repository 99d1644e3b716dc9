"""What the service says of a page, line by line, and what a page that breaks its reader costs."""

from __future__ import annotations

import asyncio
import logging
import socket

import httpx
import pytest

from askance.adapters.reader.network import MappedResolver, SystemResolver
from askance.adapters.reader.reader_protocol import (
    MOST_ASKED,
    OutgoingRequest,
    ReadRequest,
    ReplyLine,
)
from askance.domain.errors import ServiceDown, ServiceRefused
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
    Validators,
)
from askance.services.reader import ClientGone
from fakes.reader import ScriptedReader
from reader_service.served_reader import asking, lines_of, page_of, reading, serving
from servers.loopback import Request, Wire, serve
from servers.site import HTML, article
from waiting import patience, until

URL = "http://private.example/hidden-plan"


async def test_what_is_being_read_when_the_service_ends_is_told_so():
    reader = ScriptedReader({URL: "Words."}, holds={URL: asyncio.Event()})
    async with serving(reader) as service, asyncio.TaskGroup() as tasks:
        held = tasks.create_task(service.read(URL))
        await reader.tally.until_begun(1)
        service.server.should_exit = True
    [line] = lines_after_asking(held.result())
    assert line.error is not None
    assert line.error.code == "stopping"
    assert reader.tally.cancelled == [URL]


async def test_a_reader_whose_processes_do_not_start_is_told_as_such():
    down = ServiceDown("page reader", "this machine", "The processes do not start.")
    async with serving(ScriptedReader({URL: down})) as service:
        [line] = lines_after_asking(await service.read(URL))
    assert line.error is not None
    assert line.error.code == "starting"


def lines_after_asking(response: httpx.Response) -> list[ReplyLine]:
    first, *others = lines_of(response)
    assert first.asked == OutgoingRequest(to="private.example", url=URL)
    return others


HALF = "half of a \ud800 pair"
BAD_VALIDATOR = Page(URL, PageStatus.OK, markdown="Words.", validators=Validators("one\ntwo"))


@pytest.mark.parametrize(
    "broken",
    [
        RuntimeError(f"cannot read {URL}"),
        ExceptionGroup(f"twice {URL}", [ValueError(URL)]),
        RecursionError(URL),
        ServiceRefused("page reader", URL, f"It will not read {URL}."),
        Page(URL, PageStatus.OK, title=HALF, markdown="Words."),
        Page(URL, PageStatus.FAILED, PageReason.NETWORK, Message.verbatim(HALF)),
        BAD_VALIDATOR,
    ],
    ids=lambda broken: type(broken).__name__,
)
async def test_a_page_that_the_reader_breaks_over_is_a_failed_page_and_nothing_else(
    broken: Exception | Page, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    other = "http://other.example/"
    async with serving(ScriptedReader({URL: broken, other: "Words."})) as service:
        [line] = lines_after_asking(await service.read(URL))
        assert page_of(await service.read(other)).status == "ok"
        assert (await service.client.get("/healthz")).status_code == 200
    assert line.page is not None
    assert (line.page.status, line.page.reason, line.page.url) == ("failed", "extraction", URL)
    assert line.page.detail == "The reader failed over this page."
    assert line.page.markdown == ""
    reports = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert [text.partition(":")[0] for text in reports] == ["A page could not be read"]
    # The address is foreign, and private: it stands in no log.
    assert "hidden-plan" not in caplog.text
    assert service.limiter.outcomes == {"failed": 1, "ok": 1}
    caplog.clear()


async def test_a_page_that_fails_is_a_reply_and_no_refusal():
    async with serving(ScriptedReader()) as service:
        assert page_of(await service.read(URL)).reason == "http_status"


async def test_a_page_that_asks_without_an_end_fails(caplog: pytest.LogCaptureFixture):
    class Restless(ScriptedReader):
        async def read(
            self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
        ) -> Page:
            for number in range(10_000):
                sent(
                    RequestSent(
                        Sending.PAGE, "a.example", Message("this program"), f"{URL}/{number}"
                    )
                )
            return await super().read(url, sent=sent, known=known, scope=scope)

    async with serving(Restless({URL: "Words."})) as service:
        *asked, last = lines_of(await service.read(URL))
    assert [r.getMessage()[:36] for r in caplog.records] == ["A page could not be read: RuntimeErr"]
    caplog.clear()
    assert len(asked) == MOST_ASKED
    assert last.page is not None
    assert last.page.status == "failed"


async def test_each_host_is_told_before_the_reader_goes_on():
    """The client has the line in its hands while the reader has not gone one step further."""

    class Stopping(ScriptedReader):
        async def read(
            self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
        ) -> Page:
            sent(RequestSent(Sending.PAGE, "a.example", Message("this program"), URL))
            # Nothing else of this process runs between the note and this look into the wire.
            in_the_wire.append(client.recv(65_536))
            return await super().read(url, sent=sent, known=known, scope=scope)

    in_the_wire: list[bytes] = []
    async with serving(Stopping({URL: "Words."})) as service:
        client = socket.create_connection(("127.0.0.1", service.port))
        client.setblocking(False)
        client.sendall(asking(URL))
        await until(lambda: in_the_wire)
        client.close()
    assert b"200 OK" in in_the_wire[0]
    assert URL.encode() in in_the_wire[0]


async def test_a_client_that_hangs_up_hears_of_what_was_asked_and_of_nothing_more():
    going_on = asyncio.Event()
    went_on: list[str] = []

    class Hopping(ScriptedReader):
        async def read(
            self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
        ) -> Page:
            sent(RequestSent(Sending.PAGE, "a.example", Message("this program"), URL))
            try:
                await going_on.wait()
            except asyncio.CancelledError:
                sent(RequestSent(Sending.PAGE, "b.example", Message("this program"), URL))
                went_on.append("b.example")
                raise
            return await super().read(url, sent=sent, known=known, scope=scope)

    async with serving(Hopping({URL: "Words."})) as service, patience():
        stream, writer = await asyncio.open_connection("127.0.0.1", service.port)
        writer.write(asking(URL))
        await stream.readuntil(b"a.example")
        writer.write_eof()
        rest = await stream.read()
        writer.close()
    assert b"given up" in rest
    # What could not be told any more did not leave.
    assert b"b.example" not in rest
    assert went_on == []
    assert service.limiter.outcomes == {"stopping": 1}


async def test_a_page_whose_client_has_gone_is_no_failure_of_the_reader(
    caplog: pytest.LogCaptureFixture,
):
    """The real reader has many ways in which a page fails; this is none of them."""

    async def page(request: Request, wire: Wire) -> None:
        asked.append(request.path)
        await wire.send(article(), headers=HTML)

    def gone(_: OutgoingRequest) -> None:
        raise ClientGone

    async def not_seen_gone() -> None:
        await asyncio.Event().wait()

    asked: list[str] = []
    async with serve(page) as server, patience():
        names = MappedResolver({"private.example": ("127.0.0.1", server.port)}, SystemResolver())
        async with reading(names) as service:
            wanted = ReadRequest(url=URL)
            last = await service.limiter.read(wanted, on_request=gone, gone=not_seen_gone)
    assert b"given up" in last
    assert service.limiter.outcomes == {"stopping": 1}
    assert caplog.records == []
    assert asked == []
