"""The whole program in German: it fits into its windows, and what is typed stays English."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QStyle,
    QStyleOptionFrame,
    QWidget,
)
from pytestqt.qtbot import QtBot

from askance.app.commands import COMMANDS
from askance.ui.design.composing import FlowLayout
from askance.ui.design.controls import HotkeyField
from askance.ui.design.labels import ElidedLabel
from askance.ui.design.theme import LIGHT, WINDOW_WIDTH, Look, load_fonts
from askance.ui.overlay.conversation.exchange import State
from askance.ui.settings.page_tables import PAGES
from askance.ui.shell.catalogues import use_language
from askance.ui.shell.desktop import Desktop
from sampled import sampled
from ui.overlay_room import running

MakeDesktop = Callable[[float], Desktop]


@pytest.fixture
def made(qapp: QApplication, environment: dict[str, str]) -> Iterator[MakeDesktop]:
    """Makes the program in German, with services that are surely not there."""
    load_fonts()
    german = {"ASKANCE_WINDOW__LANGUAGE": "de", "PATH": ""}
    with ExitStack() as leaving:

        def make(text_size: float) -> Desktop:
            size = {"ASKANCE_WINDOW__TEXT_SIZE": str(text_size)}
            return leaving.enter_context(running(environment | german | size))

        yield make
    use_language(qapp, "en")


def cut_off(window: QWidget) -> list[str]:
    """The texts of a window that have too little room."""
    window.ensurePolished()
    for part in (window, *window.findChildren(QWidget)):
        if part.isVisibleTo(window) and (layout := part.layout()) is not None:
            layout.activate()
    parts = [part for part in window.findChildren(QWidget) if part.isVisibleTo(window)]
    return [f"{type(part).__name__}: {text}" for part in parts if (text := _cut(part))]


def _cut(part: QWidget) -> str:
    match part:
        case ElidedLabel():
            return part.text() if part.is_cut else ""
        case QLabel() if part.wordWrap():
            return part.text() if part.heightForWidth(part.width()) > part.height() else ""
        case QLabel() | QComboBox() | QAbstractButton():
            text = part.currentText() if isinstance(part, QComboBox) else part.text()
            # The longest word of a choice counts in its hint.
            return text if text and part.sizeHint().width() > part.width() else ""
        case QLineEdit() if not part.text():
            return part.placeholderText() if _is_prompt_cut(part) else ""
        case _:
            return ""


def _is_prompt_cut(field: QLineEdit) -> bool:
    """Whether what stands in an empty field has too little room between its edges."""
    option = QStyleOptionFrame()
    field.initStyleOption(option)
    room = field.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, field)
    return field.fontMetrics().horizontalAdvance(field.placeholderText()) > room.width()


def test_what_has_no_room_is_seen(qtbot: QtBot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(60, 60)
    label, button = QLabel("Tastenkürzel und mehr", window), QPushButton("Noch einmal", window)
    wrapped, short = QLabel("Eine Zeile und noch eine", window), QLabel("kurz", window)
    wrapped.setWordWrap(True)
    for part in (label, button, wrapped, short):
        part.setGeometry(0, 0, 50, 20)
    reports = ["QLabel: Tastenkürzel und mehr", "QPushButton: Noch einmal"]
    assert cut_off(window) == [*reports, "QLabel: Eine Zeile und noch eine"]


@pytest.mark.parametrize("text_size", sampled([1.4, 1.0], every=2))
def test_the_settings_hold_their_german(made: MakeDesktop, qtbot: QtBot, text_size: float):
    desktop = made(text_size)
    settings = desktop.windows.show_settings()
    assert "Einstellungen" in settings.windowTitle()
    look = desktop.overlay.look
    settings.resize(look.px(760), look.px(520))
    for page in PAGES:
        desktop.windows.show_settings(page.title)
        qtbot.waitUntil(lambda: "Sieht nach" not in _texts(settings))
        _wait_for_room(qtbot, settings)


@pytest.mark.parametrize("text_size", sampled([1.5, 1.0], every=2))
def test_no_page_of_the_settings_is_wider_than_a_small_screen(
    made: MakeDesktop, qtbot: QtBot, text_size: float
):
    desktop = made(text_size)
    settings = desktop.windows.show_settings()
    settings.resize(1, 1)  # as small as it may be: nine tenths of a screen of 800 points
    for page in settings.pages:
        desktop.windows.show_settings(page.table.title)
        inside, room = settings.area.widget(), settings.area.viewport()
        assert inside is not None
        qtbot.waitUntil(
            lambda inside=inside, room=room: inside.minimumSizeHint().width() <= room.width()
        )
        fields = [f for f in inside.findChildren(QLineEdit) if f.isVisibleTo(inside)]
        assert [f.placeholderText() for f in fields if _is_prompt_cut(f)] == []


def test_buttons_without_room_go_into_another_line(qtbot: QtBot):
    window = QWidget()
    qtbot.addWidget(window)
    buttons = [QPushButton("Erneut prüfen", window) for _ in range(3)]
    row = FlowLayout(Look(LIGHT), *buttons)
    window.setLayout(row)
    row.setSpacing(8)
    buttons[1].hide()
    width, height = (buttons[0].sizeHint().width(), buttons[0].sizeHint().height())
    assert row.sizeHint().width() == 2 * width + 8
    assert row.heightForWidth(2 * width + 8) == height
    assert row.heightForWidth(2 * width) == 2 * height + 8
    window.resize(width, 3 * height)
    window.show()
    assert buttons[2].x() == buttons[0].x() == 0
    assert buttons[2].y() == height + 8


@pytest.mark.parametrize("text_size", sampled([1.4, 1.0], every=2))
def test_the_first_page_and_the_history_hold_their_german(
    made: MakeDesktop, qtbot: QtBot, text_size: float
):
    desktop = made(text_size)
    first = desktop.windows.welcome()
    qtbot.waitUntil(lambda: "Sieht nach" not in _texts(first))
    assert {"Modell", "Suche", "Tastenkürzel"} <= _texts(first)
    _wait_for_room(qtbot, first)
    first.close()
    history = desktop.header.show_history()
    qtbot.waitUntil(lambda: bool(history.state.text()))
    _wait_for_room(qtbot, history)
    history.close()


@pytest.mark.parametrize("text_size", sampled([1.4, 1.0], every=2))
def test_the_overlay_holds_its_german(made: MakeDesktop, qtbot: QtBot, text_size: float):
    desktop = made(text_size)
    overlay = desktop.overlay
    desktop.obey("show")
    qtbot.waitUntil(lambda: overlay.ask_bar.tools.model_button.words == "Kein Modell")
    overlay.setFixedWidth(overlay.look.px(WINDOW_WIDTH) + 2 * overlay.shadow_margins.left())
    overlay.ask_bar.field.set_text("Warum?")
    assert overlay.ask_bar.tools.hint_line.shown[0].words == "fragt nur das Modell"
    overlay.ask_bar.field.set_text("")
    # What is missing comes in beside it, and the window grows for that.
    _wait_for_room(qtbot, overlay)
    desktop.session.submit("/serch it")
    overlay.setFixedWidth(overlay.look.px(WINDOW_WIDTH) + 2 * overlay.shadow_margins.left())
    _wait_for_room(qtbot, overlay)


def test_a_failure_is_told_in_german_and_its_command_still_mends_it(
    made: MakeDesktop, qtbot: QtBot
):
    desktop = made(1.0)
    desktop.session.submit("/search Wer hat es gebaut?")
    qtbot.waitUntil(lambda: desktop.session.views[0].state is State.FAILED)
    view = desktop.session.views[0]
    assert view.failure is not None
    assert view.failure.problem == "Websuche nicht eingerichtet."
    assert any("Ollama antwortet nicht" in note for note in view.notes)
    assert view.status.text == "Einmal gesucht, keine Seite lesbar"
    button = desktop.overlay.conversation.exchanges[0].findChildren(QAbstractButton)
    seen = [b for b in button if b.isVisibleTo(desktop.overlay)]
    setting_up = next(b for b in seen if b.text() == "Suche einrichten")
    setting_up.click()
    assert desktop.windows.first_run is not None
    assert desktop.windows.first_run.isVisible()


def test_commands_and_names_of_settings_stay_as_they_are_typed(made: MakeDesktop):
    desktop = made(1.0)
    names = [command.name for command in COMMANDS]
    assert {"search", "history", "settings"} <= set(names)
    desktop.session.submit("/einstellungen")
    complaint = desktop.overlay.ask_bar.inline_message
    assert "/einstellungen gibt es nicht" in " ".join(_texts(complaint))
    field = desktop.windows.show_settings("Search").field("limits.run_timeout_s")
    field.take("1.5")
    assert field.control.main.property("text") == "1,5"
    field.take("9999")
    assert field.problem.text() == "Der Wert muss eine Zahl von 0 bis 3600 sein."


def _wait_for_room(qtbot: QtBot, window: QWidget) -> None:
    def fits() -> None:
        assert cut_off(window) == []

    qtbot.waitUntil(fits)


def _texts(window: QWidget) -> set[str]:
    parts = [*window.findChildren(QLabel), *window.findChildren(QAbstractButton)]
    # Long words may break at a place that nobody sees.
    return {part.text().replace("\u200b", "") for part in parts if part.isVisibleTo(window)}


def test_the_hotkey_is_named_as_the_keyboard_has_it(made: MakeDesktop, qtbot: QtBot) -> None:
    made(1.0)
    field = HotkeyField(Look(LIGHT))
    qtbot.addWidget(field)
    field.set_combination("Ctrl+Space")
    assert field.text() == ("Ctrl+Space" if sys.platform == "darwin" else "Strg+Leertaste")
    field.set_combination("Super+PageUp")
    assert field.text() == "Super+PageUp"  # what Qt has no name for stays as it is written
