"""A network that only writes down whom it was asked to call."""

from __future__ import annotations

from collections.abc import Iterable

import httpcore


class RecordingDial(httpcore.AsyncNetworkBackend):
    """Makes no connection but the scripted replies; addresses in `dead` do not answer."""

    def __init__(self, *, dead: Iterable[str] = (), reply: bytes = b"") -> None:
        self.dialled: list[tuple[str, int]] = []
        self._dead = set(dead)
        self._reply = reply

    async def connect_tcp(
        self,
        host,
        port,
        timeout=None,  # noqa: ASYNC109 - the interface of httpcore
        local_address=None,
        socket_options=None,
    ) -> httpcore.AsyncNetworkStream:
        self.dialled.append((host, port))
        if host in self._dead:
            raise httpcore.ConnectError(host)
        return RecordingStream(self._reply)


class RecordingStream(httpcore.AsyncMockStream):
    """Answers any request with the same bytes, and knows which name its certificate must carry."""

    tls_names: list[str | None] = []  # noqa: RUF012 - shared on purpose: the pool makes the streams

    def __init__(self, reply: bytes) -> None:
        super().__init__([reply] if reply else [])

    async def start_tls(self, ssl_context, server_hostname=None, timeout=None):  # noqa: ASYNC109
        assert ssl_context.check_hostname
        self.tls_names.append(server_hostname)
        return self
