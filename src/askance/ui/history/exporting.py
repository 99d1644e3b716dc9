"""A conversation as a file: where it is to be, and how it is written there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from askance.config.private_files import replace_file
from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.domain.ports.storage import History
from askance.presentation.i18n import tr
from askance.presentation.transcripts import TranscriptFormat, document

ChooseFile = Callable[[QWidget, str, Callable[[str], None]], None]
_LONGEST = 60
_NO_NAME = re.compile(r"[^\w\- ]+")


def choose_file(parent: QWidget, suggested: str, then: Callable[[str], None]) -> None:
    """Let a person say where a file is to be; `then` gets its path."""
    dialog = QFileDialog(parent, tr("Export"), suggested)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(then)
    dialog.open()


def file_name(title: str, form: TranscriptFormat) -> str:
    """Return a name for the file of a conversation that every system takes."""
    name = " ".join(_NO_NAME.sub(" ", title).split())[:_LONGEST].strip() or "conversation"
    return f"{name}.{form.value}"


def export(history: History, number: int, form: TranscriptFormat, file: Path) -> None:
    """Write a conversation into a file, which is replaced whole or not at all. Blocks.

    Raises:
        InputError: there is no such conversation, or the file cannot be written.
        StorageError: the history cannot be read.
    """
    record = history.conversation(number)
    if record is None:
        raise InputError(Message("This conversation is not there any more."))
    try:
        replace_file(file, document(record, form).encode("utf-8", "replace"))
    except OSError as exc:
        raise InputError(
            Message("{file} cannot be written: {problem}.", file=file, problem=exc)
        ) from exc
