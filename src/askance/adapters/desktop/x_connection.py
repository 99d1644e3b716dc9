"""The one connection to an X server on which it is asked things that Qt does not tell."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from Xlib import error
from Xlib.display import Display

_GONE = (error.DisplayError, error.XauthError, error.ConnectionClosedError, OSError)
_T = TypeVar("_T")


class XConnection:
    """Opened with the first question, and kept: to open one takes longer than to ask.

    Without a name it is the display of the environment. For one thread. It is closed at the end of
    the program, if not before.
    """

    def __init__(self, display_name: str | None = None) -> None:
        self._name = display_name
        self._display: Display | None = None

    def ask(self, question: Callable[[Display], _T], otherwise: _T) -> _T:
        """Return the answer to a question, or `otherwise` where the server cannot be asked."""
        try:
            if self._display is None:
                self._display = Display(self._name)
                atexit.register(self.close)
            return question(self._display)
        except _GONE:
            self.close()
            return otherwise

    def close(self) -> None:
        """Close it, if it is open. The next question opens it anew."""
        display, self._display = self._display, None
        if display is not None:
            atexit.unregister(self.close)
            with suppress(*_GONE):
                display.close()


shared = XConnection()
"""That of this program's own display."""
