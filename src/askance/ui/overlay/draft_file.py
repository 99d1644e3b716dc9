"""The file of the drafts. No Qt here: it is read and written beside the window."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, cast

from askance.config.private_files import make_folder, replace_file
from askance.ui.model.chips import Chip, Origin
from askance.ui.model.recall import Draft

Kept = Mapping[int | None, Draft]

# A draft is worth little: one with texts beyond that is kept without them.
_MOST_QUOTED = 200_000


class DraftFile:
    """Reads and writes drafts. The methods block, and may be called from any thread.

    A draft is not worth a word of complaint: a file that cannot be read holds none, and one that
    cannot be written is left as it is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._newest = 0
        self._is_there = False

    def read(self) -> dict[int | None, Draft]:
        """Return what is kept, the draft that was changed last at the end."""
        with self._lock:
            try:
                said = json.loads(self._path.read_bytes())
            except (OSError, ValueError, RecursionError):
                return {}
            self._is_there = True
            return _drafts(said)

    def write(self, number: int, drafts: Kept) -> bool:
        """Keep these drafts and no others; without any there is no file.

        What has a lower number than something that was written already came too late, and is
        dropped. False, and nothing is written, where the file was taken away meanwhile: whoever
        forgets all conversations forgets their drafts too.
        """
        with self._lock:
            if number < self._newest:
                return True
            self._newest = number
            if self._is_there and not self._path.exists():
                self._is_there = False
                return False
            if drafts:
                self._is_there = self._replace(_written(drafts)) or self._is_there
            else:
                self._delete()
            return True

    def delete(self, number: int) -> None:
        """Take the file away. `number` is as in `write`."""
        with self._lock:
            self._newest = max(self._newest, number)
            self._delete()

    def _delete(self) -> None:
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._is_there = False

    def _replace(self, data: bytes) -> bool:
        try:
            make_folder(self._path.parent)
            replace_file(self._path, data)
        except OSError:
            return False
        return True


def _written(drafts: Kept) -> bytes:
    rows = [
        {
            "conversation": conversation,
            "text": draft.text,
            "cursor": draft.cursor,
            "quotes": [_quote(chip) for chip in draft.quotes] if _is_light(draft) else [],
        }
        for conversation, draft in drafts.items()
    ]
    # A lone surrogate can be typed, and is no UTF-8.
    return json.dumps({"drafts": rows}).encode("ascii")


def _is_light(draft: Draft) -> bool:
    return sum(len(chip.text) for chip in draft.quotes) <= _MOST_QUOTED


def _quote(chip: Chip) -> dict[str, Any]:
    return {"text": chip.text, "origin": chip.origin, "cut": chip.is_cut, "name": chip.name}


def _chip(said: Any) -> Chip | None:
    match said:
        case str(text):  # as drafts were kept before
            return Chip(Origin.QUOTED, text)
        case {"text": str(text), "origin": str(origin), "cut": bool(is_cut), "name": str(name)}:
            known = origin if origin in set(Origin) else Origin.QUOTED
            return Chip(Origin(known), text, is_cut, name)
        case _:
            return None


def _drafts(said: Any) -> dict[int | None, Draft]:
    rows: Any = cast("dict[str, Any]", said).get("drafts") if isinstance(said, dict) else None
    if not isinstance(rows, list):
        return {}
    found = [_draft(row) for row in cast("list[Any]", rows)]
    return dict(row for row in found if row is not None)


def _draft(row: Any) -> tuple[int | None, Draft] | None:
    match row:
        case {
            "conversation": int() | None as conversation,
            "text": str(text),
            "cursor": int(cursor),
            "quotes": [*quotes],
        }:
            chips = [_chip(quote) for quote in quotes]
            known = tuple(chip for chip in chips if chip is not None)
            return (conversation, Draft(text, cursor, known)) if len(known) == len(chips) else None
        case _:
            return None
