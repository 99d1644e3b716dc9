"""What reader and worker say to each other: frames of a four-byte length and that many bytes.

A request is two frames, a JSON object `{"url", "content_type"}` and the page's bytes; a reply is
one frame, the fields of `Extracted` as JSON. A worker that is ready says so with a frame that tells
which protections hold for it.

The worker may have been taken over by a page: whatever it sends is looked at before it is believed.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any, cast

from askance.domain.messages import Message
from askance.domain.web import PageReason, PageStatus
from askance.extract.confinement.protections import Protection, Protections
from askance.extract.extracted import Extracted, bounded, failed, small_record

LENGTH = struct.Struct(">I")
# Bytes. A page of two million bytes has less text than that, as JSON spells it, in any script.
LONGEST_REPLY = 16 * 1024 * 1024
LONGEST_READY = 4096
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


def pack_ready(protections: Protections) -> bytes:
    """Return what a worker says before its first request."""
    return frame(json.dumps(asdict(protections)).encode())


def unpack_ready(payload: bytes) -> Protections:
    """Return the protections that a worker's first frame names.

    Raises:
        ValueError: the frame is something else.
    """
    fields = _fields(payload)
    landlock = fields.get("landlock")
    if not isinstance(landlock, int):
        raise ValueError("no worker")  # noqa: TRY004 - of a value that came from outside
    missing = _object(fields.get("missing"))
    return Protections({Protection(name): str(why) for name, why in missing.items()}, landlock)


def pack_reply(extracted: Extracted) -> bytes:
    """Return a reply as it goes over the pipe. One that is too long says so in place of the text."""
    made_from = extracted.detail.to_record()
    payload = json.dumps({**asdict(extracted), "made_from": made_from}).encode()
    if len(payload) > LONGEST_REPLY:
        detail = Message("The text of the page takes more than {n} MiB.", n=LONGEST_REPLY // 2**20)
        return pack_reply(failed(PageReason.EXTRACTION, detail))
    return frame(payload)


def unpack_reply(payload: bytes) -> Extracted:
    """Return the outcome that a reply's frame holds.

    Raises:
        ValueError: the frame holds something else, or more than a worker that is sound would send.
    """
    fields = _fields(payload)
    status, reason = PageStatus(fields.pop("status", "")), PageReason(fields.pop("reason", ""))
    words, made_from = (
        fields.pop("words", None),
        small_record(_object(fields.pop("made_from", None))),
    )
    optional = {name: fields.pop(name, "") for name in ("published", "language")}
    if (
        fields.keys() != {"detail", "title", "markdown", "byline"}
        or not all(isinstance(text, str) for text in fields.values())
        or not all(text is None or isinstance(text, str) for text in optional.values())
        or type(words) is not int
        or words < 0
    ):
        raise ValueError("no outcome of a page")
    fields["detail"] = Message.from_record(fields["detail"], made_from)
    extracted = Extracted(status=status, reason=reason, words=words, **optional, **fields)
    has_text = bool(extracted.markdown)
    if has_text is not (status is PageStatus.OK) or bounded(extracted) != extracted:
        raise ValueError("an outcome that no page has")
    return extracted


def _fields(payload: bytes) -> dict[str, Any]:
    try:
        return _object(json.loads(payload))
    except RecursionError as exc:
        raise ValueError("nested too deep") from exc


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("no object")  # noqa: TRY004 - of a value that came from outside
    return cast("dict[str, Any]", value)
