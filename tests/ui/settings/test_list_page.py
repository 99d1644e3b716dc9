"""What all pages with rows rest on: a result that is late changes nothing, changes keep their order, one job at a time."""

from __future__ import annotations

import asyncio
import threading

from pytestqt.qtbot import QtBot

from askance.app.container import Container
from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.domain.ports.containers import ComposeProgress, ResourceKind
from askance.ui.bridge import OnProgress
from askance.ui.design.composing import Button
from askance.ui.design.theme import LIGHT, Look
from askance.ui.settings.settings_jobs import ListPage, SettingsContext
from ui.settings.room import Room, is_busy
from waiting import PATIENCE_S


class Birds(ListPage):
    """A page whose rows are the words that were written."""

    has_job = True

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(Look(LIGHT, moves=False), context)
        self.written: list[str] = []
        self.shown: list[tuple[str, ...]] = []
        self.begin = Button(self.look, "Begin", self)
        self.main = self.begin
        self.stack(self.begin, self.line, self.state, self.stop)
        self.stop.clicked.connect(self.cancel_job)
        self.show_working()

    def refresh(self) -> None:
        self.look_up(lambda _parts: tuple(self.written), self.shown.append)

    def write(self, word: str) -> None:
        def work(_parts: Container) -> str:
            self.written.append(word)
            return f"{word} is written."

        self.change(work)

    def set_working(self, is_working: bool) -> None:
        self.begin.setEnabled(not is_working)


def opened(place: Room, qtbot: QtBot) -> Birds:
    page = Birds(place.surroundings)
    place.windows.append(page)
    page.show()
    qtbot.waitUntil(lambda: page.shown == [()])
    return page


def test_rows_that_were_read_before_a_change_are_not_shown_after_it(
    place: Room, qtbot: QtBot
) -> None:
    page, may_go = opened(place, qtbot), threading.Event()
    page.shown.clear()

    def slow(_parts: Container) -> tuple[str, ...]:
        read = tuple(page.written)
        may_go.wait(PATIENCE_S)
        return read

    page.look_up(slow, page.shown.append)
    page.write("wren")
    qtbot.waitUntil(lambda: page.shown == [("wren",)])
    may_go.set()
    qtbot.waitUntil(lambda: not is_busy(page))
    assert page.shown == [("wren",)]


def test_changes_are_made_in_order_and_rows_are_read_after_the_last(
    place: Room, qtbot: QtBot
) -> None:
    page = opened(place, qtbot)
    page.shown.clear()
    for word in ("wren", "finch", "heron"):
        page.write(word)
    qtbot.waitUntil(lambda: page.shown == [("wren", "finch", "heron")])
    assert page.state.text() == "heron is written."


def test_a_change_that_fails_says_why_and_the_next_one_is_made(place: Room, qtbot: QtBot) -> None:
    page = opened(place, qtbot)

    def fails(_parts: Container) -> str:
        raise InputError(Message("It is full."))

    page.change(fails)
    page.write("wren")
    qtbot.waitUntil(lambda: page.shown[-1] == ("wren",))
    page.change(fails)
    qtbot.waitUntil(lambda: page.state.text() == "It is full.")


def test_a_job_shows_how_far_it_is_and_is_cancelled(place: Room, qtbot: QtBot) -> None:
    page, given_up = opened(place, qtbot), list[bool]()

    async def work(_parts: object, on_progress: OnProgress) -> None:
        on_progress(ComposeProgress(ResourceKind.IMAGE, "owl", "", False, 1_000_000, 4_000_000))
        try:
            await asyncio.Event().wait()
        finally:
            given_up.append(True)

    page.run_job(work, "Fetching", lambda _result: None)
    assert page.is_working
    assert not page.begin.isEnabled()
    qtbot.waitUntil(lambda: page.line.fraction == 0.25)
    assert page.state.text() == "Downloading owl: 1 MB of 4 MB"
    page.stop.click()
    assert not page.is_working
    assert page.begin.isEnabled()
    assert page.line.fraction is None
    assert page.stop.isHidden()
    qtbot.waitUntil(lambda: given_up == [True])
