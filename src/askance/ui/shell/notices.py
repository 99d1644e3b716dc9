"""What a desktop cannot do, said once: at the first summons after it was found out, one thing at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject

from askance.config.private_files import make_folder, replace_file
from askance.domain.messages import Message, Remedy
from askance.presentation.i18n import tr
from askance.ui.overlay.below_field import MessageAction
from askance.ui.overlay.overlay import Overlay


class Notices(QObject):
    """Says each notice once, whichever start it is; `file` holds those that were said, a line each.

    `copy` takes what is to be copied: the command or the lines of a remedy.
    """

    def __init__(self, file: Path, overlay: Overlay, copy: Callable[[str], object]) -> None:
        super().__init__(overlay)
        self._file, self._overlay, self._copy = file, overlay, copy
        self._waiting = deque[Message]()
        overlay.summoned.connect(self._show_next)

    def add(self, notice: Message) -> None:
        """Say it now if the window is seen, else once it is; nothing if it was said before."""
        if notice in self._waiting or _line(notice) in self._shown_before():
            return
        self._waiting.append(notice)
        if self._overlay.isVisible() and not self._overlay.ask_bar.inline_message.sentence:
            self._show_next()

    def _show_next(self) -> None:
        if not self._waiting:
            return
        notice = self._waiting.popleft()
        step = None
        if isinstance(notice, Remedy) and notice.command:
            step = MessageAction(tr("Copy"), lambda text=notice.command: self._copy(text))
        self._overlay.complain(notice, step)
        with suppress(OSError):  # then it is said once more
            make_folder(self._file.parent)
            lines = [*self._shown_before(), _line(notice)]
            replace_file(self._file, "".join(f"{line}\n" for line in lines).encode())

    def _shown_before(self) -> list[str]:
        try:
            return self._file.read_text("utf-8").splitlines()
        except (OSError, ValueError):
            return []


def _line(notice: Message) -> str:
    """Return a notice as it is kept: in English, on one line."""
    return " ".join(notice.split())
