"""The program as a whole: its windows, its parts, and what a change of settings does to them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from askance.config.choices import AskMode
from askance.config.diagnostics import new_reports
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.config.sources import load_settings
from askance.domain.messages import FixAction, FixKind
from askance.system import ipc
from askance.ui.bridge import ONE_PASSAGE
from askance.ui.design.theme import DARK, LIGHT
from askance.ui.overlay import stored
from askance.ui.overlay.conversation.exchange import State
from askance.ui.settings.row_controls import ChoiceControl
from askance.ui.shell.activation import Instance
from askance.ui.shell.desktop import Desktop
from askance.ui.shell.desktop_app import run
from ui.overlay_room import running
from waiting import PATIENCE_S


@pytest.fixture
def opened() -> list[str]:
    """The addresses that were opened in the browser."""
    return []


@pytest.fixture
def desktop(qtbot: QtBot, environment: dict[str, str], opened: list[str]) -> Iterator[Desktop]:
    def open_address(url: str) -> bool:
        opened.append(url)
        return "broken" not in url

    with running(environment, open_address=open_address) as made:
        yield made


def test_without_any_service_the_bar_shows_so(desktop: Desktop, qtbot: QtBot) -> None:
    desktop.obey("show")
    assert desktop.overlay.isVisible()
    bar = desktop.overlay.ask_bar
    qtbot.waitUntil(lambda: bar.tools.model_button.words == "No model")
    qtbot.waitUntil(lambda: bar.switch.segments[AskMode.WEB].lacks)
    desktop.overlay.ask_bar.escape()
    assert not desktop.overlay.isVisible()


def test_the_switch_says_that_nothing_can_be_searched_and_opens_what_sets_it_up(
    desktop: Desktop, qtbot: QtBot
) -> None:
    desktop.obey("show")
    switch = desktop.overlay.ask_bar.switch
    qtbot.waitUntil(lambda: switch.mode is AskMode.CHAT)
    web = switch.segments[AskMode.WEB]
    assert web.accessibleDescription().endswith("A click sets it up.")
    web.click()
    assert desktop.windows.settings is not None
    assert desktop.windows.settings.isVisible()


def test_what_is_put_in_front_is_there_after_a_restart(
    desktop: Desktop, environment: dict[str, str]
) -> None:
    settings = desktop.windows.show_settings()
    desktop.overlay.ask_bar.switch.segments[AskMode.CHAT].click()
    file = find_folders(environment).settings_file
    assert load_settings(file, environment).ask.mode is AskMode.CHAT
    control = settings.field("ask.mode").control
    assert isinstance(control, ChoiceControl)
    assert control.box.currentData() == "chat"
    settings.changed.emit(Settings())
    assert desktop.overlay._mode is AskMode.WEB


def test_a_search_without_services_fails_in_words_and_the_window_stays_usable(
    desktop: Desktop, qtbot: QtBot
) -> None:
    desktop.session.submit("/search Who built it?")
    qtbot.waitUntil(lambda: desktop.session.views[0].state is State.FAILED)
    failure = desktop.session.views[0].failure
    assert failure is not None
    assert (failure.problem, failure.fix) == ("Web search is not set up.", "")
    desktop.session.submit("/new")
    assert desktop.session.views == []


def test_the_sample_web_can_be_tried_with_nothing_installed(
    desktop: Desktop, qtbot: QtBot, environment: dict[str, str]
) -> None:
    assert desktop.is_new
    first = desktop.windows.welcome()
    first.sample_requested.emit()
    qtbot.waitUntil(lambda: bool(desktop.session.views))
    qtbot.waitUntil(lambda: desktop.session.views[0].state is State.ANSWERED)
    view = desktop.session.views[0]
    assert ONE_PASSAGE.endswith(view.asked.text)  # there is no model to compare things
    assert any("hesperay.example" in source.url for source in view.known_sources)
    assert not first.isVisible()
    assert not desktop.is_new
    history = desktop.header.show_history()
    qtbot.waitUntil(lambda: "/new" in history.state.text())
    history.close()
    desktop.session.begin_anew()
    qtbot.waitUntil(lambda: not desktop._is_sample)


def test_the_first_page_leaves_when_the_overlay_is_summoned(desktop: Desktop) -> None:
    first = desktop.windows.welcome()
    assert first.isVisible()
    desktop.obey("toggle")
    assert desktop.overlay.isVisible()
    assert not first.isVisible()
    assert desktop.is_new  # it was not put off


def test_the_sample_web_is_named_in_the_bar(desktop: Desktop, qtbot: QtBot) -> None:
    first = desktop.windows.welcome()
    first.sample_requested.emit()
    title = desktop.overlay.ask_bar.tools.title_button
    qtbot.waitUntil(lambda: title.title == "sample web")
    desktop.session.begin_anew()
    qtbot.waitUntil(lambda: not title.title)


def test_a_draft_is_there_again_and_beside_it_what_is_wrong_with_the_settings(
    qtbot: QtBot, environment: dict[str, str], folders: Folders
) -> None:
    with running(environment) as first:
        first.overlay.ask_bar.field.set_text("half a question")
    folders.settings_file.parent.mkdir(parents=True, exist_ok=True)
    folders.settings_file.write_text("[limits\n", encoding="utf-8")
    with running(environment) as again:
        assert again.overlay.ask_bar.field.text == "half a question"
        assert again.overlay.ask_bar.inline_message.isVisibleTo(again.overlay)
        assert again._settings.llm.url == environment["ASKANCE_LLM__URL"]
        folders.settings_file.write_text("[window]\ntheme = 'dark'\n", encoding="utf-8")
        again.obey("show")
        assert again.overlay.look.colours is DARK
        again.apply(again._source.write("history.days", "0"))
        assert not folders.drafts.exists()


@pytest.mark.parametrize(
    ("remedy", "page"),
    [(FixKind.DOWNLOAD_MODEL, "Model"), (FixKind.START_SERVICES, "Services")],
)
def test_a_remedy_opens_the_page_on_which_it_is_done(
    desktop: Desktop, qtbot: QtBot, remedy: str, page: str
) -> None:
    desktop.overlay.fix_requested.emit(remedy)
    assert desktop.windows.settings is not None
    assert desktop.windows.settings.side.list.currentItem().text() == page
    desktop.overlay.fix_requested.emit(FixKind.DIAGNOSE)
    assert desktop.windows.first_run is not None
    assert desktop.windows.first_run.isVisible()


def test_every_window_stays_on_top_as_the_overlay_does(desktop: Desktop) -> None:
    desktop.windows.show_settings()
    desktop.windows.welcome()
    for window in (desktop.overlay, *desktop.windows):
        assert window.windowFlags() & Qt.WindowType.WindowStaysOnTopHint


def test_a_changed_theme_counts_at_once_in_every_window(desktop: Desktop, qtbot: QtBot) -> None:
    desktop.windows.show_settings("Appearance")
    for name, colours in (("dark", DARK), ("light", LIGHT)):
        desktop.apply(desktop._source.write("window.theme", name))
        assert desktop.overlay.look.colours is colours


@pytest.mark.parametrize(
    ("name", "value", "number"),
    [
        ("limits.rounds", "2", 1),
        ("limits.run_timeout_s", "0", 1),
        ("window.theme", "dark", 0),
    ],
    ids=["another value", "a default that is set", "of the window alone"],
)
def test_the_parts_are_opened_anew_for_what_they_know_of(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch, name: str, value: str, number: int
) -> None:
    reopened: list[object] = []
    monkeypatch.setattr(desktop.bridge, "reopen", reopened.append)
    settings = desktop._source.write(name, value)
    desktop.apply(settings)
    desktop.apply(settings)
    assert len(reopened) == number


def test_history_and_export_answer_to_their_commands(desktop: Desktop, qtbot: QtBot) -> None:
    desktop.session.submit("/export")
    assert desktop.overlay.ask_bar.inline_message.isVisibleTo(desktop.overlay)
    desktop.session.submit("/history lamp")
    assert desktop.header.history is not None
    assert desktop.header.history.search.text() == "lamp"
    # No window of its own that a tiling desktop would give a place.
    assert desktop.header.history.windowType() is Qt.WindowType.Popup
    desktop.header.history.close()


def test_a_kept_conversation_is_shown_again_and_written_into_a_file(
    desktop: Desktop, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop.session.submit("/chat Hello?")
    qtbot.waitUntil(lambda: desktop.session.views[0].state is State.FAILED)
    # It is stored beside the window, which may be told of the end before.
    qtbot.waitUntil(lambda: desktop.session.conversation is not None)
    number = desktop.session.conversation
    assert number is not None
    shown = desktop.session.views
    desktop.session.begin_anew()
    desktop.conversations.open(number)
    qtbot.waitUntil(lambda: desktop.session.views == shown)
    file = tmp_path / "talk.json"
    choose_now(monkeypatch, file)
    desktop.conversations.export()
    qtbot.waitUntil(file.exists)
    assert "Hello?" in file.read_text()
    pages: list[str] = []
    monkeypatch.setattr(stored, "print_page", lambda page, _window: pages.append(page))
    desktop.conversations.print()
    qtbot.waitUntil(lambda: bool(pages))
    assert "Hello?" in pages[0]
    desktop.conversations.copy()
    qtbot.waitUntil(lambda: "Hello?" in QApplication.clipboard().text())
    desktop.conversations.rename(number, "Greeting")
    assert desktop.session.title == "Greeting"
    desktop.session.forget(number + 1)
    assert desktop.session.views == shown
    desktop.session.forget(0)
    assert desktop.session.views == []


def choose_now(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """Answer the next file dialog with a file."""
    monkeypatch.setattr(stored, "choose_file", lambda _parent, _name, then: then(str(file)))


def test_what_may_be_looked_at_is_a_setting(desktop: Desktop) -> None:
    assert desktop.overlay.offering.is_wanted
    desktop.apply(desktop._source.write("window.offer_quotes", "false"))
    assert not desktop.overlay.offering.is_wanted


def test_a_token_that_no_variable_can_hold_is_left_out(
    desktop: Desktop,
    environment: dict[str, str],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("XDG_ACTIVATION_TOKEN", raising=False)
    instance = Instance(environment, desktop)
    instance.asked.connect(desktop.obey)
    assert instance.claim()
    try:
        caller = {**environment, "XDG_ACTIVATION_TOKEN": "let\0me in"}
        ringing = Thread(target=ipc.ring, args=(caller, ipc.TOGGLE), kwargs={"limit_s": PATIENCE_S})
        ringing.start()
        qtbot.waitUntil(desktop.overlay.isVisible)
        qtbot.waitUntil(lambda: not ringing.is_alive())
        assert "XDG_ACTIVATION_TOKEN" not in os.environ
        assert not new_reports(find_folders(environment))
    finally:
        instance.release()


def test_only_web_pages_are_opened(desktop: Desktop, opened: list[str]) -> None:
    desktop.overlay.link_activated.emit("http://a.example/#:~:text=x")
    desktop.overlay.link_activated.emit("file:///etc/passwd")
    assert opened == ["http://a.example/#:~:text=x"]


def test_a_page_comes_to_the_front_and_the_window_steps_back(desktop: Desktop) -> None:
    desktop.obey("show")
    desktop.overlay.link_activated.emit("https://a.example/")
    assert not desktop.overlay.isVisible()
    desktop.obey("toggle")
    assert desktop.overlay.isVisible()


@pytest.mark.parametrize("other", ["show_settings", "welcome"])
def test_the_window_makes_way_for_any_other_one_and_comes_back_when_that_is_closed(
    desktop: Desktop, qtbot: QtBot, other: str
) -> None:
    overlay = desktop.overlay
    for _ in range(2):
        desktop.obey("show")
        overlay.ask_bar.field.set_text("half a question")
        window = shown(desktop, other)
        assert window.isVisible()
        assert not overlay.isVisible()
        window.close()
        qtbot.waitUntil(overlay.isVisible)
        assert not window.isVisible()
        assert overlay.ask_bar.field.text == "half a question"


def test_a_window_that_was_hidden_stays_so_when_another_one_is_closed(desktop: Desktop) -> None:
    desktop.obey("show")
    desktop.overlay.hide()
    shown(desktop, "show_settings").close()
    QApplication.processEvents()
    assert not desktop.overlay.isVisible()


def shown(desktop: Desktop, name: str) -> QWidget:
    """Show one of the other windows."""
    return getattr(desktop.windows, name)()


def test_no_window_comes_back_between_two_others(desktop: Desktop, qtbot: QtBot) -> None:
    desktop.obey("show")
    settings = desktop.windows.show_settings()
    first = desktop.windows.welcome()
    settings.close()
    QApplication.processEvents()
    assert not desktop.overlay.isVisible()
    QTest.keyClick(first, Qt.Key.Key_Escape)
    qtbot.waitUntil(desktop.overlay.isVisible)


def test_the_first_page_steps_back_for_a_download_and_comes_up_in_front_again(
    desktop: Desktop, opened: list[str]
) -> None:
    first = desktop.windows.welcome()
    way = FixAction(FixKind.DOWNLOAD_OLLAMA)
    first.rows["model"].pressed.emit(way)
    assert opened == [FixKind.DOWNLOAD_OLLAMA.value]
    assert not first.isVisible()
    assert not first.isMinimized()
    assert not desktop.overlay.isVisible()
    desktop.obey("toggle")
    desktop.overlay.fix_requested.emit(FixKind.DIAGNOSE)
    assert first.isVisible()
    assert first.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
    assert not desktop.overlay.isVisible()


def test_help_shows_keys_and_commands_which_typing_filters(desktop: Desktop) -> None:
    desktop.obey("show")
    desktop.session.submit("/help")
    card = desktop.header.keys
    assert card is not None
    assert card.isVisible()
    assert desktop.windows.settings is None
    rows = [row for column in (0, 1) for row in card._rows[column].shown]
    headings = ["Ask", "In this conversation", "Bring in", "Go"]
    assert [row.title for row in rows if not row.keys] == headings

    QTest.keyClicks(card.search, "rans")
    assert [row.spoken for row in card._rows[0].shown][-1].endswith("/translate")
    QTest.keyClicks(card.search, "qqq")
    assert card.state.text() == "Nothing matches"
    QTest.keyClick(card.search, Qt.Key.Key_Escape)
    QTest.keyClicks(card.search, "/refine")
    QTest.keyClick(card.search, Qt.Key.Key_Return)
    assert not card.isVisible()
    assert desktop.overlay.ask_bar.field.text == "/refine "


def test_every_window_has_the_icon_of_the_program(desktop: Desktop) -> None:
    desktop.windows.show_settings()
    for window in (desktop.overlay, *desktop.windows):
        picture = window.windowIcon().pixmap(48, 48).toImage()
        # Its ground, and not the tray's lines on nothing.
        assert picture.pixelColor(24, 8).name() == "#2c6b5e"


def test_no_backticks_are_read_where_no_code_is_drawn(desktop: Desktop) -> None:
    desktop.obey("show")
    desktop.overlay.complain("Use `x = 1` here.")
    assert desktop.overlay.ask_bar.inline_message.sentence == "Use “x = 1” here."


def test_the_address_of_a_page_that_no_browser_opens_is_copied(desktop: Desktop) -> None:
    desktop.obey("show")
    desktop.overlay.link_activated.emit("https://broken.example/")
    assert desktop.overlay.isVisible()
    assert desktop.overlay.ask_bar.inline_message.sentence
    assert QApplication.clipboard().text() == "https://broken.example/"


@pytest.mark.skipif(
    sys.platform != "linux", reason="only there does Qt open nothing unseen: run it on Linux"
)
def test_where_xdg_open_finds_no_browser_nothing_steps_back(
    qtbot: QtBot, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text("#!/bin/sh\n# xdg-utils\nexit 3\n", "utf-8")
    opener.chmod(0o755)
    bare = {"PATH": str(programs), "HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path)}
    for name, value in bare.items():
        monkeypatch.setenv(name, value)  # for Qt
    with running(environment | bare) as made:
        made.obey("show")
        made.overlay.link_activated.emit("https://a.example/")
        assert made.overlay.isVisible()
        assert made.overlay.ask_bar.inline_message.sentence
        assert QApplication.clipboard().text() == "https://a.example/"
        first = made.windows.welcome()
        model = first.rows["model"]
        qtbot.waitUntil(lambda: model.finding is not None)
        model.pressed.emit(FixAction(FixKind.DOWNLOAD_OLLAMA))
        assert first.isVisible()
        assert model.status_label.text() == made.overlay.ask_bar.inline_message.sentence
        assert QApplication.clipboard().text() == FixKind.DOWNLOAD_OLLAMA.value


def test_settings_that_are_wrong_are_told_and_the_defaults_count(
    qtbot: QtBot, environment: dict[str, str]
) -> None:
    with running(environment | {"ASKANCE_LIMITS__ROUNDS": "many"}) as made:
        assert made.overlay.ask_bar.inline_message.isVisibleTo(made.overlay)


def test_a_settings_file_that_is_no_toml_bars_everything_until_it_is_fixed(
    qtbot: QtBot, environment: dict[str, str], folders: Folders
) -> None:
    folders.drafts.parent.mkdir(parents=True)
    folders.drafts.write_text('{"drafts": []}', encoding="utf-8")
    folders.settings_file.parent.mkdir(parents=True, exist_ok=True)
    folders.settings_file.write_text("[history]\ndays = flase\n", encoding="utf-8")
    with running(environment) as made:
        complaint = made.overlay.ask_bar.inline_message
        assert "nothing leaves this computer" in complaint.sentence
        made.session.submit("/chat Good morning")
        qtbot.waitUntil(lambda: made.session.views[0].ended)
        assert "setting is not understood" in str(made.session.views[0].failure)
        assert folders.drafts.exists()
        assert not folders.history.exists()
        assert not folders.traces.exists()
        folders.settings_file.write_text("[voice]\nenabled = true\n", encoding="utf-8")
        made.obey("show")
        assert "voice.enabled" in complaint.sentence
        assert "nothing leaves" not in complaint.sentence
        complaint._accept()
        assert made.windows.settings is not None
        assert made.windows.settings.isVisible()


def test_without_a_screen_the_terminal_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    assert run({}) == 1
    assert "askance chat" in capsys.readouterr().err
