"""The keys of the window, as a list for those who want to know them."""

from __future__ import annotations

import sys

from askance.presentation.i18n import term

# On a Mac, Command and H hide a program.
HISTORY = "Ctrl+Y" if sys.platform == "darwin" else "Ctrl+H"
ALLOW_WORDS = "Ctrl+Shift+S"

KEYS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("Return",), term("Ask")),
    (("Ctrl+Return",), term("Send with the other mode: web or chat")),
    (("Shift+Return",), term("New line")),
    (("Up",), term("Previous questions")),
    (("Tab",), term("Complete a command, or move to the next part")),
    (("Esc",), term("Stop the search, then hide the window")),
    (("PgUp", "PgDown"), term("Scroll the conversation")),
    (("Home", "End"), term("Its start and end, while the field is empty")),
    (("Ctrl+Up", "Ctrl+Down"), term("The question before and the one after")),
    (("Space",), term("Pick a passage of the library to ask about")),
    (("Ctrl+C",), term("Copy the answer with its sources")),
    ((ALLOW_WORDS,), term("Search again with the words that were held back")),
    (("Ctrl+N",), term("New conversation")),
    ((HISTORY,), term("Past conversations; F2 renames one, Delete deletes it")),
    (("Ctrl+,",), term("Settings")),
    (("F1",), term("Commands")),
    (("Ctrl+W",), term("Hide the window")),
)
"""The keys, as `QKeySequence` reads them, and what they do."""
