"""The token that tells the service's own clients from everybody else on the machine."""

from __future__ import annotations

import hmac
import re
from pathlib import Path

from askance.domain.errors import SettingsError

_SHAPE = re.compile(r"[!-~]{1,1000}")
_SCHEME = "bearer"


class Token:
    """A secret that is compared in constant time, and never printed."""

    def __init__(self, value: str) -> None:
        self._value = value.encode("ascii")

    def opens(self, authorization: str) -> bool:
        """Whether an `Authorization` header carries this token."""
        scheme, _, value = authorization.partition(" ")
        given = value.strip().encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, self._value) and scheme.lower() == _SCHEME


def read_token(file: Path) -> Token:
    """Read the token from its file; space around it does not count.

    Raises:
        SettingsError: it cannot be read, is empty, or is no single word of ASCII.
    """
    fix = "`askance up` makes one; reader.token_file names another file."
    try:
        text = file.read_text("utf-8").strip()
    except UnicodeDecodeError as exc:
        raise SettingsError(f"The token file {file} is not text.", fix=fix) from exc
    except OSError as exc:
        reason = exc.strerror or exc
        raise SettingsError(f"The token file {file} cannot be read: {reason}.", fix=fix) from exc
    if not text:
        raise SettingsError(f"The token file {file} is empty.", fix=fix)
    if not _SHAPE.fullmatch(text):
        raise SettingsError(f"The token file {file} holds more than one word of ASCII.", fix=fix)
    return Token(text)
