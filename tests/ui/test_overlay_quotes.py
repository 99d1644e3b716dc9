"""What is selected, copied or dropped: offered, never taken by itself, and quoted when wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QClipboard, QImage, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from askance.domain.conversation import QuoteOrigin
from askance.domain.events import TokenArrived
from askance.ui.design.theme import DARK, Look
from askance.ui.overlay.conversation.exchange import State
from askance.ui.overlay.conversation.field import Chip
from ui.overlay_room import Gate, Key, Room, answered, centre
from ui.shelves import dragged, drop

TEXT = "Two thirds came from the Trust."
OFFER = f"Add selected text: “{TEXT}”"


@pytest.fixture
def offered(room: Room) -> Room:
    """A room in which something is offered."""
    room.clipboard.put(TEXT)
    room.summon()
    room.bot.waitUntil(lambda: room.offered == OFFER)
    return room


def summon(room: Room) -> str:
    """Summon the window, and return what it offers."""
    room.summon()
    room.until_looked()
    return room.offered


def quoted(room: Room) -> list[str]:
    return [chip.text for chip in room.bar.chips.chips]


# Offered


@pytest.mark.parametrize("key", [Key.Key_Tab, Key.Key_Return])
def test_a_key_takes_what_is_offered_and_the_next_one_asks(offered: Room, key: Qt.Key) -> None:
    offered.press(key)
    assert quoted(offered) == [TEXT]
    assert offered.offered == ""
    assert offered.field.hasFocus()
    offered.ask("Who?", answered("The Trust."))
    assert offered.engine.asked == [("run", f"Who? (about: {TEXT})")]


def test_a_click_takes_it_too(offered: Room) -> None:
    button = offered.bar.offer.button
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=centre(button))
    assert quoted(offered) == [TEXT]
    assert offered.field.hasFocus()


def test_typing_does_not_take_it_and_nothing_of_it_is_sent(offered: Room) -> None:
    offered.type("Who?")
    assert offered.offered == OFFER
    offered.ask("", answered("The Trust."))
    assert offered.engine.asked == [("run", "Who?")]
    assert offered.offered == ""
    assert quoted(offered) == []


@pytest.mark.parametrize("typed", ["/tldr", "/tl"])
def test_one_key_lets_a_command_work_on_what_is_offered(offered: Room, typed: str) -> None:
    offered.type(typed)
    offered.press(Key.Key_Return)
    offered.until(State.ANSWERED)
    assert offered.engine.asked == [("tldr", f"{TEXT}|")]
    assert offered.offered == ""
    assert offered.session.views[0].asked.origin is QuoteOrigin.SELECTED


def test_tab_completes_before_it_takes(offered: Room) -> None:
    offered.type("/tl")
    offered.press(Key.Key_Tab)
    assert (offered.field.text, quoted(offered)) == ("/tldr ", [])
    offered.press(Key.Key_Tab)
    assert (offered.field.text, quoted(offered)) == ("/tldr ", [TEXT])


def test_tab_belongs_to_an_input_method_that_composes(offered: Room) -> None:
    QApplication.sendEvent(offered.field, QInputMethodEvent("nani", []))
    offered.press(Key.Key_Tab)
    assert quoted(offered) == []
    QApplication.sendEvent(offered.field, QInputMethodEvent())
    offered.press(Key.Key_Tab)
    assert quoted(offered) == [TEXT]


def test_without_an_offer_tab_goes_on_to_the_next_control(room: Room) -> None:
    room.summon()
    room.press(Key.Key_Tab)
    assert not room.field.hasFocus()


def test_the_same_text_is_offered_each_time_that_the_window_comes_up_and_once(
    offered: Room,
) -> None:
    offered.leave()
    assert offered.offered == ""
    assert summon(offered) == OFFER
    offered.ask("Why?", answered("So."))
    offered.go_elsewhere()
    assert summon(offered) == ""
    offered.leave()
    assert summon(offered) == OFFER


def test_what_is_selected_while_the_window_stays_open_is_offered_when_one_comes_back(
    room: Room,
) -> None:
    assert summon(room) == ""
    room.go_elsewhere()
    room.clipboard.put(TEXT)
    assert summon(room) == OFFER


def test_where_selections_cannot_be_read_it_is_what_was_copied(room: Room) -> None:
    room.clipboard.has_selection = False
    room.clipboard.put(TEXT)
    assert summon(room).endswith(f": “{TEXT}”")
    assert set(room.clipboard.asked) == {QClipboard.Mode.Clipboard}
    room.press(Key.Key_Tab)
    assert room.bar.chips.chips == (Chip(QuoteOrigin.COPIED, TEXT),)


@pytest.mark.parametrize("has_selection", [True, False])
def test_what_is_our_own_is_not_offered(room: Room, has_selection: bool) -> None:
    room.clipboard.has_selection, room.clipboard.is_ours = has_selection, True
    room.clipboard.put(TEXT)
    assert summon(room) == ""
    assert room.clipboard.asked == []


@pytest.mark.parametrize(
    "mark",
    [
        "x-kde-passwordManagerHint",
        "org.nspasteboard.ConcealedType",
        'application/x-qt-windows-mime;value="ExcludeClipboardContentFromMonitorProcessing"',
    ],
)
def test_what_a_password_manager_put_there_is_not_offered(room: Room, mark: str) -> None:
    room.clipboard.put("hunter2", **{mark: b"secret"})
    assert summon(room) == ""


def test_nothing_is_looked_at_where_that_is_not_wanted(room: Room) -> None:
    room.overlay.offering.is_wanted = False
    room.clipboard.put(TEXT)
    assert summon(room) == ""
    assert room.clipboard.asked == []


def picture() -> QMimeData:
    data = QMimeData()
    data.setImageData(QImage(2, 2, QImage.Format.Format_RGB32))
    return data


def files() -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl("file:///data/a/notes.md")])
    return data


@pytest.mark.parametrize("data", [None, picture(), files()])
def test_what_is_no_text_is_not_offered(room: Room, data: QMimeData | None) -> None:
    room.clipboard.data = data
    assert summon(room) == ""


def test_what_is_quoted_already_is_not_offered(room: Room) -> None:
    room.bar.chips.add(Chip(QuoteOrigin.PASTED, TEXT))
    room.clipboard.put(TEXT)
    assert summon(room) == ""


def test_an_offer_does_not_stand_in_the_way_of_escape(offered: Room) -> None:
    offered.ask("Why?", TokenArrived("Half"), Gate())
    offered.press(Key.Key_Escape)
    offered.until(State.STOPPED)
    offered.press(Key.Key_Escape)
    assert not offered.overlay.isVisible()


def test_the_offer_gives_way_and_follows_another_look(offered: Room) -> None:
    button = offered.bar.offer.button
    assert button.accessibleDescription().startswith("Tab ")
    assert button.minimumSizeHint().width() < button.sizeHint().width()
    before = button.height()
    offered.overlay.set_look(Look(DARK, 1.5, moves=False))
    assert button.height() > before


# Dropped


def test_a_text_that_is_dropped_is_quoted(room: Room) -> None:
    room.summon()
    data = QMimeData()
    data.setText(TEXT)
    assert drop(room.bar, data)
    assert quoted(room) == [TEXT]
    assert room.field.text == ""


def test_what_can_be_neither_read_nor_added_is_not_taken(room: Room) -> None:
    room.summon()
    assert not drop(room.bar, dragged("ftp://a.example/notes.txt"))
    assert (quoted(room), room.field.text) == ([], "")


# Pasted


def as_urls(data: QMimeData, urls: str) -> None:
    data.setUrls([QUrl(url) for url in urls.splitlines()])


def as_gnome_copies(data: QMimeData, urls: str) -> None:
    data.setData("x-special/gnome-copied-files", f"copy\n{urls}".encode())
    data.setText("\n".join(QUrl(url).toLocalFile() for url in urls.splitlines()))


def as_old_gnome_copies(data: QMimeData, urls: str) -> None:
    data.setText(f"x-special/nautilus-clipboard\ncut\n{urls}\n")


def as_text(data: QMimeData, urls: str) -> None:
    data.setText(f" {urls}\r\n")


on_each_form = pytest.mark.parametrize(
    "form", [as_urls, as_gnome_copies, as_old_gnome_copies, as_text]
)


def paste(room: Room, data: QMimeData) -> None:
    QApplication.clipboard().setMimeData(data)
    QTest.keyClick(room.field, Key.Key_V, Qt.KeyboardModifier.ControlModifier)


def copied(form: Callable[[QMimeData, str], None], *paths: Path) -> QMimeData:
    data = QMimeData()
    form(data, "\n".join(QUrl.fromLocalFile(str(path)).toString() for path in paths))
    return data


@on_each_form
@pytest.mark.parametrize("name", ["folder", "picture.png", "missing.md", "private notes.md"])
def test_files_that_are_pasted_are_attached_and_no_path_is_pasted(
    room: Room, tmp_path: Path, form: Callable[[QMimeData, str], None], name: str
) -> None:
    room.summon()
    # Of an address with blanks it counts whether the file is there: a sentence may begin with one.
    (tmp_path / "private notes.md").write_text(TEXT)
    QTest.keyClicks(room.field, "who paid?")
    paste(room, copied(form, tmp_path / name, tmp_path / "other.txt"))
    files = room.session.files
    room.bot.waitUntil(lambda: len(files.attachments) == 2)
    assert [one.path for one in files.attachments] == [tmp_path / name, tmp_path / "other.txt"]
    assert (quoted(room), room.field.text) == ([], "who paid?")


@pytest.mark.parametrize("url", ["sftp://nas/erika/report.md", "smb://nas/report.md"])
def test_addresses_of_files_on_other_systems_are_not_pasted_either(room: Room, url: str) -> None:
    room.summon()
    data = QMimeData()
    as_urls(data, url)
    paste(room, data)
    assert room.bar.inline_message.sentence
    assert (quoted(room), room.field.text) == ([], "")


def test_a_text_goes_before_the_picture_of_it_as_with_cells_of_a_table(room: Room) -> None:
    room.summon()
    data = picture()
    data.setText("a\tb")
    paste(room, data)
    assert room.field.text == "a\tb"
    paste(room, picture())
    room.bot.waitUntil(lambda: len(room.session.files.attachments) == 1)
    assert room.field.text == "a\tb"


@pytest.mark.parametrize(
    "text",
    [
        "copy\nthis",
        "file: what is it?",
        "file:///etc/hosts is read by whom?",
        "What is in\nfile:///etc/hosts",
        "https://a.example/file:///x",
    ],
)
def test_other_texts_are_pasted_as_they_are(room: Room, text: str) -> None:
    room.summon()
    data = QMimeData()
    data.setText(text)
    paste(room, data)
    assert (room.field.text, room.bar.inline_message.sentence) == (text, "")


def test_the_address_of_a_page_is_pasted_as_text(room: Room) -> None:
    room.summon()
    data = QMimeData()
    as_urls(data, "https://a.example/tides")
    paste(room, data)
    assert room.field.text == "https://a.example/tides"
