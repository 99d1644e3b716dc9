"""The service's three addresses: `/read`, `/healthz`, `/version`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection
from importlib.metadata import version

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from askance import __version__
from askance.adapters.reader.protocol import (
    HEALTH_PATH,
    LONGEST_REQUEST,
    PROTOCOL,
    READ_PATH,
    VERSION_PATH,
    ReadRequest,
    Refusal,
    VersionReply,
)
from askance.local_service.credentials import Token
from askance.local_service.guard import Guard, json_reply
from askance.reader_service.desk import Desk
from askance.reader_service.refused import Refused
from askance.reader_service.streaming import PageStream

# A body is in one packet with its head, or in the next one.
_BODY_S = 5.0
# A client that is cut off while it still sends may never see the reply: so much is read and dropped.
_DRAINED = 64 * LONGEST_REQUEST


def build_app(
    desk: Desk, *, token: Token, ready: Callable[[], bool], hosts: Collection[str] = ()
) -> ASGIApp:
    """Return the service as an ASGI app.

    Only what proves that it knows the token gets to `/read`. `ready` says whether pages can be
    taken apart now; `hosts` are the names, beside loopback's, by which the service may be addressed.
    """

    async def read(request: Request) -> ASGIApp:
        wanted = await _wanted(request)
        return PageStream(desk, wanted)

    async def health(_: Request) -> Response:
        if not ready():
            raise Refused(Refusal.STARTING, "The processes that take pages apart are not there.")
        return json_reply(json.dumps({"status": "ok"}))

    async def tell_version(_: Request) -> Response:
        reply = VersionReply(
            askance=__version__, protocol=PROTOCOL, trafilatura=version("trafilatura")
        )
        return json_reply(reply.model_dump_json())

    async def refuse(_: Request, exc: Exception) -> Response:
        refused = _as_refusal(exc)
        desk.outcomes[refused.code] += 1
        return refused.reply()

    app = Starlette(
        routes=[
            Route(READ_PATH, read, methods=["POST"]),
            Route(HEALTH_PATH, health, methods=["GET"]),
            Route(VERSION_PATH, tell_version, methods=["GET"]),
        ],
        exception_handlers={Refused: refuse, HTTPException: refuse, Exception: refuse},
    )
    app.router.redirect_slashes = False
    return Guard(app, token=token, open_paths=(HEALTH_PATH, VERSION_PATH), hosts=hosts)


def _as_refusal(exc: Exception) -> Refused:
    match exc:
        case Refused():
            return exc
        case HTTPException(status_code=404):
            return Refused(Refusal.NOT_FOUND, "There is nothing at this address.")
        case HTTPException(status_code=405):
            message = "This address takes another method."
            return Refused(Refusal.METHOD_NOT_ALLOWED, message, exc.headers)
        case _:
            return Refused(Refusal.INTERNAL, "The service failed; its log says where.")


async def _wanted(request: Request) -> ReadRequest:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Refused(Refusal.UNSUPPORTED_MEDIA_TYPE, "The request must be application/json.")
    try:
        async with asyncio.timeout(_BODY_S):
            body = await _body(request)
    except TimeoutError as exc:
        raise Refused(Refusal.BAD_REQUEST, "The request did not come to its end.") from exc
    except ClientDisconnect as exc:
        raise Refused(Refusal.BAD_REQUEST, "The request broke off.") from exc
    try:
        return ReadRequest.model_validate_json(body)
    except ValidationError as exc:
        fields = ", ".join(str(error["loc"][0]) for error in exc.errors() if error["loc"])
        where = f": {fields}" if fields else ""
        raise Refused(Refusal.BAD_REQUEST, f"The request is not understood{where}.") from exc


async def _body(request: Request) -> bytes:
    body, size = bytearray(), 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= LONGEST_REQUEST:
            body += chunk
        if size > _DRAINED:
            break
    if size > LONGEST_REQUEST:
        message = f"The request is longer than {LONGEST_REQUEST:,} bytes."
        raise Refused(Refusal.TOO_LARGE, message, {"Connection": "close"})
    return bytes(body)
