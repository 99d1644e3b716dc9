"""How long the services take to say that they are well."""

from __future__ import annotations

import asyncio
import time

import httpx

from askance.adapters.containers.state import RoundTrip
from askance.adapters.network.http import service_client
from askance.adapters.network.transport import reason_of
from askance.domain.messages import Message

_LIMIT_S = 5.0
_WELL = 200


async def round_trip(service: str, url: str) -> RoundTrip:
    """Ask `/healthz` at a service's address. What goes wrong is told in the value."""
    began = time.monotonic()
    try:
        async with asyncio.timeout(_LIMIT_S), service_client(url, connect_timeout_s=_LIMIT_S) as c:
            began = time.monotonic()  # making the first client takes longer than the trip
            async with c.stream("GET", "/healthz") as response:
                pass  # the status says it all
    except TimeoutError:
        return RoundTrip(service, url, problem=Message("did not answer within {n} s", n=_LIMIT_S))
    except httpx.HTTPError as exc:
        return RoundTrip(
            service, url, problem=Message("does not answer ({said})", said=reason_of(exc))
        )
    ms = (time.monotonic() - began) * 1000
    if response.status_code != _WELL:
        return RoundTrip(
            service,
            url,
            ms,
            Message("answered with status {status}", status=str(response.status_code)),
        )
    return RoundTrip(service, url, ms)
