"""What a conversation can be written as. Light enough to be known before anything is written."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askance.domain.history import ConversationRecord


class Form(StrEnum):
    """A kind of document; its value is what its files end with."""

    MD = "md"
    HTML = "html"
    JSON = "json"


def document(record: ConversationRecord, form: Form) -> str:
    """Return a conversation as a document of a form."""
    # Imported here: markdown-it takes its time, and the window is to be there within a blink.
    from askance.transcripts.html import as_html  # noqa: PLC0415
    from askance.transcripts.json import as_json  # noqa: PLC0415
    from askance.transcripts.markdown import as_markdown  # noqa: PLC0415

    return {Form.MD: as_markdown, Form.HTML: as_html, Form.JSON: as_json}[form](record)
