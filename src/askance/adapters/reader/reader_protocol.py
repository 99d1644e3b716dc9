"""What the reader service and its clients say to each other: protocol 2, JSON over HTTP.

`POST /read` takes a `ReadRequest` and a proof that the client knows the token, and answers 200 as
soon as it has taken the page on. The body has a `ReplyLine` a line: each host that is asked for
something, before it is asked, and at the end the page, whatever became of it, or why there is none.
A client that closes its sending side gives the page up, and still gets the lines until then. Any
other status comes with an `ErrorReply`, whose code says what is wrong with the request or the
service. `GET /healthz` and `GET /version` need no proof. Both sides' proofs are described in
`local_service.credentials`.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from askance.adapters.reader.inprocess import LONGEST_VALIDATOR
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import (
    LONGEST_PAGE_CHARACTERS,
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
    Validators,
)
from askance.extract.extracted import LONGEST_DETAIL, LONGEST_LINE, small_record

PROTOCOL = 2
READ_PATH = "/read"
HEALTH_PATH = "/healthz"
VERSION_PATH = "/version"
# Bytes of a request's body. The longest address that is read has half as many.
LONGEST_REQUEST = 16 * 1024
# Bytes of a reply: all lines that name hosts, each at its longest, and a page's text in JSON, which may
# write a character in six bytes.
LONGEST_REPLY = 24 * 1024 * 1024
# Hosts asked for one page: ten redirects are followed at most, and each address is tried twice.
MOST_ASKED = 64
LONGEST_ASKED = 16 * 1024
# Bytes of a line that names a host: JSON may write a character in six, twice in a line.
LONGEST_ASKED_LINE = 16 * LONGEST_ASKED
# Of a page whose reading raised what nobody expected.
READER_FAILED = Message("The reader failed over this page.")
LINES_TYPE = "application/x-ndjson"

# A header that is sent on to the page's server: one line of ASCII.
_Validator = Annotated[str, Field(max_length=LONGEST_VALIDATOR, pattern=r"^[ -~]*$")]


class Refusal(StrEnum):
    """Why a request that was let in is not served. Stable codes; `service_process.Guard` has the others."""

    BAD_REQUEST = "bad_request"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    PROXY_MISMATCH = "proxy_mismatch"
    TOO_LARGE = "too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    INTERNAL = "internal"
    BUSY = "busy"
    STARTING = "starting"
    STOPPING = "stopping"


STATUS_OF = {
    Refusal.BAD_REQUEST: HTTPStatus.BAD_REQUEST,
    Refusal.NOT_FOUND: HTTPStatus.NOT_FOUND,
    Refusal.METHOD_NOT_ALLOWED: HTTPStatus.METHOD_NOT_ALLOWED,
    Refusal.PROXY_MISMATCH: HTTPStatus.CONFLICT,
    Refusal.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Refusal.UNSUPPORTED_MEDIA_TYPE: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    Refusal.INTERNAL: HTTPStatus.INTERNAL_SERVER_ERROR,
    **dict.fromkeys(
        (Refusal.BUSY, Refusal.STARTING, Refusal.STOPPING), HTTPStatus.SERVICE_UNAVAILABLE
    ),
}


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True)


class ReadRequest(_Message):
    """A page that is wanted.

    `final_url`, `etag` and `last_modified` are those of a page that is known: its server is asked
    whether it has changed. `proxy` is the proxy of the client's settings as `bare_address` writes it,
    "" for none: a service that goes another way refuses. Without it the service's way is taken.
    `domains` and `excluded` are those of the scope; without a scope they are not sent, so that an older
    service, which could not hold to them, refuses such a request alone.
    A service of another protocol does not understand the request, and says so.
    """

    # A field that the service does not know may be one that it would have to obey.
    model_config = ConfigDict(frozen=True, extra="forbid")

    protocol: Literal[2] = PROTOCOL
    url: str
    final_url: str = ""
    etag: _Validator = ""
    last_modified: _Validator = ""
    proxy: str | None = None
    domains: tuple[str, ...] | None = None
    excluded: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls, url: str, known: Page | None, proxy: str, scope: SearchScope = WHOLE_WEB
    ) -> ReadRequest:
        """Return the request for a page, of which an earlier reading may be known.

        An address with half a surrogate pair has no JSON; `judge_url` refuses it before.
        """
        domains, excluded = scope.domains or None, scope.excluded or None
        if known is None:
            return cls(url=url, proxy=proxy, domains=domains, excluded=excluded)
        return cls(
            url=url,
            domains=domains,
            excluded=excluded,
            final_url=known.final_url,
            etag=known.validators.etag,
            last_modified=known.validators.last_modified,
            proxy=proxy,
        )

    @property
    def scope(self) -> SearchScope:
        """Which hosts may be asked."""
        return SearchScope(self.domains or (), excluded=self.excluded or ())

    def encoded(self) -> bytes:
        """Return the body of the request."""
        return self.model_dump_json(exclude_none=True).encode()

    @property
    def known(self) -> Page | None:
        """What a reader must know of the earlier reading: an `ok` page without its text."""
        if not (self.etag or self.last_modified):
            return None
        validators = Validators(self.etag, self.last_modified)
        return Page(self.url, PageStatus.OK, final_url=self.final_url, validators=validators)


# Foreign all the same: it is written into the ledger, and no more than a line of it.
_AskedPart = Annotated[str, Field(max_length=LONGEST_ASKED, pattern=r"^[^\x00-\x1f\x7f]*$")]


# No part of a page is longer than the process that takes pages apart lets it be: a service that a
# page took over is not to hand on more.
_Line = Annotated[str, Field(max_length=LONGEST_LINE)]


class OutgoingRequest(_Message):
    """A host that is about to be asked for something, and the address that it is asked for."""

    to: _AskedPart
    url: _AskedPart

    def sending(self, through: Message) -> RequestSent:
        """Return the entry of the ledger."""
        return RequestSent(Sending.PAGE, self.to, through, self.url)


# What a reply says as the page itself does.
_ALIKE = (
    *("url", "status", "reason", "detail", "final_url", "title", "byline", "published", "updated"),
    *("language", "markdown", "words", "fetched_at", "content_hash", "elapsed_ms", "storable"),
)


class ReadReply(_Message):
    """What became of a page.

    `made_from` is what `detail` was made from, to be said in another language. `unchanged` says that the page is still what the request says of it; it comes without its text.
    """

    url: str
    status: PageStatus
    reason: PageReason = PageReason.NONE
    detail: Annotated[str, Field(max_length=LONGEST_DETAIL)] = ""
    final_url: Annotated[str, Field(max_length=LONGEST_ASKED)] = ""
    made_from: Annotated[dict[str, Any], AfterValidator(small_record)] = {}
    title: _Line = ""
    byline: _Line = ""
    published: _Line | None = None
    updated: _Line | None = None
    language: _Line | None = None
    markdown: Annotated[str, Field(max_length=LONGEST_PAGE_CHARACTERS)] = ""
    words: Annotated[int, Field(ge=0)] = 0
    fetched_at: str = ""
    content_hash: str = ""
    elapsed_ms: Annotated[int, Field(ge=0)] = 0
    etag: _Validator = ""
    last_modified: _Validator = ""
    storable: bool = True
    unchanged: bool = False

    @classmethod
    def of(cls, page: Page) -> ReadReply:
        """Return the reply that carries a page.

        An `ok` page without text is the known one of the request, and has not changed.
        """
        return cls(
            **{name: getattr(page, name) for name in _ALIKE},
            made_from=page.detail.to_record(),
            etag=page.validators.etag,
            last_modified=page.validators.last_modified,
            unchanged=page.status is PageStatus.OK and not page.markdown,
        )

    def page(self, *, known: Page | None, served_by: Message) -> Page:
        """Return the page that the reply carries, or the known one where it is unchanged.

        Raises:
            ValueError: nothing was known that could be unchanged.
        """
        validators = Validators(self.etag, self.last_modified)
        if self.unchanged:
            if known is None:
                raise ValueError("a page that nobody knew is unchanged")
            return replace(
                known,
                url=self.url,
                fetched_at=self.fetched_at,
                elapsed_ms=self.elapsed_ms,
                validators=validators,
                served_by=served_by,
                fallback=NOTHING,
            )
        alike = {name: getattr(self, name) for name in _ALIKE}
        # What was made from a template can be said in the user's language; a bare text cannot.
        alike["detail"] = Message.from_record(self.detail, self.made_from)
        return Page(**alike, validators=validators, served_by=served_by)


class Problem(_Message):
    """What is wrong, as a code (one of `Refusal`) and as a sentence."""

    code: str
    message: str


class ErrorReply(_Message):
    """The body of every reply that is not 200."""

    error: Problem


class ReplyLine(_Message):
    """A line of the answer to `POST /read`. One of the fields is set; the last two end the answer."""

    asked: OutgoingRequest | None = None
    page: ReadReply | None = None
    error: Problem | None = None

    def encoded(self) -> bytes:
        """Return the line as it is sent, its end included."""
        return self.model_dump_json(exclude_none=True).encode() + b"\n"


class VersionReply(_Message):
    """The body of `GET /version`. `askance` and `trafilatura` are versions of the packages."""

    askance: str
    protocol: int
    trafilatura: str
