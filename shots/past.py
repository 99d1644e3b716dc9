"""What was asked before the pictures were taken, by a person and by other programs."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime

from askance.adapters.storage.clients import SqliteClientBook
from askance.adapters.storage.history import SqliteHistory
from askance.config.folders import Folders
from askance.domain.conversation import Outcome, Usage
from askance.domain.errors import StorageError
from askance.domain.events import Answered
from askance.domain.history import TimedEvent
from askance.domain.ports.storage import Capability, ClientCall

NOW = datetime(2026, 5, 14, 10, 40).astimezone()
# Oldest first: when, the command, the question, the answer; a question without a time goes on.
_ASKED = (
    ("2026-04-21T20:14", "search", "How long does Stoll Blue cheese ripen?", "14 weeks."),
    (
        "2026-05-02T08:31",
        "search",
        "Which walk is longer, the Lighthouse Round or the Ferrin Horseshoe?",
        "The Ferrin Horseshoe: 13.8 kilometres against 11.5.",
    ),
    (
        "",
        "search",
        "Is there tea on the way?",
        "At The Lampwick, from two until the scones are gone.",
    ),
    (
        "2026-05-06T17:55",
        "translate",
        "to German: The path is passable until two hours after low water.",
        "Der Weg ist bis zwei Stunden nach Niedrigwasser begehbar.",
    ),
    (
        "2026-05-09T21:03",
        "search",
        "What does fault code E07 of a GC-4 gate controller mean?",
        "The limit switch was not reached within 120 seconds.",
    ),
    (
        "2026-05-13T19:22",
        "search",
        "After whom is the ship of Hesperay Ferries named?",
        "After Sela Marrin, the postmistress of Wick of Ord.",
    ),
    ("", "search", "How many men did she save?", "Seventeen of the 22 on board."),
    ("", "search", "Where are her oars now?", "In the museum in Kelhaven."),
    (
        "2026-05-14T08:47",
        "search",
        "How long does the ferry from Strandmouth take today?",
        "1 hour and 35 minutes.",
    ),
)
# Who asked, what it may do: when it asked for which tool, how that ended, and how long it took.
_PROGRAMS = (
    ("Open WebUI", (Capability.WEB,), (("2026-05-13T19:02", "answer", "ok", 21_400),)),
    (
        "Claude Desktop",
        (Capability.WEB, Capability.READ, Capability.LIBRARY_READ),
        (
            ("2026-05-14T10:11", "search", "ok", 2100),
            ("2026-05-14T10:12", "read_page", "ok", 640),
            ("2026-05-14T10:31", "add_to_library", "not_allowed", 2),
            ("2026-05-14T10:33", "answer", "ok", 14_300),
        ),
    ),
)


def remember(folders: Folders) -> None:
    """Keep the past in the history of these folders.

    Raises:
        StorageError: it cannot be written.
    """
    moment = NOW
    history = SqliteHistory(folders.history, _complain, lambda: moment)
    conversation: int | None = None
    try:
        for when, command, question, answer in _ASKED:
            if when:
                moment = datetime.fromisoformat(when).astimezone()
                conversation = None
            key = history.begin_exchange(conversation, command, question)
            end = Answered(answer, (), (), Outcome.WEB, 1, Usage(), (), 9000)
            history.finish_exchange(key, (TimedEvent(9.0, end),))
            conversation = key.conversation
    finally:
        history.close()


def introduce(folders: Folders) -> None:
    """Let programs have asked, the first of them over HTTP.

    Raises:
        StorageError: it cannot be written.
    """
    moment = datetime.fromisoformat(_ASKED[0][0]).astimezone()
    with closing(SqliteClientBook(folders.clients, _complain, clock=lambda: moment)) as book:
        book.make_token(_PROGRAMS[0][0])
        for name, allowed, calls in _PROGRAMS:
            book.allow(name, allowed)
            for at, tool, outcome, ms in calls:
                moment = datetime.fromisoformat(at).astimezone()
                book.note(ClientCall(name, tool, moment.isoformat(), outcome, ms))


def _complain(sentence: str) -> None:
    raise StorageError(sentence)
