"""SearXNG's settings: the user's own copy, and what the container gets of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, cast

import yaml

from askance.config.private_files import FOR_ALL_TO_READ, make_folder, replace_file
from askance.config.regular_files import exists
from askance.domain.errors import InputError
from askance.domain.messages import Message, Remedy

_ORIGIN = "searxng-settings.sha256"
_MADE = "searxng-settings-"


def update_own_copy(shipped: Path, own: Path, folder: Path) -> str:
    """Make the user's copy if there is none; never change one. Return what to tell, or nothing.

    `folder` remembers which shipped file the user was last notified of.

    Raises:
        OSError: it cannot be written.
    """
    origin, now = folder / _ORIGIN, digest(shipped.read_bytes())
    if not exists(own):
        make_folder(own.parent)
        replace_file(own, shipped.read_bytes())
        replace_file(origin, now.encode())
        return ""
    known = origin.read_text(encoding="utf-8") if origin.exists() else now
    replace_file(origin, now.encode())
    if known == now or digest(own.read_bytes()) == now:
        return ""
    return Message(
        "The engine list that comes with Askance has changed; yours, {file}, stays as it is. "
        "The new one is {shipped}.",
        file=own,
        shipped=shipped,
    )


def settings_for_container(own: Path, proxy: str) -> str:
    """Return the settings as the container gets them: the user's, word for word, or with the proxy
    through which all engines are then asked.

    Raises:
        InputError: the file is no YAML that SearXNG could read, or cannot be read.
    """
    fix = Remedy("Fix it, or delete it: `askance up` then creates a new one.", command="askance up")
    try:
        text = own.read_text(encoding="utf-8")
        parsed: Any = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as exc:
        raise InputError(
            Message("The engine list {file} cannot be read: {problem}.", file=own, problem=exc),
            fix=fix,
        ) from exc
    except yaml.YAMLError as exc:
        mark: Any = getattr(exc, "problem_mark", None)
        problem = (
            Message(
                "The engine list {file} is not valid YAML, line {status}.",
                file=own,
                status=str(mark.line + 1),
            )
            if mark
            else Message("The engine list {file} is not valid YAML.", file=own)
        )
        raise InputError(problem, fix=fix) from exc
    if not isinstance(parsed, dict):
        raise InputError(
            Message("The engine list {file} has no settings in it.", file=own), fix=fix
        )
    if not proxy:
        return text
    settings = cast("dict[str, Any]", parsed)
    outgoing = settings.get("outgoing")
    outgoing = cast("dict[str, Any]", outgoing) if isinstance(outgoing, dict) else {}
    settings["outgoing"] = {**outgoing, "proxies": {"all://": [proxy]}}
    return yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)


def write_for_container(text: str, folder: Path) -> Path:
    """Write the settings under a name that changes with them, and return the file.

    Compose makes a container anew when the path of a mounted file has changed, and only then.
    """
    file = folder / f"{_MADE}{digest(text.encode())[:12]}.yml"
    make_room(file)
    # SearXNG runs as another user; nobody else gets into the folder.
    replace_file(file, text.encode(), mode=FOR_ALL_TO_READ)
    return file


def remove_former(current: Path) -> None:
    """Remove what was made for containers that are gone by now."""
    for file in current.parent.glob(f"{_MADE}*.yml"):
        if file != current:
            remove_mounted(file)


def make_room(file: Path) -> None:
    """Remove the folder that an engine has made where a container was to mount this file, and it was not there.

    Raises:
        OSError: something is in it.
    """
    if file.is_dir():
        file.rmdir()


def remove_mounted(file: Path) -> None:
    """Remove a file that containers mount, or what stands in its place.

    Raises:
        OSError: it cannot be removed.
    """
    make_room(file)
    file.unlink(missing_ok=True)


def digest(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
