"""A whole desktop in a home of its own, among neighbours, and a person before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.adapters.reader import inprocess
from askance.config.folders import Folders, find_folders
from askance.ui.design.theme import load_fonts
from askance.ui.shell.desktop import Desktop
from servers.world import SameProcess
from ui.whole.neighbours import Neighbours, neighbours, welcomed
from ui.whole.person import Person

Arrive = Callable[..., Person]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of somebody who has been welcomed."""
    return welcomed(tmp_path / "home")


@pytest.fixture
def folders(home: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(home)})


@pytest.fixture
def around() -> Iterator[Neighbours]:
    with neighbours() as served:
        yield served


class PagesHere(SameProcess):
    """Takes the place of `WorkerPool`, whose children take a second each to start."""

    ready = True

    def __init__(self, count: int, memory_mb: int, **how: object) -> None:
        self.pids: list[int] = []

    async def __aenter__(self) -> PagesHere:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


@pytest.fixture
def pages_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take pages apart in this process."""
    monkeypatch.setattr(inprocess, "WorkerPool", PagesHere)


@pytest.fixture
def arrive(qtbot: QtBot, around: Neighbours, home: Path) -> Iterator[Arrive]:
    """Start the program with these settings on top, and sit down before it."""
    load_fonts()
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    with ExitStack() as leaving:

        def started(**settings: str) -> Person:
            environment = around.environment(home, **settings)
            desktop = Desktop(application, environment, find_folders(environment))
            leaving.callback(leave, desktop)
            person = Person(desktop, qtbot)
            person.summon()
            return person

        yield started


@pytest.fixture
def person(arrive: Arrive) -> Person:
    """Somebody who has just summoned the window."""
    return arrive()


def leave(desktop: Desktop) -> None:
    """Quit a desktop, and see its windows off."""
    desktop.quit()
    assert desktop.bridge.close(), "the engine's thread did not end"
    for window in (desktop.overlay, *desktop.windows):
        window.deleteLater()
    desktop.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
