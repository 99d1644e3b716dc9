"""A request that is not served, and the reply that says so."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from askance.adapters.reader.protocol import STATUS_OF, Refusal
from askance.local_service.guard import problem

# Seconds after which a client that found the service busy or starting may ask again.
RETRY_AFTER_S = 1
_LATER = frozenset({Refusal.BUSY, Refusal.STARTING})


class Refused(Exception):
    """A request is not served. The message says why, in one sentence, `code` in a stable word."""

    def __init__(
        self, code: Refusal, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = dict(headers or {})

    def reply(self) -> Response:
        """Return the refusal as an HTTP reply."""
        later = {"Retry-After": str(RETRY_AFTER_S)} if self.code in _LATER else {}
        return problem(STATUS_OF[self.code], self.code, self.message, {**self.headers, **later})
