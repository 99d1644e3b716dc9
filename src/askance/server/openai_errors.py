"""Refusals in the form of OpenAI's API, which its clients show to their users."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from starlette.responses import Response

from askance.local_service.guard import json_reply


class ErrorType(StrEnum):
    """The kinds of errors of OpenAI's API."""

    INVALID = "invalid_request_error"
    PERMISSION = "permission_error"
    BUSY = "rate_limit_error"
    SERVER = "server_error"


class OpenAIError(Exception):
    """A request is not served. `message` tells why, in sentences; `param` names what is at fault.

    With `retry_after_s` the client is told when to ask again.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: ErrorType = ErrorType.INVALID,
        code: str = "",
        param: str = "",
        retry_after_s: int = 0,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.code = code
        self.param = param
        self.retry_after_s = retry_after_s

    def body(self) -> dict[str, Any]:
        """Return the error in OpenAI's form."""
        error = {
            "message": self.message,
            "type": self.kind.value,
            "param": self.param or None,
            "code": self.code or None,
        }
        return {"error": error}

    def reply(self) -> Response:
        """Return the error as an HTTP reply."""
        headers = {"Retry-After": str(self.retry_after_s)} if self.retry_after_s else {}
        return json_reply(json.dumps(self.body()), self.status, headers)
