"""What a conversation can be written as. Light enough to be known before anything is written."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askance.domain.history import ConversationRecord


class TranscriptFormat(StrEnum):
    """A kind of document; its value is what its files end with."""

    MD = "md"
    HTML = "html"
    JSON = "json"


def document(record: ConversationRecord, form: TranscriptFormat) -> str:
    """Return a conversation as a document of a form."""
    # Imported here: markdown-it takes its time, and the window is to be there within a blink.
    from askance.presentation.transcripts.documents import (  # noqa: PLC0415
        as_html,
        as_json,
        as_markdown,
    )

    return {
        TranscriptFormat.MD: as_markdown,
        TranscriptFormat.HTML: as_html,
        TranscriptFormat.JSON: as_json,
    }[form](record)
