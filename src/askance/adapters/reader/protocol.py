"""What the reader service and its clients say to each other: protocol 1, JSON over HTTP.

`POST /read` takes a `ReadRequest` and the header `Authorization: Bearer TOKEN`, and answers 200 with
a `ReadReply` whatever became of the page. Any other status comes with an `ErrorReply`, whose code
says what is wrong with the request or the service. `GET /healthz` and `GET /version` need no token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from http import HTTPStatus
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from askance.adapters.reader.fetch import LONGEST_VALIDATOR
from askance.domain.events import RequestSent, Sending
from askance.domain.web import Page, PageReason, PageStatus, Validators

PROTOCOL = 1
READ_PATH = "/read"
HEALTH_PATH = "/healthz"
VERSION_PATH = "/version"
# Bytes of a request's body. The longest address that is read has half as many.
LONGEST_REQUEST = 16 * 1024
# Bytes of a reply. The largest page that the settings allow has 50 MB, and JSON adds to them.
LONGEST_REPLY = 128 * 1024 * 1024

# A header that is sent on to the page's server: one line of ASCII.
_Validator = Annotated[str, Field(max_length=LONGEST_VALIDATOR, pattern=r"^[ -~]*$")]


class Refusal(StrEnum):
    """Why a request is not served. Stable codes."""

    BAD_REQUEST = "bad_request"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN_HOST = "forbidden_host"
    FORBIDDEN_ORIGIN = "forbidden_origin"
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
    Refusal.UNAUTHORIZED: HTTPStatus.UNAUTHORIZED,
    Refusal.FORBIDDEN_HOST: HTTPStatus.MISDIRECTED_REQUEST,
    Refusal.FORBIDDEN_ORIGIN: HTTPStatus.FORBIDDEN,
    Refusal.NOT_FOUND: HTTPStatus.NOT_FOUND,
    Refusal.METHOD_NOT_ALLOWED: HTTPStatus.METHOD_NOT_ALLOWED,
    Refusal.PROXY_MISMATCH: HTTPStatus.CONFLICT,
    Refusal.TOO_LARGE: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Refusal.UNSUPPORTED_MEDIA_TYPE: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    Refusal.INTERNAL: HTTPStatus.INTERNAL_SERVER_ERROR,
    Refusal.BUSY: HTTPStatus.SERVICE_UNAVAILABLE,
    Refusal.STARTING: HTTPStatus.SERVICE_UNAVAILABLE,
    Refusal.STOPPING: HTTPStatus.SERVICE_UNAVAILABLE,
}


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True)


class ReadRequest(_Message):
    """A page that is wanted.

    `final_url`, `etag` and `last_modified` are those of a page that is known: its server is asked
    whether it has changed. `proxy` is the proxy of the client's settings as `bare_proxy` writes it,
    "" for none: a service that goes another way refuses. Without it the service's way is taken.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    final_url: str = ""
    etag: _Validator = ""
    last_modified: _Validator = ""
    proxy: str | None = None

    @classmethod
    def of(cls, url: str, known: Page | None, proxy: str) -> ReadRequest:
        """Return the request for a page, of which an earlier reading may be known.

        An address with half a surrogate pair has no JSON; `judge_url` refuses it before.
        """
        if known is None:
            return cls(url=url, proxy=proxy)
        return cls(
            url=url,
            final_url=known.final_url,
            etag=known.validators.etag,
            last_modified=known.validators.last_modified,
            proxy=proxy,
        )

    @property
    def known(self) -> Page | None:
        """What a reader must know of the earlier reading: an `ok` page without its text."""
        if not (self.etag or self.last_modified):
            return None
        validators = Validators(self.etag, self.last_modified)
        return Page(self.url, PageStatus.OK, final_url=self.final_url, validators=validators)


class Asked(_Message):
    """A host that was asked for something, and the address that it was asked for."""

    to: str
    url: str


class ReadReply(_Message):
    """What became of a page. `asked` has every hop, in order.

    `unchanged` says that the page is still what the request told of it; it comes without its text.
    """

    url: str
    status: PageStatus
    reason: PageReason = PageReason.NONE
    detail: str = ""
    final_url: str = ""
    title: str = ""
    byline: str = ""
    published: str | None = None
    language: str | None = None
    markdown: str = ""
    words: Annotated[int, Field(ge=0)] = 0
    fetched_at: str = ""
    content_hash: str = ""
    elapsed_ms: Annotated[int, Field(ge=0)] = 0
    etag: _Validator = ""
    last_modified: _Validator = ""
    storable: bool = True
    unchanged: bool = False
    asked: tuple[Asked, ...] = ()

    @classmethod
    def of(cls, page: Page, asked: Sequence[Asked]) -> ReadReply:
        """Return the reply that carries a page.

        An `ok` page without text is the known one of the request, and has not changed.
        """
        return cls(
            url=page.url,
            status=page.status,
            reason=page.reason,
            detail=page.detail,
            final_url=page.final_url,
            title=page.title,
            byline=page.byline,
            published=page.published,
            language=page.language,
            markdown=page.markdown,
            words=page.words,
            fetched_at=page.fetched_at,
            content_hash=page.content_hash,
            elapsed_ms=page.elapsed_ms,
            etag=page.validators.etag,
            last_modified=page.validators.last_modified,
            storable=page.storable,
            unchanged=page.status is PageStatus.OK and not page.markdown,
            asked=tuple(asked),
        )

    def page(self, *, known: Page | None, served_by: str) -> Page:
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
                fallback="",
            )
        return Page(
            url=self.url,
            status=self.status,
            reason=self.reason,
            detail=self.detail,
            final_url=self.final_url,
            title=self.title,
            markdown=self.markdown,
            words=self.words,
            published=self.published,
            language=self.language,
            elapsed_ms=self.elapsed_ms,
            byline=self.byline,
            fetched_at=self.fetched_at,
            content_hash=self.content_hash,
            validators=validators,
            storable=self.storable,
            served_by=served_by,
        )

    def sendings(self, through: str) -> list[RequestSent]:
        """Return what the service sent for this page, as entries of the ledger."""
        return [RequestSent(Sending.PAGE, a.to, through, a.url) for a in self.asked]


class Problem(_Message):
    """What is wrong, as a code (one of `Refusal`) and as a sentence."""

    code: str
    message: str


class ErrorReply(_Message):
    """The body of every reply that is not 200."""

    error: Problem


class VersionReply(_Message):
    """The body of `GET /version`. `askance` and `trafilatura` are versions of the packages."""

    askance: str
    protocol: int
    trafilatura: str
