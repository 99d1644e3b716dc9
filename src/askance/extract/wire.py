"""What reader and worker say to each other: frames of a four-byte length and that many bytes.

A request is two frames, a JSON object `{"url", "content_type"}` and the page's bytes; a reply is
one frame, the fields of `Extracted` as JSON. A worker that is ready says so with an empty frame.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict

from askance.domain.web import PageReason, PageStatus
from askance.extract.extracted import Extracted

LENGTH = struct.Struct(">I")
READY = LENGTH.pack(0)
# The exit status of a worker that needed more memory than it may have.
OUT_OF_MEMORY = 12


def frame(payload: bytes) -> bytes:
    """Return the payload with its length before it."""
    return LENGTH.pack(len(payload)) + payload


def pack_request(data: bytes, url: str, content_type: str) -> bytes:
    """Return a request as it goes over the pipe."""
    head = json.dumps({"url": url, "content_type": content_type}).encode()
    return frame(head) + frame(data)


def unpack_head(head: bytes) -> tuple[str, str]:
    """Return the URL and the content type of a request's first frame."""
    fields = json.loads(head)
    return fields["url"], fields["content_type"]


def pack_reply(extracted: Extracted) -> bytes:
    """Return a reply as it goes over the pipe."""
    return frame(json.dumps(asdict(extracted)).encode())


def unpack_reply(payload: bytes) -> Extracted:
    """Return the outcome that a reply's frame holds."""
    fields = json.loads(payload)
    status, reason = PageStatus(fields.pop("status")), PageReason(fields.pop("reason"))
    return Extracted(status=status, reason=reason, **fields)
