"""Writing a conversation to a file, or to the standard output."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from askance.cli.shell import Shell
from askance.config.private_files import create_file
from askance.domain.errors import InputError
from askance.domain.history import ConversationRecord
from askance.presentation.cleaning import clean
from askance.transcripts.forms import Form, document


def export(shell: Shell, record: ConversationRecord, form: Form, out: Path | None) -> None:
    """Write a conversation to a new file, or to the standard output.

    Raises:
        InputError: the file is there already, or cannot be written.
    """
    text = document(record, form)
    if out is None:
        # A terminal would obey what a page or a model wrote; a pipe gets it as it was.
        shell.stdout.write(clean(text) if shell.stdout.isatty() else text)
        return
    write_new(out, text.encode("utf-8", "replace"))
    shell.stdout.line(f"Saved to {out}.")


def write_new(file: Path, content: bytes) -> None:
    """Write a file that is not there yet, for its owner's eyes alone, whole or not at all.

    Raises:
        InputError: it is there already, or cannot be written.
    """
    try:
        opened = create_file(file)
    except FileExistsError as exc:
        raise InputError(f"There is a file {file} already.", fix="Give another name.") from exc
    except (OSError, ValueError) as exc:  # ValueError: a name with a null character
        raise InputError(f"{file} cannot be written: {_reason(exc)}.") from exc
    try:
        with os.fdopen(opened, "wb") as stream:
            stream.write(content)
    except OSError as exc:
        with suppress(OSError):
            file.unlink()
        raise InputError(f"{file} cannot be written: {_reason(exc)}.") from exc


def _reason(exc: OSError | ValueError) -> str:
    return (exc.strerror if isinstance(exc, OSError) else "") or str(exc)
