"""The settings of the door for other programs. `config.settings` has all others."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from askance.domain.messages import Message

_HOST = re.compile(r"[a-z0-9.:_-]{1,253}")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]{0,30}://[a-z0-9.:\[\]_-]{1,260}")


class ServerSettings(BaseModel):
    """The door for other programs: `askance mcp` and `askance serve`."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    http: bool = False
    """Let programs ask over HTTP too while `askance mcp` runs in the background; `askance serve` always does."""
    host: str = "127.0.0.1"
    """Address on which HTTP is served. Another one than this machine's own lets other machines ask, those
    that know the token: over plain HTTP only in a network that you trust."""
    port: Annotated[int, Field(ge=1, le=65535)] = 25019
    """Port on which HTTP is served."""
    hosts: tuple[str, ...] = ()
    """Names by which other machines call this one, such as `askance.lan`; under any other name than these
    and those of this machine no request is served."""
    origins: tuple[str, ...] = ()
    """Web pages whose scripts may ask, such as `http://127.0.0.1:3000`; none may where it is empty. They need
    a token as everybody does."""
    max_body_kb: Annotated[int, Field(ge=16, le=65_536)] = 2048
    """Largest request, in KiB."""
    max_requests: Annotated[int, Field(ge=1, le=1000)] = 64
    """Requests over HTTP that are served at the same time."""
    max_waiting: Annotated[int, Field(ge=1, le=100)] = 8
    """Questions of one program that are answered, or wait for that, at the same time."""
    idle_minutes: Annotated[float, Field(gt=0, le=10_080)] = 30.0
    """Minutes after which a server in the background ends that no program is connected to."""

    @field_validator("hosts")
    @classmethod
    def _names(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        values = tuple(value.lower() for value in values)
        if not all(_HOST.fullmatch(value) for value in values):
            raise ValueError(Message("must be names or addresses, without a port"))
        return values

    @field_validator("origins")
    @classmethod
    def _pages(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        values = tuple(value.lower().rstrip("/") for value in values)
        if not all(_ORIGIN.fullmatch(value) for value in values):
            raise ValueError(
                Message("must be origins such as http://127.0.0.1:3000, without a path")
            )
        return values
