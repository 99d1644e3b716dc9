"""The book of programs behind the settings window, and the clipboard that tokens go to."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

from PySide6.QtGui import QGuiApplication

from askance.app.container import Container
from askance.config.settings import Settings
from askance.domain.ports.storage import Capability, ClientCall, ClientRegistry
from ui.settings.room import Room

T = TypeVar("T")
AT = "2026-05-12T09:10:00+00:00"


def with_book(place: Room, work: Callable[[ClientRegistry], T]) -> T:
    with closing(Container(Settings(), place.surroundings.folders).clients) as book:
        return work(book)


def note(place: Room, name: str, *tools: str, outcome: str = "ok") -> None:
    def work(book: ClientRegistry) -> None:
        for tool in tools:
            book.note(ClientCall(name, tool, AT, outcome, 1234))

    with_book(place, work)


def allowed(place: Room, name: str) -> frozenset[Capability]:
    return with_book(place, lambda book: book.known(name).allowed)


def clipboard() -> str:
    return QGuiApplication.clipboard().text()
