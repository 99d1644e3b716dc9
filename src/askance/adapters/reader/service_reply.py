"""What the reader service's answers mean, and what everything else at its address does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from pydantic import ValidationError

from askance.adapters.reader.protocol import ErrorReply, ReadReply, Refusal
from askance.domain.errors import ServiceDown, ServiceNonsense, ServiceRefused
from askance.domain.web import Page, PageStatus

SERVICE = "page reader"
SERVED_BY = "the reader service"
# A busy service says how long to wait; nothing is asked for more often than this.
SHORTEST_PAUSE_S = 0.1
_USUAL_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer over HTTP, from whatever listens at `address`."""

    address: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    def read(self) -> ReadReply | None:
        """Return what became of the page, or None where the service refused.

        Raises:
            ServiceNonsense: this is not an answer of the reader service.
        """
        if self.status != HTTPStatus.OK:
            return None
        try:
            return ReadReply.model_validate_json(self.body)
        except ValidationError as exc:
            raise not_the_service(self.address, _first_of(exc)) from exc

    def pause_s(self) -> float | None:
        """Return the seconds to wait for a service without room; None for every other refusal.

        Raises:
            ServiceNonsense: this is not an answer of the reader service.
        """
        if self._code() is not Refusal.BUSY:
            return None
        asked = self.headers.get("Retry-After", "")
        return max(SHORTEST_PAUSE_S, float(asked)) if asked.isdecimal() else _USUAL_PAUSE_S

    def refusal(self) -> ServiceDown | ServiceRefused:
        """Return why the service does not serve us.

        Raises:
            ServiceNonsense: this is not an answer of the reader service.
        """
        kind = ServiceRefused
        match self._code():
            case Refusal.STARTING | Refusal.STOPPING:
                # Its own processes do not run now: it is there, and no page can be waited for.
                kind = ServiceDown
                said, fix = "does not work now", "`askance logs reader` says why."
            case Refusal.UNAUTHORIZED:
                said, fix = "does not take the token of this program", "`askance up` renews it."
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

    def _code(self) -> Refusal:
        try:
            return Refusal(ErrorReply.model_validate_json(self.body).error.code)
        except ValueError as exc:
            raise not_the_service(self.address, f"it answers with HTTP {self.status}") from exc


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
