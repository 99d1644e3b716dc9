"""What the reader service's answers mean, and what everything else at its address does.

What the service does not answer is raised as ServiceNonsense.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from askance.adapters.reader.protocol import (
    LONGEST_ASKED_LINE,
    MOST_ASKED,
    ErrorReply,
    ReadReply,
    Refusal,
    ReplyLine,
)
from askance.domain.errors import ServiceDown, ServiceNonsense, ServiceRefused
from askance.domain.messages import Message, Remedy, message_of
from askance.domain.web import Page, PageStatus

SERVICE = "page reader"
SERVED_BY = Message("the reader service")
NOT_UNDERSTOOD = Message("its answer is not understood")
# A busy service says how long to wait; nothing is asked for more often than this.
SHORTEST_PAUSE_S = 0.1
_USUAL_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Turned:
    """The service turns a page away, or gives up one that it had `taken_on`. `status` is HTTP's."""

    address: str
    code: Refusal
    status: int
    retry_after: str = ""
    taken_on: bool = False

    def pause_s(self) -> float | None:
        """Return the seconds after which to ask again; None where asking again is in vain.

        A service that has no room, or is ending, may have or be another one soon. Nobody waits for
        one that had begun with the page: it is not to be read twice.
        """
        if self.taken_on or self.code not in {Refusal.BUSY, Refusal.STOPPING}:
            return None
        asked = self.retry_after
        return max(SHORTEST_PAUSE_S, float(asked)) if asked.isdecimal() else _USUAL_PAUSE_S

    def error(self) -> ServiceDown | ServiceRefused:
        """Return why the service does not serve us."""
        kind = ServiceRefused
        match self.code:
            case Refusal.STARTING | Refusal.STOPPING | Refusal.BUSY:
                # Its own processes do not run now: it is there, and no page can be waited for.
                kind = ServiceDown
                said, fix = (
                    Message("does not work at the moment"),
                    Message("`askance logs reader` says why."),
                )
            case Refusal.PROXY_MISMATCH:
                said = Message("uses another proxy than reader.proxy says")
                fix = Remedy("`askance up` applies the proxy.", command="askance up")
            case Refusal.INTERNAL:
                said, fix = "failed", Message("`askance logs reader` says why.")
            case code:
                said = Message(
                    "refuses what this program asks ({said}, HTTP {status})",
                    said=code,
                    status=str(self.status),
                )
                fix = Remedy("`askance up` updates both to one version.", command="askance up")
        problem = Message(
            "The reader service at {address} {said}.", address=self.address, said=said
        )
        return kind(SERVICE, self.address, problem, fix=fix)


def turned_away(address: str, status: int, headers: Mapping[str, str], body: bytes) -> Turned:
    """Return what an answer means whose status is not 200."""
    try:
        code = Refusal(ErrorReply.model_validate_json(body).error.code)
    except ValueError as exc:
        raise not_the_service(
            address, Message("it answers with HTTP {status}", status=str(status))
        ) from exc
    return Turned(address, code, status, headers.get("Retry-After", ""))


class Lines:
    """Parts an answer of status 200 into its lines, in a time that grows with its length alone."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._rest = bytearray()
        self._asked = 0

    def feed(self, data: bytes) -> list[ReplyLine]:
        """Return the lines that these bytes complete."""
        if b"\n" not in data:
            self._rest += data
            return []
        first, *others = data.split(b"\n", MOST_ASKED + 1)
        whole = [bytes(self._rest + first), *others]
        self._rest = bytearray(whole.pop())
        return [self._parsed(line) for line in whole]

    def _parsed(self, line: bytes) -> ReplyLine:
        try:
            parsed = ReplyLine.model_validate_json(line)
        except ValidationError as exc:
            raise not_the_service(self._address, Message.verbatim(_first_of(exc))) from exc
        if [parsed.asked, parsed.page, parsed.error].count(None) != len(ReplyLine.model_fields) - 1:
            raise not_the_service(self._address, NOT_UNDERSTOOD)
        if parsed.asked is not None:
            self._asked += 1
            if self._asked > MOST_ASKED or len(line) > LONGEST_ASKED_LINE:
                raise not_the_service(self._address, Message("it asks too many hosts for one page"))
        return parsed


def end_of(line: ReplyLine, address: str) -> ReadReply | Turned | None:
    """Return what a line ends the answer with; None where it goes on."""
    if line.error is None:
        return line.page
    try:
        return Turned(address, Refusal(line.error.code), 200, taken_on=True)
    except ValueError as exc:
        raise not_the_service(address, NOT_UNDERSTOOD) from exc


def page_of(reply: ReadReply, known: Page | None, address: str) -> Page:
    """Return the page of a reply. Its text is foreign anyway; the rest must be as agreed."""
    try:
        page = reply.page(known=known, served_by=SERVED_BY)
    except ValueError as exc:
        raise not_the_service(address, message_of(exc)) from exc
    if page.status is PageStatus.OK and not page.final_url.startswith(("http://", "https://")):
        raise not_the_service(address, Message("a page comes from no address of the web"))
    if bool(page.markdown) is not (page.status is PageStatus.OK):
        raise not_the_service(address, Message("its answer is not understood"))
    return page


def not_the_service(address: str, why: Message) -> ServiceNonsense:
    """Return the error for an answer that the reader service does not give."""
    problem = Message(
        "What answers at {address} is not this reader: {problem}.",
        address=address,
        problem=why.clause(),
    )
    fix = Remedy(
        "`askance up` updates it to this version; reader.url says where it is.",
        command="askance up",
    )
    return ServiceNonsense(SERVICE, address, problem, fix=fix)


def _first_of(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "its answer"
    return f"{where}: {first['msg']}"
