"""The page of other programs: who asked, what each may do, forgetting one, and how one is connected."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from askance.config.settings import ServerSettings
from askance.domain.ports.storage import AT_FIRST, Capability, Client, ClientRecord
from askance.server.clients import DEFAULT, own_token
from askance.ui.settings.programs import (
    ConnectingControl,
    ProgramsControl,
    configuration,
    http_address,
    may_carry_out,
    seen_text,
)
from askance.ui.settings.window import SettingsWindow
from ui.accessible import about, complaints
from ui.settings.book import allowed, clipboard, note, with_book
from ui.settings.room import Room, is_busy


@dataclass
class Opened:
    """The window at the page, and its two controls."""

    window: SettingsWindow
    programs: ProgramsControl
    connecting: ConnectingControl
    bot: QtBot

    def until_still(self) -> None:
        """Wait until all that was asked of the book has come in, and has been given its room."""
        self.bot.waitUntil(lambda: not (is_busy(self.programs) or is_busy(self.connecting)))
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
def opened(place: Room, qtbot: QtBot) -> Iterator[Callable[[], Opened]]:
    pages: list[Opened] = []

    def show() -> Opened:
        window = place.open_settings("Connected apps")
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


NOW = datetime(2026, 5, 14, 10, 40).astimezone()
NO_CALLS = ClientRecord(Client("x"), False, NOW.isoformat(), NOW.isoformat(), 0)


def test_a_program_that_never_asked_was_not_seen_asking() -> None:
    with_token = replace(NO_CALLS, has_token=True)
    assert seen_text(with_token, NOW) == "over HTTP · no requests yet"
    assert seen_text(NO_CALLS, NOW) == "connected today at 10:40"


@pytest.mark.parametrize(
    ("allowed", "may"),
    [
        ({Capability.WEB, Capability.LIBRARY_READ}, True),
        ({Capability.READ, Capability.LIBRARY_READ}, True),
        ({Capability.LIBRARY_READ, Capability.LIBRARY_WRITE}, False),
        ({Capability.WEB, Capability.READ, Capability.LIBRARY_WRITE}, False),
    ],
)
def test_who_reads_the_library_and_reaches_out_may_carry_text_out(
    allowed: set[Capability], may: bool
) -> None:
    assert may_carry_out(Client("x", frozenset(allowed))) is may


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:25019"),
        ("0.0.0.0", "http://127.0.0.1:25019"),  # noqa: S104 - nothing is bound here
        ("::", "http://[::1]:25019"),
        ("askance.lan", "http://askance.lan:25019"),
    ],
)
def test_the_address_is_one_that_can_be_asked(host: str, address: str) -> None:
    assert http_address(ServerSettings(host=host)) == address


def test_the_configuration_starts_the_bridge() -> None:
    entry = {"command": "/opt/ä b/python", "args": ["-m", "askance", "mcp"]}
    written = configuration(["/opt/ä b/python", "-m", "askance"])
    assert json.loads(written) == {"mcpServers": {"askance": entry}}
