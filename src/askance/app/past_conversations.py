"""What is done with a past conversation: written into a file, copied, renamed, deleted for sure."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from askance.config.private_files import replace_file
from askance.domain.errors import InputError
from askance.domain.history import ExchangeKey, TranscriptFormat
from askance.domain.messages import Message
from askance.domain.ports.storage import History

_LONGEST = 60
# Accepts what is no letter, digit, underscore, hyphen or blank, such as `/`, `:` and `?`, which
# Windows refuses or takes for a folder.
_NO_NAME = re.compile(r"[^\w\- ]+")
_FORMS = {form.value: form for form in TranscriptFormat}


def file_name(title: str) -> str:
    """Return a name for the file of a conversation that every system takes."""
    name = " ".join(_NO_NAME.sub(" ", title).split())[:_LONGEST].strip() or "conversation"
    return f"{name}.{TranscriptFormat.MD}"


def transcript(history: History, number: int, form: TranscriptFormat) -> str:
    """Return a conversation as a document. Blocks.

    Raises:
        InputError: there is no such conversation.
        StorageError: the history cannot be read.
    """
    # Imported here: markdown-it takes its time, and the window is to be there within a blink.
    from askance.presentation.transcripts import document  # noqa: PLC0415

    record = history.conversation(number)
    if record is None:
        raise InputError(Message("This conversation is not there any more."))
    return document(record, form)


def export(history: History, number: int, file: Path) -> None:
    """Write a conversation into a file, which is replaced whole or not at all. Blocks.

    The file's ending says in which form; without a known one it is Markdown.

    Raises:
        InputError: there is no such conversation, or the file cannot be written.
        StorageError: the history cannot be read.
    """
    form = _FORMS.get(file.suffix.removeprefix(".").lower(), TranscriptFormat.MD)
    text = transcript(history, number, form)
    try:
        # A lone surrogate, as a model may write it, has no form in UTF-8.
        replace_file(file, text.encode("utf-8", "replace"))
    except OSError as exc:
        raise InputError(
            Message("{file} cannot be written: {problem}.", file=file, problem=exc)
        ) from exc


async def delete(history: History, number: int, exchange: int | None = None) -> None:
    """Delete a conversation, or one question of it, beside the event loop.

    A program that ends meanwhile waits until it is done.
    """
    loop = asyncio.get_running_loop()
    if exchange is None:
        deleting: asyncio.Future[object] = loop.run_in_executor(None, history.delete, number)
    else:
        key = ExchangeKey(number, exchange)
        deleting = loop.run_in_executor(None, history.drop_exchange, key)
    try:
        await asyncio.shield(deleting)
    except asyncio.CancelledError:
        # It was meant, and its time to be undone is over: the history is closed only behind this.
        await deleting
        raise
