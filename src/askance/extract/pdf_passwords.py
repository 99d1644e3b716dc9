"""PDF files with a user password whose owner password is empty: viewers open them without asking for one.

PDFium tries the empty password as that of the user only.
"""

from __future__ import annotations

import io

from pypdf import PasswordType, PdfReader, PdfWriter

MOST_BYTES = 20_000_000
"""Larger files are left as they are: such a file is written anew as a whole."""


def without_user_password(data: bytes) -> bytes | None:
    """Return a file that an empty owner password opens, decrypted; None where that does not open it."""
    if len(data) > MOST_BYTES:
        return None
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            return None
        made = io.BytesIO()
        PdfWriter(clone_from=reader).write(made)
    except Exception:  # noqa: BLE001 - a damaged file can break it at any point
        return None
    return made.getvalue()
