"""The page of the library: what is in it and why not, adding with progress, exclusions, removing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from adapters.library.room import PoolHere
from askance.app.container import Container
from askance.config.settings import Settings
from askance.domain.library import FileRecord, FileState, Folder, LibraryStats
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
)
from askance.ui.design.theme import LIGHT, Look
from askance.ui.settings.library_page import MOST_SHOWN, LibraryControl, fitting, folder_row
from askance.ui.settings.settings_jobs import library_text
from askance.ui.settings.window import SettingsWindow
from ui.accessible import complaints
from ui.settings.room import Room
from ui.shelves import PAGE, dragged, drop, notes_in

ADDRESS = "https://a.example/mill"


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take files apart in this process, for a test that is not about another one."""
    monkeypatch.setattr("askance.adapters.reader.workers.WorkerPool", PoolHere)


@dataclass
class Opened:
    """The window at the page, and its control."""

    window: SettingsWindow
    control: LibraryControl
    bot: QtBot

    def until_read(self) -> None:
        self.bot.waitUntil(lambda: self.control.state.isVisible() and not self.control.is_working)
        self.until_shown()

    def until_shown(self) -> None:
        """Wait until all that was asked of the library has come in."""
        calls = self.control._calls
        self.bot.waitUntil(
            lambda: not any(calls.is_under_way(name) for name in ("list", "change", "read"))
        )

    @property
    def folders(self) -> list[str]:
        return [line.title for line in self.control.folders.lines]

    @property
    def files(self) -> dict[str, str]:
        return {line.title: line.state for line in self.control.shelf.files.lines}


@pytest.fixture
def page(place: Room, qtbot: QtBot) -> Iterator[Opened]:
    window = place.open_settings("Library")
    (control,) = window.findChildren(LibraryControl)
    opened = Opened(window, control, qtbot)
    opened.until_shown()
    yield opened
    opened.until_shown()


@pytest.fixture
def filled(notes: Path, page: Opened) -> Opened:
    return page


def documents(place: Room) -> int:
    with closing(Container(Settings(), place.surroundings.folders).library) as library:
        return library.stats().documents


def test_a_library_on_a_server_is_not_called_empty() -> None:
    # A Qdrant server does not say what room the documents take.
    assert library_text(LibraryStats(2, 5, 0, 90, bytes=0)) == "2 documents · 5 passages"
    assert library_text(LibraryStats(0, 0, 0, 0, bytes=40_960)) == "The library is empty."


def test_an_empty_library_says_so_and_has_nothing_to_remove(page: Opened) -> None:
    assert page.control.total.text() == "The library is empty."
    assert not page.control.clear.isEnabled()
    assert not page.control.shelf.isVisible()
    assert complaints(page.window) == []


def test_each_file_is_told_with_its_state_and_the_reason(filled: Opened, notes: Path) -> None:
    assert filled.folders == [str(notes), "Web pages and imports"]
    folder = filled.control.folders.lines[0]
    assert folder.below == "2 files found · 1 excluded · 1 failed"
    assert folder.state == "2 of 3 files indexed"
    assert filled.files == {
        "broken.pdf": "failed", "flow.py": "indexed", "mill.md": "indexed", "picture.png": "excluded",
    }  # fmt: skip
    failed = filled.control.shelf.files.lines[0]
    assert failed.is_bad
    assert failed.below
    assert filled.control.total.text().startswith("3 documents · ")
    assert complaints(filled.window) == []


def test_files_are_filtered_by_words_and_by_state(filled: Opened) -> None:
    shelf = filled.control.shelf
    QTest.keyClicks(shelf.filter, "MILL")
    filled.bot.waitUntil(lambda: list(filled.files) == ["mill.md"])
    assert shelf.counted.text() == "1 of 4 files"
    shelf.filter.setText("excluded")
    filled.bot.waitUntil(lambda: list(filled.files) == ["picture.png"])


def test_of_very_many_files_the_first_are_shown_and_what_failed_before_them(
    place: Room, page: Opened
) -> None:
    failed = FileRecord("/many/z.md", "/many", FileState.FAILED, Message("It is broken."))
    records = [FileRecord(f"/many/{n}.md", "/many", FileState.INDEXED) for n in range(MOST_SHOWN)]
    with closing(Container(Settings(), place.surroundings.folders).library) as library:
        library.book.store_folder(Folder("/many"))
        library.book.note([*records, failed])
    page.control.refresh()
    page.bot.waitUntil(lambda: len(page.files) == MOST_SHOWN)
    shelf = page.control.shelf
    assert shelf.files.lines[0].title == "z.md"
    assert shelf.counted.text().startswith("2,001 files")
    QTest.keyClicks(shelf.filter, "broken")
    page.bot.waitUntil(lambda: list(page.files) == ["z.md"])


def test_pages_have_a_shelf_of_their_own(filled: Opened) -> None:
    filled.control.folders.choose(1)
    (line,) = filled.control.shelf.files.lines
    assert (line.title, line.below) == (PAGE.title, "mills.example")
    assert not filled.control.shelf.again.isVisible()


def test_a_folder_is_added_with_progress(page: Opened, tmp_path: Path, place: Room) -> None:
    reports: list[Any] = []
    progress = page.control.line.set_fraction

    def note(fraction: float | None) -> None:
        reports.append(fraction)
        progress(fraction)

    page.control.line.set_fraction = note
    page.control.add([str(notes_in(tmp_path))])
    assert page.control.stop.isVisible()
    page.until_read()
    assert page.control.state.text().startswith(
        "2 documents are new or changed. 1 could not be read."
    )
    assert reports[0] == 0.0
    assert reports[-2:] == [1.0, None]
    assert documents(place) == 2
    assert not page.control.stop.isVisible()


@pytest.mark.usefixtures("in_process")
def test_what_is_added_meanwhile_waits_for_its_turn(
    page: Opened, tmp_path: Path, place: Room
) -> None:
    (one := tmp_path / "one.txt").write_text("The first text.", "utf-8")
    (two := tmp_path / "two.txt").write_text("The second text.", "utf-8")
    page.control.add([str(one)])
    page.control.add([str(two)])
    page.until_read()
    assert page.control.state.text() == "2 documents are new or changed."
    assert page.folders == [str(one), str(two)]


def test_reading_can_be_cancelled_and_goes_on_another_time(
    page: Opened, tmp_path: Path, place: Room
) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    for n in range(300):
        (slow / f"{n}.md").write_text(f"# {n}\n\nText number {n}.", "utf-8")
    page.control.add([str(slow)])
    page.bot.waitUntil(page.control.stop.isVisible)
    page.control.stop.setFocus()
    page.control.stop.click()
    assert page.control.state.text().startswith("Cancelled.")
    assert page.control.adding.folder.hasFocus()
    page.until_shown()
    page.control.add([str(slow)])
    page.until_read()
    assert documents(place) == 300


@pytest.mark.usefixtures("in_process")
def test_what_is_not_there_is_said(page: Opened, tmp_path: Path) -> None:
    page.control.add([str(tmp_path / "nowhere")])
    page.until_read()
    assert "nowhere" in page.control.state.text()
    assert page.folders == []


@pytest.mark.usefixtures("in_process")
def test_patterns_of_a_folder_take_files_out_when_they_are_entered(
    filled: Opened, place: Room
) -> None:
    patterns = filled.control.shelf.patterns
    patterns.setFocus()
    QTest.keyClicks(patterns, "*.py, /drafts")
    QTest.keyClick(patterns, Qt.Key.Key_Return)
    assert filled.control.is_working
    filled.until_read()
    assert filled.files["flow.py"] == "excluded"
    assert filled.control.shelf.files.lines[1].below == "*.py excludes it."
    assert patterns.text() == "*.py, /drafts"
    assert documents(place) == 2


@pytest.mark.usefixtures("in_process")
def test_exclusions_for_all_folders_are_a_setting(filled: Opened, place: Room) -> None:
    field = filled.window.field("library.exclude")
    field.take("*.py")
    assert "*.py" in place.written
    filled.control.shelf.again.click()
    filled.until_read()
    assert filled.files["flow.py"] == "excluded"


@pytest.mark.usefixtures("in_process")
def test_a_changed_file_is_found_when_its_folder_is_read_again(
    page: Opened, tmp_path: Path
) -> None:
    notes = notes_in(tmp_path)
    page.control.add([str(notes)])
    page.until_read()
    (notes / "mill.md").write_text("Another text altogether.", "utf-8")
    (notes / "flow.py").unlink()
    page.control.shelf.again.click()
    page.until_read()
    assert page.control.state.text().startswith("1 document is new or changed. 1 is gone.")
    assert "flow.py" not in page.files


def test_a_file_is_removed_and_a_folder_after_it(filled: Opened, place: Room, notes: Path) -> None:
    shelf = filled.control.shelf
    assert not shelf.remove_file.isEnabled()
    shelf.files.choose(2)
    shelf.remove_file.offer.click()
    assert shelf.remove_file.is_asking
    shelf.remove_file.yes.click()
    filled.bot.waitUntil(lambda: filled.files.get("mill.md") == "excluded")
    assert documents(place) == 2
    shelf.remove.offer.click()
    shelf.remove.yes.click()
    filled.bot.waitUntil(lambda: filled.folders == ["Web pages and imports"])
    assert documents(place) == 1
    assert (notes / "mill.md").exists()


def test_everything_is_removed_once_that_was_confirmed(filled: Opened, place: Room) -> None:
    filled.control.clear.offer.click()
    assert documents(place) == 3
    filled.control.clear.yes.click()
    filled.bot.waitUntil(lambda: filled.folders == [])
    assert documents(place) == 0
    assert filled.control.state.text().startswith("3 documents removed.")


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("agrees", [True, False])
def test_what_is_dropped_is_asked_about_first(
    page: Opened, tmp_path: Path, place: Room, agrees: bool
) -> None:
    (file := tmp_path / "wheel.txt").write_text("A wheel of oak.", "utf-8")
    under = page.window.page(3)
    assert not drop(under, dragged(tmp_path / "picture.png", "ftp://a.example/"))
    assert drop(under, dragged(file))
    adding = page.control.adding
    assert adding.question.text() == "Add “wheel.txt” to the library?"
    assert adding.yes.hasFocus()
    assert not page.control.is_working
    page.bot.waitUntil(lambda: complaints(page.window) == [])
    (adding.yes if agrees else adding.no).click()
    assert page.control.is_working == agrees
    assert not adding.question.isVisible()
    if agrees:
        page.until_read()
    assert documents(place) == agrees


@pytest.mark.usefixtures("in_process")
def test_folders_and_files_are_chosen(place: Room, qtbot: QtBot, tmp_path: Path) -> None:
    (file := tmp_path / "wheel.txt").write_text("A wheel of oak.", "utf-8")
    asked: list[bool] = []

    def choose(_parent: QWidget, folder: bool, then: Any) -> None:
        asked.append(folder)
        then((str(tmp_path),) if folder else (str(file),))

    control = LibraryControl(Look(LIGHT), place.surroundings, choose=choose)
    place.windows.append(control)
    control.adding.files.click()
    control.adding.folder.click()
    assert asked == [False, True]
    qtbot.waitUntil(lambda: not control.is_working and not control._calls.is_under_way("list"))
    assert len(control.folders.lines) == 2


class Pages:
    """A reader of pages, one of which is there."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def read(
        self, url: str, *, sent: Any, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        self.asked.append(url)
        if url == ADDRESS:
            return Page(url, PageStatus.OK, markdown="The mill ran until 1931.", title="Mill")
        return Page(url, PageStatus.FAILED, PageReason.NETWORK, Message("It does not answer."))


@pytest.fixture
def pages(place: Room) -> Pages:
    made = Pages()
    place.parts.reader = made  # type: ignore[attr-defined]
    place.parts.ledger = None
    return made


def test_a_page_is_added_by_its_address(page: Opened, place: Room, pages: Pages) -> None:
    field = page.control.adding.address
    field.setText("mills")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert page.control.state.text() == "An address begins with http:// or https://."
    assert pages.asked == []
    field.setText(ADDRESS)
    QTest.keyClick(field, Qt.Key.Key_Return)
    page.bot.waitUntil(lambda: page.folders == ["Web pages and imports"])
    assert documents(place) == 1
    assert field.text() == ""


def test_a_page_that_cannot_be_read_says_why(page: Opened, pages: Pages) -> None:
    page.control.add(["https://b.example/"])
    page.bot.waitUntil(lambda: "It does not answer." in page.control.state.text())
    assert page.folders == []


def test_a_damaged_library_says_so_and_the_window_goes_on(
    place: Room, page: Opened, tmp_path: Path
) -> None:
    file = place.surroundings.folders.library
    file.mkdir(parents=True)
    page.control.refresh()
    page.bot.waitUntil(lambda: str(file) in page.control.state.text())


ROOT = "/notes"


def record(name: str, state: FileState, why: str = "") -> FileRecord:
    return FileRecord(f"{ROOT}/{name}", ROOT, state, Message.verbatim(why) if why else NOTHING)


def test_what_failed_or_is_found_in_part_comes_first_and_says_so() -> None:
    row = folder_row(
        Folder(ROOT),
        (
            record("whole.pdf", FileState.INDEXED),
            record("scan.pdf", FileState.UNCHANGED, "Page 2 could not be read."),
            record("gone.pdf", FileState.FAILED, "The PDF file is damaged."),
        ),
    )
    assert [(file.name, file.shown_state, file.reason) for file in row.files] == [
        ("gone.pdf", "failed", "The PDF file is damaged."),
        ("scan.pdf", "in part", "Page 2 could not be read."),
        ("whole.pdf", "indexed", ""),
    ]
    assert row.summary == "2 files found · 1 of them in part · 1 failed"
    assert [file.name for file in fitting(row.files, "in part")] == ["scan.pdf"]
