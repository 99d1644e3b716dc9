"""The page of other programs: who asked, what each may do, forgetting one, and how one is connected."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from askance.domain.ports.storage import AT_FIRST, Capability
from askance.server.clients import DEFAULT, own_token
from askance.ui.design.focus import reading_order
from askance.ui.design.theme import DARK, LIGHT, Look, apply_look, load_fonts
from askance.ui.settings.programs import ConnectingControl, ProgramsControl
from askance.ui.settings.window import SettingsWindow
from ui.accessible import about, complaints
from ui.settings.book import allowed, clipboard, note, with_book
from ui.settings.room import Room, room


@pytest.fixture
def place(tmp_path: Path, qapp: QApplication) -> Iterator[Room]:
    with room(tmp_path / "home") as made:
        yield made


@dataclass
class Opened:
    """The window at the page, and its two controls."""

    window: SettingsWindow
    programs: ProgramsControl
    connecting: ConnectingControl
    bot: QtBot

    def until_still(self) -> None:
        """Wait until all that was asked of the book has come in, and has been given its room."""
        self.bot.waitUntil(lambda: not (self.programs.is_busy or self.connecting.is_busy))
        # A part that has come to need more tells the one around it, and that the next, each in a turn of the loop.
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)

    def choose(self, name: str) -> None:
        self.programs.list.choose(self.names.index(name))

    def turn(self, capability: Capability) -> None:
        self.programs.switches[capability].click()
        self.until_still()

    @property
    def names(self) -> list[str]:
        return [line.title for line in self.programs.list.lines]

    @property
    def on(self) -> set[Capability]:
        switches = self.programs.switches
        return {capability for capability in switches if switches[capability].isChecked()}


@pytest.fixture
def opened(place: Room, qtbot: QtBot, qapp: QApplication) -> Iterator[Callable[[], Opened]]:
    pages: list[Opened] = []

    def show(look: Look | None = None) -> Opened:
        look = look or Look(LIGHT, moves=False)
        load_fonts()
        apply_look(qapp, look)
        window = SettingsWindow(look, place.surroundings)
        place.windows.append(window)
        with qtbot.waitExposed(window):
            window.show()
        window.activateWindow()
        window.show_page("Programs")
        (programs,) = window.findChildren(ProgramsControl)
        (connecting,) = window.findChildren(ConnectingControl)
        page = Opened(window, programs, connecting, qtbot)
        qtbot.waitUntil(lambda: bool(connecting.address.text()))
        page.until_still()
        pages.append(page)
        return page

    yield show
    for page in pages:
        page.until_still()


def test_without_programs_the_page_says_how_one_is_connected(opened: Callable[[], Opened]) -> None:
    page = opened()
    assert "askance mcp" in page.programs.empty.text()
    assert not page.programs.list.isVisible()
    assert not page.programs.view.isVisible()
    assert complaints(page.window) == []


def test_each_program_is_listed_with_its_calls_and_how_it_asks(
    place: Room, opened: Callable[[], Opened]
) -> None:
    with_book(place, lambda book: book.make_token("Cursor"))
    note(place, DEFAULT, "answer")
    note(place, "Claude", "search", "read_page")
    page = opened()
    lines = {line.title: line for line in page.programs.list.lines}
    assert set(lines) == {"Claude", "Cursor", DEFAULT}
    assert [lines[name].state[0] for name in ("Claude", "Cursor", DEFAULT)] == ["2", "0", "1"]
    over_http = {name for name, line in lines.items() if "HTTP" in line.below}
    assert over_http == {"Cursor", DEFAULT}
    assert not page.programs.empty.isVisible()
    assert complaints(page.window) == []


def test_a_new_program_may_search_the_web_until_a_switch_says_more(
    place: Room, opened: Callable[[], Opened]
) -> None:
    note(place, "Claude", "search")
    page = opened()
    assert page.on == AT_FIRST
    page.turn(Capability.READ)
    assert allowed(place, "Claude") == {Capability.WEB, Capability.READ}
    page.turn(Capability.WEB)
    assert allowed(place, "Claude") == {Capability.READ}
    assert page.on == {Capability.READ}


def test_switches_that_are_turned_in_haste_all_count(
    place: Room, opened: Callable[[], Opened]
) -> None:
    note(place, "Claude", "search")
    note(place, "Other", "search")
    page = opened()
    for name in ("Claude", "Other"):
        page.choose(name)
        for switch in page.programs.switches.values():
            switch.click()
    page.until_still()
    everything_else = set(Capability) - AT_FIRST
    assert allowed(place, "Claude") == allowed(place, "Other") == everything_else
    assert page.on == everything_else


def test_who_reads_the_library_and_reaches_out_is_warned_of(
    place: Room, opened: Callable[[], Opened]
) -> None:
    note(place, "Claude", "search")
    page = opened()
    view = page.programs
    assert not view.warning.isVisible()
    page.turn(Capability.LIBRARY_READ)
    assert view.warning.isVisible()
    assert about(view.switches[Capability.LIBRARY_READ]) == view.warning.text()
    page.turn(Capability.WEB)
    assert not view.warning.isVisible()
    page.turn(Capability.READ)
    assert view.warning.isVisible()
    page.turn(Capability.LIBRARY_READ)
    assert not view.warning.isVisible()


def test_forgetting_asks_first_and_takes_the_token_too(
    place: Room, opened: Callable[[], Opened]
) -> None:
    token = with_book(place, lambda book: book.make_token("Cursor"))
    note(place, "Claude", "search")
    page = opened()
    page.choose("Cursor")
    forget = page.programs.forget
    QTest.mouseClick(forget.offer, Qt.MouseButton.LeftButton)
    assert forget.is_asking
    page.choose("Claude")
    assert not forget.is_asking
    page.choose("Cursor")
    QTest.mouseClick(forget.offer, Qt.MouseButton.LeftButton)
    QTest.mouseClick(forget.yes, Qt.MouseButton.LeftButton)
    page.until_still()
    assert page.names == ["Claude"]
    assert "Cursor" in page.programs.state.text()
    assert with_book(place, lambda book: book.by_token(token)) is None


def test_the_focus_survives_the_last_program(place: Room, opened: Callable[[], Opened]) -> None:
    note(place, "Claude", "search")
    page = opened()
    forget = page.programs.forget
    forget.offer.setFocus()
    QTest.keyClick(forget.offer, Qt.Key.Key_Space)
    QTest.keyClick(forget.yes, Qt.Key.Key_Space)
    page.bot.waitUntil(page.programs.empty.isVisible)
    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.isVisible()


def test_a_program_that_asks_while_the_page_is_open_comes_into_the_list(
    place: Room, opened: Callable[[], Opened]
) -> None:
    page = opened()
    note(place, "Claude", "search")
    page.programs.refresh()
    page.bot.waitUntil(lambda: page.names == ["Claude"])
    note(place, "Other", "search")
    page.programs.refresh()
    page.bot.waitUntil(lambda: set(page.names) == {"Claude", "Other"})
    assert page.programs.name == "Claude"


def test_a_book_that_cannot_be_read_is_told_of_in_the_page(
    place: Room, opened: Callable[[], Opened]
) -> None:
    place.surroundings.folders.clients.mkdir(parents=True)
    page = opened()
    assert str(place.surroundings.folders.clients) in page.programs.state.text()


def test_the_token_goes_to_the_clipboard_and_is_never_shown(
    place: Room, opened: Callable[[], Opened]
) -> None:
    page = opened()
    QTest.mouseClick(page.connecting.copy_token, Qt.MouseButton.LeftButton)
    page.until_still()
    token = own_token(place.surroundings.folders.server_token)
    assert clipboard() == token
    held = QGuiApplication.clipboard().mimeData()
    assert bytes(held.data("x-kde-passwordManagerHint").data()) == b"secret"
    assert not [w for w in page.window.findChildren(QLabel) if token in w.text()]


def test_a_token_file_that_cannot_be_used_is_told_of(
    place: Room, opened: Callable[[], Opened]
) -> None:
    file = place.surroundings.folders.server_token
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("short", "utf-8")
    page = opened()
    page.connecting.copy_token.click()
    page.until_still()
    assert str(file) in page.connecting.state.text()


def test_the_configuration_and_the_address_are_copied(
    place: Room, opened: Callable[[], Opened]
) -> None:
    page = opened()
    page.connecting.configuration.click()
    server = json.loads(clipboard())["mcpServers"]["askance"]
    assert server["args"][-1] == "mcp"
    assert server["command"]
    place.surroundings.source.write("server.port", "25999")
    page.window.refresh()
    page.bot.waitUntil(lambda: "25999" in page.connecting.address.text())
    page.connecting.copy_address.click()
    assert clipboard() == "http://127.0.0.1:25999/mcp"


def test_the_page_has_the_switch_for_http(place: Room, opened: Callable[[], Opened]) -> None:
    page = opened()
    page.window.field("server.http").control.main.click()  # type: ignore[attr-defined]
    assert place.surroundings.source.load().server.http


@pytest.mark.parametrize("look", [Look(DARK, moves=False), Look(LIGHT, scale=1.5, moves=False)])
def test_everything_is_reached_from_above_in_any_look(
    place: Room, opened: Callable[..., Opened], look: Look
) -> None:
    note(place, "Claude", "search")
    with_book(place, lambda book: book.make_token("Cursor"))
    page = opened(look)
    inside = page.window.page(3).widget()
    assert inside is not None
    stops = [widget for widget in reading_order(page.window) if inside.isAncestorOf(widget)]
    tops = [widget.mapTo(inside, widget.rect().topLeft()).y() for widget in stops]
    assert tops == sorted(tops)
    assert stops[0] is page.programs.list
    assert stops[1:5] == list(page.programs.switches.values())
    assert complaints(page.window) == []
