"""What the reader service's answers mean, and what everything else at its address does."""

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
from askance.domain.web import Page, PageStatus

SERVICE = "page reader"
SERVED_BY = "the reader service"
NOT_UNDERSTOOD = "its answer is not understood"
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
                said, fix = "does not work now", "`askance logs reader` says why."
            case Refusal.PROXY_MISMATCH:
                said = "goes to the web another way than reader.proxy says"
                fix = "`askance up` takes the proxy over."
            case Refusal.INTERNAL:
                said, fix = "failed", "`askance logs reader` says why."
            case code:
                said = f"refuses what this program asks ({code}, HTTP {self.status})"
                fix = "`askance up` brings both to one version."
        problem = f"The reader service at {self.address} {said}."
        return kind(SERVICE, self.address, problem, fix=fix)


def turned_away(address: str, status: int, headers: Mapping[str, str], body: bytes) -> Turned:
    """Return what an answer means whose status is not 200.

    Raises:
        ServiceNonsense: this is not an answer of the reader service.
    """
    try:
        code = Refusal(ErrorReply.model_validate_json(body).error.code)
    except ValueError as exc:
        raise not_the_service(address, f"it answers with HTTP {status}") from exc
    return Turned(address, code, status, headers.get("Retry-After", ""))


class Lines:
    """Parts an answer of status 200 into its lines, in a time that grows with its length alone."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._rest = bytearray()
        self._asked = 0

    def feed(self, data: bytes) -> list[ReplyLine]:
        """Return the lines that these bytes complete.

        Raises:
            ServiceNonsense: this is not an answer of the reader service.
        """
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
            raise not_the_service(self._address, _first_of(exc)) from exc
        if [parsed.asked, parsed.page, parsed.error].count(None) != len(ReplyLine.model_fields) - 1:
            raise not_the_service(self._address, NOT_UNDERSTOOD)
        if parsed.asked is not None:
            self._asked += 1
            if self._asked > MOST_ASKED or len(line) > LONGEST_ASKED_LINE:
                raise not_the_service(self._address, "it asks too many hosts for one page")
        return parsed


def end_of(line: ReplyLine, address: str) -> ReadReply | Turned | None:
    """Return what a line ends the answer with; None where it goes on.

    Raises:
        ServiceNonsense: it gives a reason that the service does not have.
    """
    if line.error is None:
        return line.page
    try:
        return Turned(address, Refusal(line.error.code), 200, taken_on=True)
    except ValueError as exc:
        raise not_the_service(address, NOT_UNDERSTOOD) from exc


def page_of(reply: ReadReply, known: Page | None, address: str) -> Page:
    """Return the page of a reply. Its text is foreign anyway; the rest must be as agreed.

    Raises:
        ServiceNonsense: it is not.
    """
    try:
        page = reply.page(known=known, served_by=SERVED_BY)
    except ValueError as exc:
        raise not_the_service(address, str(exc)) from exc
    if page.status is PageStatus.OK and not page.final_url.startswith(("http://", "https://")):
        raise not_the_service(address, "a page comes from no address of the web")
    if bool(page.markdown) is not (page.status is PageStatus.OK):
        raise not_the_service(address, f"a page that is {page.status} comes with the wrong text")
    return page


def not_the_service(address: str, why: str) -> ServiceNonsense:
    """Return the error for an answer that the reader service does not give."""
    problem = f"What answers at {address} is not this reader: {why.removesuffix('.')}."
    fix = "`askance up` brings it to this version; reader.url says where it is."
    return ServiceNonsense(SERVICE, address, problem, fix=fix)


def _first_of(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "its answer"
    return f"{where}: {first['msg']}"
