"""What holds for every test of the window, and the windows that many of them begin with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.adapters.storage.history import SqliteHistory
from askance.config.folders import Folders, find_folders
from askance.ui.design.theme import apply_look, load_fonts
from servers.faults import address_of_nobody
from ui import overlay_room
from ui.keyboard import LOOK, Desk
from ui.settings import room as surroundings
from ui.shelves import lend, stocked


@pytest.fixture(autouse=True)
def empty_clipboard() -> None:
    """Nothing was copied yet: Qt's platform without a screen takes for another program's whatever
    a test before this one has copied."""
    if QGuiApplication.instance() is not None:
        QGuiApplication.clipboard().clear()


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home of its own, and services that are surely not there."""
    nobody = address_of_nobody()
    return {
        "ASKANCE_HOME": str(tmp_path / "home"),
        "HOME": str(tmp_path),
        "ASKANCE_LLM__URL": nobody,
        "ASKANCE_SEARCH__URL": nobody,
        "ASKANCE_WINDOW__HOTKEY": "",
    }


@pytest.fixture
def folders(environment: dict[str, str]) -> Folders:
    return find_folders(environment)


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return stocked(tmp_path_factory.mktemp("stock"))


@pytest.fixture
def notes(stock: tuple[Path, Path], folders: Folders) -> Path:
    """A folder of notes that the library has read."""
    notes, library = stock
    lend(library, folders)
    return notes


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    return Desk(qtbot)


@pytest.fixture
def furnish(qtbot: QtBot, tmp_path: Path) -> Iterator[overlay_room.Furnish]:
    with overlay_room.rooms(qtbot, tmp_path) as given:
        yield given


@pytest.fixture
def room(furnish: overlay_room.Furnish) -> overlay_room.Room:
    return furnish()


@pytest.fixture
def summoned(room: overlay_room.Room) -> None:
    room.summon()


@pytest.fixture
def place(tmp_path: Path, qapp: QApplication) -> Iterator[surroundings.Room]:
    """What the settings, the history and the first page are about."""
    load_fonts()
    apply_look(qapp, LOOK)
    (home := tmp_path / "home").mkdir(exist_ok=True)
    with (
        surroundings.room(home) as made,
        closing(SqliteHistory(tmp_path / "h.sqlite3", print)) as history,
    ):
        made.parts.history = history
        yield made
