"""The `.env` of the compose project, in the part of its syntax that every compose understands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from askance.domain.errors import InputError
from askance.domain.messages import Message

_LINE = re.compile(
    r"^[^\S\n]*+([A-Za-z_]\w*+)=(?:'((?:[^'\\]|\\.)*)'|\"([^\"]*)\"|([^#\n]*))", re.MULTILINE
)
_UNSAFE = frozenset("\n\r\\")


def read_dotenv(file: Path) -> dict[str, str]:
    """Return the variables of a file; none where it is not there.

    Raises:
        InputError: it cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(
            Message("{file} cannot be read: {problem}.", file=file, problem=exc),
            fix=Message("Fix or delete it."),
        ) from exc
    return {
        name: quoted.replace("\\'", "'") or double or plain.strip()
        for name, quoted, double, plain in _LINE.findall(text)
    }


def as_dotenv(variables: Mapping[str, str]) -> str:
    """Return the text of a file. In single quotes nothing is a comment, and an apostrophe is the
    only sign that is written otherwise; what a backslash means there, no two of them agree on.

    Raises:
        InputError: a value has a line break or a backslash.
    """
    lines = ["# Written anew by every `askance up`; the names of images that you add here stay."]
    for name, value in variables.items():
        if not _UNSAFE.isdisjoint(value):
            raise InputError(
                Message(
                    "{name} would be {said}: it must not have a line break or a backslash in it.",
                    name=name,
                    said=repr(value),
                )
            )
        quoted = value.replace("'", "\\'")
        lines.append(f"{name}='{quoted}'")
    return "\n".join(lines) + "\n"
