"""What a question needs is started before it is asked."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest

from askance.domain.conversation import ParsedCommand
from askance.domain.events import SearchStarted
from askance.ui.design.drawing import pixmap
from askance.ui.overlay import prewarming
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.prewarming import Prewarmer
from ui.overlay_room import Room, answered


def test_the_first_letter_starts_it_and_the_next_ones_do_not(room: Room) -> None:
    Prewarmer(room.bridge, room.session, room.overlay)
    field = room.overlay.ask_bar.field
    QTest.keyClick(field, Qt.Key.Key_Space)
    QTest.keyClicks(field, "Where is the lamp?")
    room.bot.waitUntil(lambda: room.app.prepared > 0)
    done: list[object] = []

    async def nothing(_: object) -> None:
        pass

    room.bridge.call(nothing, done.append)
    room.bot.waitUntil(lambda: bool(done))
    assert room.app.prepared == 1


def test_the_model_is_loaded_as_the_window_comes_up(room: Room) -> None:
    Prewarmer(room.bridge, room.session, room.overlay)
    assert room.app.preloaded == 0
    room.overlay.summon()
    room.bot.waitUntil(lambda: room.app.preloaded == 1)
    room.overlay.hide()
    room.overlay.summon()
    room.bot.waitUntil(lambda: room.app.preloaded == 2)


def test_all_is_drawn_once_before_anybody_sees_it(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    pixmap.cache_clear()
    monkeypatch.setattr(prewarming, "_STARTED_MS", 0)
    Prewarmer(room.bridge, room.session, room.overlay)
    room.bot.waitUntil(lambda: room.overlay.conversation._spare is not None)
    assert not room.overlay.isVisible()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    # Nothing of it is left but what the next question uses.
    assert room.overlay.findChildren(ExchangeWidget) == [room.overlay.conversation._spare]
    assert room.app.preloaded == 0
    read = pixmap.cache_info().misses
    room.overlay.summon()
    room.overlay.grab()
    assert pixmap.cache_info().misses == read > 0
    room.session.submit("/search Where is the lamp?")
    assert room.overlay.findChildren(ExchangeWidget) == room.overlay.conversation.exchanges


def test_what_is_made_ahead_is_not_seen(room: Room) -> None:
    room.overlay.summon()
    room.session.submit("/search Where is the lamp?")
    room.bot.waitUntil(lambda: room.session.views[-1].ended)
    # As while the library is in its place.
    room.overlay.conversation.hide()
    room.overlay.conversation.prepare()
    room.overlay.conversation.show()
    seen = [e for e in room.overlay.findChildren(ExchangeWidget) if e.isVisible()]
    assert seen == room.overlay.conversation.exchanges


def test_a_search_starts_it_whatever_was_typed(room: Room) -> None:
    started = SearchStarted(("Where is the lamp?",), 1)
    room.engine.scripts = [(started, answered("On the hill."))]
    room.overlay.ask_bar.submitted.emit(ParsedCommand("search", "Where is the lamp?"))
    room.bot.waitUntil(lambda: room.app.prepared == 1)
    room.overlay.ask_bar.submitted.emit(ParsedCommand("tldr", "The lamp is on the hill."))
    room.bot.waitUntil(lambda: room.session.views[-1].ended)
    assert room.app.prepared == 1


def test_a_conversation_that_was_left_is_forgotten(room: Room) -> None:
    Prewarmer(room.bridge, room.session, room.overlay)
    submitted = room.overlay.ask_bar.submitted
    submitted.emit(ParsedCommand("search", "Where is the lamp?"))
    room.bot.waitUntil(lambda: room.session.views[-1].ended)
    assert room.engine.forgotten == 0
    submitted.emit(ParsedCommand("new"))
    room.bot.waitUntil(lambda: room.engine.forgotten == 1)
