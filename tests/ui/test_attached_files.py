"""Files in the window: chosen, dropped, pasted or typed, read beside it, asked, and taken out again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton

from adapters.library.room import PoolHere
from askance.app.attachments import Sight
from askance.config.choices import AskMode
from askance.domain.attached_files import LONGEST_SIDE, AttachmentState
from askance.domain.conversation import Picture
from askance.domain.events import TokenArrived
from askance.ui.overlay.attach_files import MOST_CHIPS
from askance.ui.overlay.bar.tool_row import SendState
from askance.ui.overlay.conversation.exchange import ExchangeAction
from askance.ui.overlay.conversation.exchange import State as ExchangeState
from askance.ui.overlay.conversation.field import MOST_CHARACTERS
from askance.ui.overlay.conversation.files import picture_of_file, picture_of_image
from session.test_attachments import locked, pages
from ui.overlay_room import Gate, Key, Room, answered
from ui.shelves import dragged, drop

State = AttachmentState
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def files(room: Room, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", PoolHere)
    room.summon()
    yield room
    room.session.begin_anew()


def attach(room: Room, *paths: Path) -> None:
    """Drop files on the window, and wait until they are read."""
    assert drop(room.overlay, dragged(*paths))
    room.bot.waitUntil(lambda: len(room.session.files.attachments) >= len(paths))
    room.bot.waitUntil(lambda: room.session.files.is_settled)
    room.bot.waitUntil(lambda: not room.session.files._soon.isActive())


def note(tmp_path: Path, name: str = "dues.md") -> Path:
    (path := tmp_path / name).write_text("A berth costs 412 crowns.", "utf-8")
    return path


def facts(room: Room) -> list[tuple[str, str]]:
    return [(chip.face.name, chip.face.fact) for chip in room.bar.chips.buttons]


def test_what_is_dropped_is_read_and_asked_in_the_place_of_the_chat(
    files: Room, tmp_path: Path
) -> None:
    files.bar.switch.set_mode(AskMode.WEB)
    attach(files, note(tmp_path))
    assert facts(files) == [("dues.md", "1 page")]
    switch = files.bar.switch
    assert (switch.mode, switch.segments[AskMode.CHAT].text()) == (AskMode.CHAT, "Files")
    files.type("What does a berth cost?")
    assert files.bar.tools.hint_line._hints[0].words == "asks these files"
    switch.set_mode(AskMode.WEB)
    files.press(Key.Key_End)
    files.type(" ")
    assert files.bar.tools.hint_line._hints[0].words == "asks these files and the web"


def test_a_question_is_asked_of_the_files_which_stay_for_the_next_one(
    files: Room, tmp_path: Path
) -> None:
    attach(files, note(tmp_path), tmp_path / "gone.pdf")
    assert facts(files)[1] == ("gone.pdf", "The file is gone.")
    files.answer("What does a berth cost?")
    assert files.engine.asked == [("run", "What does a berth cost?")]
    request = files.engine.requests[0]
    assert len(request.scope.documents) == 1
    # What could not be read goes with the question, and the rest is there for the next one.
    assert facts(files) == [("dues.md", "1 page")]
    files.answer("And in July?")
    assert files.engine.requests[1].scope == request.scope
    # The web beside them, this once.
    files.type("Is that dear?")
    files.press(Key.Key_Return, held=CTRL)
    files.bot.waitUntil(lambda: len(files.engine.requests) == 3)
    assert files.engine.requests[2].attached == request.scope.documents


def test_another_conversation_has_no_files_and_the_old_one_is_deleted(
    files: Room, tmp_path: Path
) -> None:
    attach(files, note(tmp_path))
    stored = files.app.folders.runtime / "attached"
    assert len(list(stored.iterdir())) == 1
    files.session.begin_anew()
    assert facts(files) == []
    assert not files.bar.switch.has_files
    files.bot.waitUntil(lambda: not list(stored.iterdir()))


def test_a_question_waits_until_its_files_are_read_and_escape_takes_it_back(
    files: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()

    class SlowPool(PoolHere):
        async def extract(self, data: bytes, url: str, content_type: str) -> Any:
            await gate.passed()
            return await super().extract(data, url, content_type)

    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", SlowPool)
    assert drop(files.overlay, dragged(note(tmp_path)))
    files.bot.waitUntil(lambda: facts(files) == [("dues.md", "Reading")])
    files.type("What does it cost?")
    files.press(Key.Key_Return)
    assert files.bar.send_button.state is SendState.WAIT
    assert files.bar.tools.hint_line._hints[0].words == "asked when ready"
    files.press(Key.Key_Escape)
    assert files.bar.send_button.state is SendState.ON
    assert files.overlay.isVisible()
    files.press(Key.Key_Return)
    files.bot.waitUntil(lambda: hasattr(gate, "_loop"))
    gate.open()
    files.bot.waitUntil(lambda: bool(files.engine.asked))
    assert files.engine.asked == [("run", "What does it cost?")]
    assert files.field.text == ""


def test_a_chip_is_taken_out_by_a_key_and_brought_back_by_another(
    files: Room, tmp_path: Path
) -> None:
    attach(files, note(tmp_path))
    QTest.keyClick(files.field, Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    (chip,) = files.bar.chips.buttons
    assert chip.hasFocus()
    QTest.keyClick(chip, Key.Key_Delete)
    assert facts(files) == []
    assert files.field.hasFocus()
    assert not files.bar.switch.has_files
    files.press(Key.Key_Z, held=CTRL)
    files.bot.waitUntil(lambda: facts(files) == [("dues.md", "1 page")])
    assert files.bar.switch.has_files


def test_an_edited_question_has_the_files_that_are_attached_or_says_that_none_is(
    files: Room, tmp_path: Path
) -> None:
    # As public reports of other programs have it: danny-avila/LibreChat#2345, #15274.
    attach(files, note(tmp_path), note(tmp_path, "fees.md"))
    exchange = files.answer("What does a berth cost?")
    exchange.requested.emit(ExchangeAction.EDIT, "")
    assert [name for name, _ in facts(files)] == ["dues.md", "fees.md"]
    files.bar.chips.remove_last()
    files.type(" In July?")
    files.press(Key.Key_Return)
    files.bot.waitUntil(lambda: len(files.engine.requests) == 2)
    files.until(ExchangeState.ANSWERED)
    both, one = (request.scope.documents for request in files.engine.requests)
    assert one == both[:1]
    assert not files.bar.inline_message.sentence
    files.bar.chips.remove_last()
    files.conversation.exchanges[-1].requested.emit(ExchangeAction.EDIT, "")
    assert files.bar.inline_message.sentence == "No file is attached any more."


def test_what_is_attached_while_an_answer_is_written_stays_for_the_next_question(
    files: Room, tmp_path: Path
) -> None:
    # As a public report of another program has it: danny-avila/LibreChat#7248.
    gate = Gate()
    files.ask("One?", TokenArrived("Half"), gate, answered("Half done."))
    attach(files, note(tmp_path))
    files.type("What does a berth cost?")
    gate.open()
    files.until(ExchangeState.ANSWERED)
    assert (facts(files), files.field.text) == ([("dues.md", "1 page")], "What does a berth cost?")


def test_a_file_is_asked_that_was_deleted_once_it_was_read(
    files: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As a public report of another program has it: CherryHQ/cherry-studio#11168.
    async def sight_of(_app: object, _model: str) -> Sight:
        return Sight("gemma3:4b", True, "gemma3:4b", True)

    monkeypatch.setattr("askance.app.attachments.sight_of", sight_of)
    assert photograph(40, 30).save(str(tmp_path / "harbour.png"))
    attach(files, tmp_path / "harbour.png", note(tmp_path))
    (tmp_path / "harbour.png").unlink()
    (tmp_path / "dues.md").unlink()
    files.answer("What does a berth cost?")
    (request,) = files.engine.requests
    assert [picture.name for picture in request.pictures] == ["harbour.png"]
    assert len(request.scope.documents) == 1


def test_a_field_that_is_full_takes_what_is_typed_and_a_paste_is_not_cut(files: Room) -> None:
    # As a public report of another program has it: CherryHQ/cherry-studio#18686.
    files.field.set_text("x" * MOST_CHARACTERS)
    files.press(Key.Key_End)
    files.type("typed")
    QApplication.clipboard().setText(" and pasted")
    files.press(Key.Key_V, held=CTRL)
    assert files.field.text.endswith("xtyped and pasted")
    assert len(files.field.text) == MOST_CHARACTERS + 16


@pytest.mark.parametrize(
    "name", ["test%20file.txt", "a#b.md", "sample (1).md", "what?.md", "[1] x.md", "%41.md"]
)
def test_any_name_of_a_file_can_be_dropped(files: Room, tmp_path: Path, name: str) -> None:
    # As public reports of other programs have it: epam/ai-dial-chat#8696, deltachat/deltachat-android#1939.
    attach(files, note(tmp_path, name))
    assert facts(files) == [(name, "1 page")]
    files.answer("What does a berth cost?")
    assert len(files.engine.requests[0].scope.documents) == 1


def test_a_folder_is_attached_with_what_can_be_read_in_it(files: Room, tmp_path: Path) -> None:
    # As public reports of other programs have it: Agent-Field/CodeAF#1380, mattermost/mattermost#10064.
    (folder := tmp_path / "Fees").mkdir()
    for number in range(3):
        note(folder, f"{number}.md")
    (folder / "old.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    (tmp_path / "Empty").mkdir()
    attach(files, folder, tmp_path / "Empty")
    assert facts(files) == [("Fees", "4 files, 1 could not be read"), ("Empty", "Empty.")]
    files.answer("What does a berth cost?")
    assert len(files.engine.requests[0].scope.documents) == 3


def test_typing_is_undone_before_a_file_that_was_taken_out_earlier(
    files: Room, tmp_path: Path
) -> None:
    attach(files, note(tmp_path))
    files.bar.chips.remove_last()
    files.type("words")
    files.press(Key.Key_Z, held=CTRL)
    assert files.field.text == ""
    assert facts(files) == []


def test_a_path_that_is_typed_is_asked_about_once(files: Room, tmp_path: Path) -> None:
    path = note(tmp_path)
    files.bar.switch.set_mode(AskMode.WEB)
    files.type(f"What is in {path} ?")
    files.press(Key.Key_Return)
    message = files.bar.inline_message
    files.bot.waitUntil(lambda: message.sentence == "This is a file on this computer.")
    assert not files.engine.asked
    attach_it, words = (b for b in message.findChildren(QPushButton) if b.isVisible())
    assert (attach_it.text(), words.text()) == ("Attach it", "Search for the words")
    attach_it.click()
    files.bot.waitUntil(lambda: facts(files) == [("dues.md", "1 page")])
    assert files.field.text == "What is in  ?"
    assert not files.engine.asked


def test_a_path_may_be_meant_as_words_and_one_that_is_not_there_is_searched(
    files: Room, tmp_path: Path
) -> None:
    files.bar.switch.set_mode(AskMode.WEB)
    files.type(f"{note(tmp_path)}")
    files.press(Key.Key_Return)
    message = files.bar.inline_message
    files.bot.waitUntil(lambda: bool(message.sentence))
    _, words = (b for b in message.findChildren(QPushButton) if b.isVisible())
    words.click()
    files.bot.waitUntil(lambda: len(files.engine.asked) == 1)
    files.ask("what is /etc/no-such-file-here for?")
    assert len(files.engine.asked) == 2
    assert facts(files) == []


def test_a_long_paste_is_attached_and_a_shorter_one_is_quoted(files: Room) -> None:
    data = QMimeData()
    data.setText("A line of fifty kilobytes.\n" * 2_000)
    QApplication.clipboard().setMimeData(data)
    files.press(Key.Key_V, held=CTRL)
    files.bot.waitUntil(lambda: files.session.files.is_settled and bool(facts(files)))
    assert facts(files) == [("Pasted text.txt", "22 pages")]
    data = QMimeData()
    data.setText("A few lines. " * 60)
    QApplication.clipboard().setMimeData(data)
    files.press(Key.Key_V, held=CTRL)
    assert [face[0] for face in facts(files)] == ["Pasted text.txt", "Pasted text"]


def test_a_copied_text_can_stand_in_the_field_and_one_too_long_for_it_is_attached(
    files: Room,
) -> None:
    # As public reports of chat programs have it: CherryHQ/cherry-studio#10663, nimbalyst/nimbalyst#189.
    both = CTRL | Qt.KeyboardModifier.ShiftModifier
    lines = "\n".join(f"Line {n} of a letter that is to be answered." for n in range(60))
    QApplication.clipboard().setText(lines)
    files.press(Key.Key_V, held=both)
    assert files.field.text == lines
    assert facts(files) == []
    assert files.bar.draft.quotes == ()
    assert files.field.pasted_stretches == (lines,)
    files.field.set_text("")
    QApplication.clipboard().setText(lines * 10)
    files.press(Key.Key_V, held=both)
    files.bot.waitUntil(lambda: files.session.files.is_settled and bool(facts(files)))
    assert [face[0] for face in facts(files)] == ["Pasted text.txt"]
    assert files.field.text == ""


def test_a_locked_file_is_left_out_and_what_was_typed_is_asked_all_the_same(
    files: Room, tmp_path: Path
) -> None:
    (path := tmp_path / "salaries.pdf").write_bytes(locked(pages("A berth costs 412 crowns.")))
    attach(files, path, note(tmp_path))
    assert facts(files) == [("salaries.pdf", "Needs a password."), ("dues.md", "1 page")]
    files.answer("What does it cost?")
    assert facts(files) == [("dues.md", "1 page")]


def test_a_question_whose_files_cannot_be_read_goes_nowhere_before_that_is_allowed(
    files: Room, tmp_path: Path
) -> None:
    # As a public report of another program has it: vm0-ai/vm0#14349.
    (path := tmp_path / "salaries.pdf").write_bytes(locked(pages("A berth costs 412 crowns.")))
    attach(files, path)
    files.type("What does Erika earn?")
    files.press(Key.Key_Return)
    message = files.bar.inline_message
    assert message.sentence == "What is attached cannot be read."
    assert (files.engine.asked, files.field.text) == ([], "What does Erika earn?")
    assert facts(files) == [("salaries.pdf", "Needs a password.")]
    (step,) = (b for b in message.findChildren(QPushButton) if b.isVisible())
    assert step.text() == "Ask without it"
    step.click()
    files.bot.waitUntil(lambda: len(files.engine.asked) == 1)
    assert files.engine.asked == [("run", "What does Erika earn?")]
    files.until(ExchangeState.ANSWERED)
    # It is allowed for this question, and for no other one.
    attach(files, path)
    files.type("And Anna?")
    files.press(Key.Key_Return)
    assert message.sentence == "What is attached cannot be read."
    files.bar.chips.remove_last()
    files.press(Key.Key_Return)
    files.bot.waitUntil(lambda: len(files.engine.asked) == 2)


def photograph(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("#6F8F95"))
    return image


def test_a_pasted_picture_is_shown_with_its_size_and_the_ways_where_the_model_does_not_see(
    files: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def sight_of(_app: object, model: str) -> Sight:
        return Sight(model or "gemma3:1b", model == "gemma3:4b", "gemma3:4b", True)

    monkeypatch.setattr("askance.app.attachments.sight_of", sight_of)
    data = QMimeData()
    data.setImageData(photograph(1_920, 1_080))
    QApplication.clipboard().setMimeData(data)
    files.press(Key.Key_V, held=CTRL)
    no_sight = "gemma3:1b cannot see pictures."
    files.bot.waitUntil(lambda: [fact for _, fact in facts(files)] == [no_sight])
    assert facts(files)[0][0] == "Pasted picture, 1,920 \u00d7 1,080"
    (chip,) = files.bar.chips.buttons
    assert chip.face.thumbnail is not None
    files.type("What is wrong?")
    assert files.bar.tools.hint_line._hints[0].words == "uses gemma3:4b"
    use, read = (b for b in files.bar.chips.findChildren(QPushButton) if b.isVisible())
    assert (use.text(), read.text()) == ("Use gemma3:4b", "Read only its text")
    use.click()
    files.bot.waitUntil(lambda: [fact for _, fact in facts(files)] == ["1,920 \u00d7 1,080"])
    assert files.session.model == "gemma3:4b"
    assert not [b for b in files.bar.chips.findChildren(QPushButton) if b.isVisible()]


def test_a_large_picture_is_made_smaller_beside_the_window(
    files: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def small(image: QImage, name: str) -> Picture:
        threads.append(threading.current_thread())
        return picture_of_image(image, name)

    monkeypatch.setattr("askance.ui.overlay.conversation.files.picture_of_image", small)
    data = QMimeData()
    data.setImageData(photograph(4_000, 3_000))
    QApplication.clipboard().setMimeData(data)
    files.press(Key.Key_V, held=CTRL)
    files.bot.waitUntil(lambda: facts(files) == [("Pasted picture", "4,000 \u00d7 3,000")])
    assert threads
    assert threading.main_thread() not in threads


def test_a_picture_of_twelve_megapixels_is_made_smaller_and_keeps_its_size_in_words() -> None:
    large = photograph(4_000, 3_000)
    shown = picture_of_image(large, "harbour")
    assert (shown.width, shown.height) == (4_000, 3_000)
    small = QImage.fromData(shown.data)
    assert (small.width(), small.height()) == (LONGEST_SIDE, LONGEST_SIDE * 3 // 4)
    again = picture_of_file(shown.data, "harbour.png")
    assert again is not None
    assert (again.width, again.height) == (LONGEST_SIDE, LONGEST_SIDE * 3 // 4)
    assert picture_of_file(b"no picture", "harbour.png") is None


def test_what_is_held_over_the_window_says_what_a_drop_does(files: Room) -> None:
    panel = files.overlay.files._panel
    three = dragged(Path("/a"), Path("/b"), Path("/c"))
    files.overlay.files._note_held(three, False)
    assert panel.isVisible()
    assert panel.words == "Drop to ask about 3 files"
    files.overlay.files._note_held(three, True)
    assert panel.words == "Keep in the library"
    files.overlay.files._note_held(None, False)
    assert not panel.isVisible()
    text = QMimeData()
    text.setText("words")
    files.overlay.files._note_held(text, False)
    assert not panel.isVisible()


async def can_take(_environment: object) -> bool:
    return True


def test_the_menu_offers_all_ways_with_their_keys(
    files: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.system.screenshot.can_take", can_take)
    files.bar.tools.attach_button.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    rows = {action.text(): action for action in menu.actions()}
    files.bot.waitUntil(rows["Screenshot of an area"].isVisible)
    assert {text: row.shortcut().toString() for text, row in rows.items()} == {
        "Files…": "Ctrl+U",
        "Folder…": "",
        "Screenshot of an area": "Ctrl+Shift+S",
        "From the clipboard": "Ctrl+V",
        "From the library…": "Ctrl+L",
    }
    menu.close()


def test_a_screenshot_hides_the_window_and_comes_back_with_the_picture(
    files: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert photograph(40, 30).save(str(tmp_path / "shot.png"))
    shown = list[bool]()

    async def take(_environment: object) -> Path:
        shown.append(files.overlay.isVisible())
        return tmp_path / "shot.png"

    monkeypatch.setattr("askance.system.screenshot.take", take)
    monkeypatch.setattr("askance.system.screenshot.can_take", can_take)
    files.press(Key.Key_S, held=CTRL | Qt.KeyboardModifier.ShiftModifier)
    files.bot.waitUntil(lambda: facts(files) == [("shot.png", "40 \u00d7 30")])
    assert shown == [False]
    assert files.overlay.isVisible()


def test_a_screenshot_that_the_desktop_does_not_take_is_said_and_the_window_is_there(
    files: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def take(_environment: object) -> Path:
        raise OSError

    hidden = QSignalSpy(files.overlay.hidden)
    for can, said in ((False, "takes no"), (True, "took no")):

        async def can_take(_environment: object, can: bool = can) -> bool:
            return can

        monkeypatch.setattr("askance.system.screenshot.take", take)
        monkeypatch.setattr("askance.system.screenshot.can_take", can_take)
        files.press(Key.Key_S, held=CTRL | Qt.KeyboardModifier.ShiftModifier)
        words = f"This desktop {said} picture of an area."
        files.bot.waitUntil(lambda words=words: words in files.bar.inline_message.sentence)
        assert files.overlay.isVisible()
        assert hidden.count() == int(can)


def test_more_files_than_have_room_as_chips_are_offered_to_the_library(
    files: Room, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{n}.txt" for n in range(MOST_CHIPS + 1)]
    assert drop(files.overlay, dragged(*paths))
    assert not files.session.files.attachments
    added = QSignalSpy(files.bar.add_requested)
    (keep,) = (b for b in files.bar.inline_message.findChildren(QPushButton) if b.isVisible())
    keep.click()
    assert added.at(0)[0] == tuple(map(str, paths))
    # The same file twice is one.
    attach(files, note(tmp_path))
    assert drop(files.overlay, dragged(*[note(tmp_path)] * (MOST_CHIPS + 1)))
    assert len(files.session.files.attachments) == 1


def test_a_scan_and_a_large_folder_ask_and_the_tick_answers(files: Room, tmp_path: Path) -> None:
    many = tmp_path / "Archive"
    many.mkdir()
    for number in range(2_000):
        (many / f"{number}.txt").write_text("x")
    attach(files, many)
    assert facts(files) == [("Archive", "2,000 files. Keep them in the library?")]
    added = QSignalSpy(files.bar.add_requested)
    (chip,) = files.bar.chips.buttons
    end = QPoint(chip.width() - 16, chip.height() // 2)
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton, pos=end)
    assert added.at(0)[0] == (str(many),)
    assert facts(files) == []
