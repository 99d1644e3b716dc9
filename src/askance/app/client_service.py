"""What other programs may ask of one engine, within what each is allowed, and their round-robin queue."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain, zip_longest
from time import monotonic
from typing import Self

from askance.app.client_runs import LINGERS_S, Runs
from askance.app.container import App
from askance.app.text_checks import check_text
from askance.domain.checked_text import CheckedText, TextClaim
from askance.domain.conversation import RunRequest
from askance.domain.errors import InputError, NotAllowed, StorageError, TooManyWaiting
from askance.domain.events import Emit, RequestSent, RunEnd, Sending, ignore
from askance.domain.evidence import Evidence, EvidenceRequest
from askance.domain.library import (
    Added,
    Caller,
    Document,
    LibraryMatches,
    Origin,
    SearchMode,
    document_of,
)
from askance.domain.messages import Message
from askance.domain.ports.model import ModelQueue, Waiting
from askance.domain.ports.storage import Capability, Client, ClientCall, ClientRegistry
from askance.domain.ports.web import Sent
from askance.domain.web_pages import Page, PageStatus
from askance.engine.local_library import LocalLibrary
from askance.engine.prompts import Transcript
from askance.engine.research import Research
from askance.engine.run import Engine
from askance.engine.run_progress import log_error, recorded

# Turns of the programs that ask: each client has its turn before any has a second one.

# Beside the one that goes on, 64 connections of a client: one that is refused asks again, and may come behind
# those who came later, for ever.
MOST_WAITING = 63


@dataclass(eq=False, slots=True)
class _Place:
    """A place in the queue of a client. `reported` is the position that its client was last sent."""

    admitted: asyncio.Future[None]
    waiting: Waiting
    reported: int = 0


@dataclass(slots=True)
class RoundRobinQueue:
    """Lets `at_once` runs go on at the same time, round robin by client.

    `inner` is the queue before the same server that other programs of this user stand in: who has a turn
    here waits for one there. A client may have `most_waiting` runs waiting.
    """

    at_once: int
    inner: ModelQueue | None = None
    most_waiting: int = MOST_WAITING
    _active: int = field(default=0, init=False)
    _waiting: dict[str, deque[_Place]] = field(
        default_factory=dict[str, "deque[_Place]"], init=False
    )
    _order: deque[str] = field(default_factory=deque[str], init=False)

    def of(self, client: str) -> ClientTurns:
        """Return the queue as one client stands in it."""
        return ClientTurns(self, client)

    def refuse_more(self, client: str) -> None:
        """Let a client have no more waiting than it may.

        Raises:
            TooManyWaiting: so many are waiting already.
        """
        if len(self._waiting.get(client, ())) >= self.most_waiting:
            raise TooManyWaiting(
                Message("{n} questions of {name} are waiting.", n=self.most_waiting, name=client),
                fix=Message("Ask again when one of them is answered."),
            )

    def is_free(self) -> bool:
        """Whether a run would have its turn at once."""
        idle = self._active < self.at_once
        return idle and (self.inner is None or self.inner.is_free())

    @asynccontextmanager
    async def turn(self, client: str, waiting: Waiting) -> AsyncGenerator[None]:
        """Wait for a turn, and have it."""
        await self._enter(client, waiting)
        try:
            if self.inner is None:
                yield
            else:
                async with self.inner.turn(waiting):
                    yield
        finally:
            self._leave()

    async def _enter(self, client: str, waiting: Waiting) -> None:
        if self._active < self.at_once:
            self._active += 1
            return
        place = _Place(asyncio.get_running_loop().create_future(), waiting)
        # A client has one place in the rotation, however many runs it has waiting.
        if client not in self._waiting:
            self._waiting[client] = deque()
            self._order.append(client)
        self._waiting[client].append(place)
        self._report_positions()
        try:
            await place.admitted
        except asyncio.CancelledError:
            # Cancelled while waiting it has no turn to give back; admitted in the same moment it has one.
            if place.admitted.cancelled():
                self._take_out(client, place)
            else:
                self._leave()
            raise

    def _leave(self) -> None:
        """End a turn, and begin the next."""
        self._active -= 1
        while self._order and self._active < self.at_once:
            # A client that has asked often waits behind those that ask for the first time.
            client = self._order.popleft()
            place = self._waiting[client].popleft()
            if self._waiting[client]:
                self._order.append(client)
            else:
                del self._waiting[client]
            # One that was cancelled in this moment takes no turn; the loop goes on to the next.
            if not place.admitted.done():
                self._active += 1
                place.admitted.set_result(None)
        self._report_positions()

    def _take_out(self, client: str, place: _Place) -> None:
        if place not in self._waiting.get(client, ()):
            return
        self._waiting[client].remove(place)
        if not self._waiting[client]:
            del self._waiting[client]
            self._order.remove(client)
        self._report_positions()

    def _report_positions(self) -> None:
        """Send each waiting client its position in the queue if it changed."""
        # A place of each client, in the order of the rotation, then the second one of each, and so on.
        rounds = zip_longest(*(self._waiting[client] for client in self._order))
        places = filter(None, chain.from_iterable(rounds))
        # From one on: the run that has the turn now is before all.
        for ahead, place in enumerate(places, 1):
            if ahead != place.reported:
                place.reported = ahead
                place.waiting(ahead)


@dataclass(frozen=True, slots=True)
class ClientTurns:
    """The queue before the model as one client stands in it. See `ports.model.ModelQueue`."""

    turns: RoundRobinQueue
    client: str

    def turn(self, waiting: Waiting) -> AbstractAsyncContextManager[None]:
        """Wait for a turn, and have it."""
        return self.turns.turn(self.client, waiting)

    def is_free(self) -> bool:
        """Whether a run would have its turn at once."""
        return self.turns.is_free()


# So many programs have what their conversations left in the model's cache kept for them.
_MOST_TRANSCRIPTS = 32
# What needs no model is bound by the network: so much of it goes on at the same time.
_LIGHT_AT_ONCE = 4
# Calls that could not be noted yet, at the most; and for how long nothing is noted after that has failed.
_MOST_NOTES, _NOTES_REST_S = 1_000, 5.0
_DIGEST_DIGITS = 24

NEEDS = {
    Capability.WEB: Message("search the web"),
    Capability.READ: Message("read pages by their address"),
    Capability.LIBRARY_READ: Message("read the library"),
    Capability.LIBRARY_WRITE: Message("add to the library"),
}


def require(client: Client, *capabilities: Capability) -> None:
    """Let a client go on only where it is allowed all of these.

    Raises:
        NotAllowed: one of them is not allowed.
    """
    missing = next((c for c in capabilities if not client.may(c)), None)
    if missing is not None:
        raise NotAllowed(
            Message("{name} may not {deed}.", name=client.name or "?", deed=NEEDS[missing]),
            fix=Message(
                "Its user can allow it: `{command}`.",
                command=f"askance clients allow {client.name} {missing}",
            ),
        )


@dataclass(slots=True)
class Call:
    """What a client asked for. `outcome` is the stable word that is stored of it."""

    outcome: str = "ok"


def outcome_of(error: BaseException) -> str:
    """Return the word for how a call ended that raised this."""
    match error:
        case asyncio.CancelledError():
            return "cancelled"
        case NotAllowed():
            return "not_allowed"
        case TooManyWaiting():
            return "too_many"
        case InputError():
            return "refused"
        case _:
            return "failed"


class ClientService:
    """Serves clients with the parts of one program.

    Their runs have the model in fair turns, as many at once as the settings say. Cancelling a call cancels what it
    began. All methods raise `AskanceError`, and nothing of the user's own is in what a client gets that may
    not read the library: neither history nor library have a part in its runs.
    """

    def __init__(
        self,
        app: App,
        book: ClientRegistry,
        *,
        most_waiting: int = MOST_WAITING,
        lingers_s: float = LINGERS_S,
    ) -> None:
        self.app = app
        self.runs = Runs(lingers_s)
        self._book = book
        self._notes: set[asyncio.Future[None]] = set()
        # One thread: where their file is locked, notes hold up nobody else who needs one.
        self._noting = ThreadPoolExecutor(1, thread_name_prefix="call-notes")
        self._noting_rests_until = 0.0
        self._calls = 0
        self._turns = RoundRobinQueue(1, app.engine.queue, most_waiting)
        self._light = RoundRobinQueue(_LIGHT_AT_ONCE, None, most_waiting)
        self._transcripts: OrderedDict[Client, Transcript] = OrderedDict()

    async def __aenter__(self) -> Self:
        """Open what is needed by runs that outlive the call that began them."""
        await self.runs.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Cancel what is still under way, and wait for it and for what is to be stored."""
        await self.runs.__aexit__(None, None, None)
        if self._notes:
            await asyncio.wait(self._notes)
        self._noting.shutdown()

    @property
    def is_busy(self) -> bool:
        """Whether a call is under way, or a run that outlives its call."""
        return bool(self._calls or self.runs.open)

    @contextmanager
    def audited(self, client: Client, tool: str) -> Generator[Call]:
        """Keep in the book of clients that something was asked for, and what came of it: never the words."""
        began, at = monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
        call = Call()
        # Counted from here, so that an idle server does not end between a call and its run.
        self._calls += 1
        try:
            yield call
        except BaseException as exc:
            call.outcome = outcome_of(exc)
            raise
        finally:
            self._calls -= 1
            ms = round(1000 * (monotonic() - began))
            # While the clients' file is locked, notes that wait must not fill the memory.
            if len(self._notes) < _MOST_NOTES:
                noted = ClientCall(client.name, tool, at, call.outcome, ms)
                # Not waited for: who is being cancelled waits for nothing.
                loop = asyncio.get_running_loop()
                note = loop.run_in_executor(self._noting, self._note, noted)
                self._notes.add(note)
                note.add_done_callback(self._notes.discard)

    def _note(self, call: ClientCall) -> None:
        if monotonic() < self._noting_rests_until:
            return
        try:
            self._book.note(call)
        except StorageError as exc:
            self._noting_rests_until = monotonic() + _NOTES_REST_S
            log_error(exc)

    async def answer(
        self,
        client: Client,
        request: RunRequest,
        *,
        emit: Emit,
        on_start: Callable[[Research], None] = ignore,
    ) -> RunEnd:
        """Search for an answer, with what the client is allowed of the library. `on_start` is as in `Engine.run`.

        Raises:
            NotAllowed: the client may not search the web.
            TooManyWaiting: it has too many questions waiting.
        """
        require(client, Capability.WEB)
        self._turns.refuse_more(client.name)
        # Rights are those of now: a run that goes on keeps them, the next one may have others.
        if not client.may(Capability.LIBRARY_READ):
            request = replace(request, asks_library=False)
        if not client.may(Capability.LIBRARY_WRITE):
            request = replace(request, keeps_pages=False)
        # The processes that take pages apart take a second to start, and the plan takes as long.
        self.app.prepare()
        return await self._engine_of(client).run(request, emit=emit, on_start=on_start)

    async def converse(self, client: Client, request: RunRequest, *, emit: Emit) -> RunEnd:
        """Talk to the model alone. It raises as `answer` does."""
        require(client, Capability.WEB)
        self._turns.refuse_more(client.name)
        return await self._engine_of(client).chat(request, emit=emit)

    async def withholds_conversations(self) -> bool:
        """Return whether the model is on another computer and may not read conversations that are handed in.

        It raises as `answer` does where the model cannot be asked where it is.
        """
        model = self.app.engine.model
        if model is None or self.app.settings.library.share_with_remote_model:
            return False
        return bool((await model.info()).host)

    async def read_page(self, client: Client, url: str) -> Page:
        """Read a page. One that cannot be read is a value, not an error.

        Raises:
            NotAllowed: the client may not read pages.
            ServiceError: the reader itself failed.
        """
        require(client, Capability.READ)
        async with self._in_light_turn(client):
            return await self.app.reader.read(url, sent=self._sent(client))

    async def evidence(
        self, client: Client, question: str, wish: EvidenceRequest, *, emit: Emit, within_s: float
    ) -> Evidence:
        """Fetch evidence from the web; no model is asked, and neither history nor library.

        Raises:
            NotAllowed: the client may not search the web.
            ServiceError: nothing could be searched.
        """
        require(client, Capability.WEB)
        if self.app.evidence is None:
            raise InputError(Message("Nothing can be searched here."))
        self.app.prepare()
        async with self._in_light_turn(client):
            return await self.app.evidence().fetch(question, wish, emit=emit, within_s=within_s)

    async def check_text(
        self, client: Client, text: str, claims: Sequence[TextClaim], *, emit: Emit
    ) -> CheckedText:
        """Search for the claims of a text that were confirmed; no model is asked.

        Raises:
            NotAllowed: the client may not search the web, or not read the pages that the text cites.
            ServiceError: nothing could be searched.
        """
        require(client, Capability.WEB)
        if any(claim.cited for claim in claims):
            require(client, Capability.READ)
        async with self._in_light_turn(client):
            return await check_text(self.app, text, claims, emit=emit)

    async def search_library(
        self, client: Client, query: str, limit: int, mode: SearchMode = SearchMode.AUTO
    ) -> LibraryMatches:
        """Search the library; the reading is entered into the ledger.

        Raises:
            NotAllowed: the client may not read the library.
            StorageError: it cannot be read.
        """
        require(client, Capability.LIBRARY_READ)
        return await self._library_of(client).search.find(query, limit, mode=mode)

    async def document(self, client: Client, reference: str) -> tuple[str, str, str] | None:
        """Return address, title and text of a document of the library by its identity or address; None of none.

        It raises as `search_library` does.
        """
        require(client, Capability.LIBRARY_READ)
        library = self._library_of(client).documents

        def look() -> tuple[str, str, str] | None:
            # For `find` the beginning of an identity will do; a program has to name the whole.
            found = [r for r in library.find(reference) if reference in {r.id, r.url}]
            text = library.text(found[0].id) if found else None
            return (found[0].url, found[0].title, text) if text is not None else None

        reading = RequestSent(Sending.LIBRARY, client.name, Message("this program"), reference)
        self._sent(client)(reading)
        return await asyncio.to_thread(look)

    async def add_to_library(
        self, client: Client, *, url: str = "", text: str = "", title: str = ""
    ) -> tuple[Added, str]:
        """Keep a page, or a text of the client's own, and return what came of it and the title.

        Raises:
            NotAllowed: the client may not add to the library, or not read the page.
            InputError: there is not one of both, or the page cannot be read.
            StorageError: the library cannot be written.
        """
        require(client, Capability.LIBRARY_WRITE)
        # With an address this program sends a request: that needs another capability.
        if url.strip():
            require(client, Capability.READ)
        if bool(url.strip()) == bool(text.strip()):
            raise InputError(
                Message("Either an address or a text can be added."),
                fix=Message("Give one of both."),
            )
        library = self._library_of(client).documents
        document = (
            await self._page(client, url.strip(), title) if url.strip() else _text(text, title)
        )
        (added,) = await asyncio.to_thread(library.add, [document])
        self.app.noticed()
        return added, document.title

    def _engine_of(self, client: Client) -> Engine:
        return replace(
            self.app.engine,
            queue=self._turns.of(client.name),
            transcript=self._transcript(client),
            library=self._local_library(client),
        )

    def _local_library(self, client: Client) -> LocalLibrary | None:
        """The library as a client's runs have it: every search of it is entered, and refused where it may not."""
        known = self.app.engine.library
        if known is None:
            return None
        if not (client.may(Capability.LIBRARY_READ) or client.may(Capability.LIBRARY_WRITE)):
            return None
        caller = Caller(client.name, may_read=client.may(Capability.LIBRARY_READ))
        return replace(known, search=replace(known.search, caller=caller, ledger=self.app.ledger))

    def _library_of(self, client: Client) -> LocalLibrary:
        library = self._local_library(client)
        if library is None:
            raise InputError(
                Message("There is no library here."),
                fix=Message("Ask Askance without its sample web."),
            )
        return library

    def _transcript(self, client: Client) -> Transcript:
        """What stands in the model's cache of a client's conversations: no other client's, and none that had other rights."""
        # The key includes what the client may do: with other capabilities it begins anew.
        found = self._transcripts.pop(client, None) or Transcript()
        self._transcripts[client] = found
        while len(self._transcripts) > _MOST_TRANSCRIPTS:
            self._transcripts.popitem(last=False)
        return found

    async def _page(self, client: Client, url: str, title: str) -> Document:
        async with self._in_light_turn(client):
            page = await self.app.reader.read(url, sent=self._sent(client))
        if page.status is not PageStatus.OK:
            raise InputError(
                Message(
                    "{url} cannot be read: {problem}.",
                    url=url,
                    problem=(page.detail or Message.verbatim(page.reason)).clause(),
                ),
                fix=Message("Add its text in the place of its address."),
            )
        document = document_of(page)
        return replace(document, title=title) if title.strip() else document

    @asynccontextmanager
    async def _in_light_turn(self, client: Client) -> AsyncGenerator[None]:
        self._light.refuse_more(client.name)
        async with self._light.turn(client.name, lambda _ahead: None):
            yield

    def _sent(self, client: Client) -> Sent:
        return recorded(self.app.ledger, client.name, ignore)


def _text(text: str, title: str) -> Document:
    # The address is a digest of the text: what is added twice is one document.
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:_DIGEST_DIGITS]
    name = title.strip() or " ".join(text.split())[:80]
    return Document(f"askance://text/{digest}", name, text, Origin.IMPORT)
