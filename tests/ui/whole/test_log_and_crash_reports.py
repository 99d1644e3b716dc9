"""What a whole program leaves in its log, and what a crash leaves for the next start."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.config.diagnostics import reports
from askance.config.folders import Folders, find_folders
from askance.ui.shell.desktop import Desktop
from servers.world import PAGES, QUESTION, TITLES
from ui.whole.conftest import leave
from ui.whole.neighbours import Neighbours
from ui.whole.window_child import window
from waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="ends a process as POSIX does: run it on Linux or macOS"
)


def test_a_whole_search_leaves_neither_question_nor_page_nor_address(
    around: Neighbours, home: Path, folders: Folders
) -> None:
    with window(around.environment(home)) as child:
        child.type(f"/search {QUESTION}")
        child.until("0 answered")
        child.terminate()
    text = folders.log.read_text("ascii")
    assert '"message": "Run ended."' in text
    assert '"outcome": "web"' in text
    assert '"program": "window"' in text
    # Words that are anybody's may be those of the program, too.
    words = {word for text in (QUESTION, *TITLES.values()) for word in text.split()}
    private = {word.strip("?.,") for word in words if len(word) > 5} | set(PAGES)
    private |= {str(QUrl(url).host()) for url in PAGES}
    assert {word for word in private if word.lower() in text.lower()} == set()


def first_words(desktop: Desktop) -> str:
    return desktop.overlay.ask_bar.inline_message.sentence


@pytest.mark.parametrize("crash", ["!slot", "!fault"])
def test_the_start_after_a_crash_offers_the_report_once(
    around: Neighbours, home: Path, folders: Folders, crash: str, qtbot: QtBot
) -> None:
    environment = around.environment(home, ASKANCE_READER__MODE="container")
    with window(environment) as child:
        child.type(crash)
        if crash == "!fault":
            assert child.process.wait(PATIENCE_S) == -signal.SIGSEGV
        else:
            qtbot.waitUntil(lambda: bool(reports(folders)))
            child.terminate()
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    opened: list[str] = []

    def open_address(url: str) -> bool:
        opened.append(url)
        return len(opened) == 1

    def started() -> Desktop:
        return Desktop(
            application, environment, find_folders(environment), open_address=open_address
        )

    desktop = started()
    (report,) = reports(folders)
    assert first_words(desktop).startswith("Askance crashed. A report was saved")
    desktop.overlay.summon()
    complaint = desktop.overlay.ask_bar.inline_message
    assert complaint._button.text() == "Show report"
    complaint._button.click()
    assert opened == [QUrl.fromLocalFile(str(report)).toString()]
    complaint._button.click()  # nothing opens it any more
    assert str(report) in first_words(desktop)
    leave(desktop)
    text = report.read_text("utf-8")
    assert ("LookupError" if crash == "!slot" else "Segmentation fault") in text
    assert "Started. program=window" in text
    assert "!slot!slot" not in text
    again = started()
    assert not first_words(again)
    leave(again)
