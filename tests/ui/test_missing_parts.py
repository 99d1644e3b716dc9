"""The row that says what is missing: one part at a time, without commands, and gone once it is there."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from askance.adapters.storage.page_cache import PageCache
from askance.config.folders import Folders
from askance.domain.messages import Message
from askance.domain.web_pages import Page, PageStatus
from askance.presentation import missing_parts
from askance.ui.design.composing import activate_layouts
from askance.ui.design.focus import install_roles
from askance.ui.design.labels import StyledLabel
from askance.ui.design.theme import LIGHT, Look, load_fonts
from askance.ui.overlay.bar.missing import MissingPartRow
from askance.ui.overlay.overlay import Overlay
from ui.accessible import Role, interface
from ui.overlay_room import running

COMMAND = re.compile(r"askance [a-z]|ollama [a-z]|http")


def test_a_part_is_said_with_one_button_and_its_address_only_in_the_details(qtbot: QtBot) -> None:
    install_roles()
    row = MissingPartRow(Look(LIGHT, moves=False))
    qtbot.addWidget(row)
    row.show_part(
        replace(
            missing_parts.OLLAMA_OFF, details=Message("Nothing answers at http://127.0.0.1:11434.")
        )
    )
    assert row.texts == (
        "Ollama is not running", "Your question is asked when it is.", "Start Ollama",
    )  # fmt: skip
    assert interface(row).role() is Role.AlertMessage
    assert not COMMAND.search(" ".join(row.texts))
    assert row.details.isHidden()
    row.resize(600, 400)
    # The layout hears of the width of the sentence in the next turn of the event loop.
    qtbot.waitUntil(lambda: row.content_height < 100)
    high = row.content_height
    row.more.click()
    assert "11434" in row.details.text()
    assert (row.more.text(), row.details.isHidden()) == ("Hide details", False)
    qtbot.waitUntil(lambda: row.content_height > high)
    assert "Ollama is not running" in row.button.accessibleDescription()
    pressed = list[object]()
    row.pressed.connect(pressed.append)
    row.press()
    assert pressed == [row.part]
    row.show_part(None)
    assert row.isHidden()
    row.press()
    assert len(pressed) == 1


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_no_word_lies_on_another_at_any_width(qtbot: QtBot, scale: float) -> None:
    load_fonts()
    row = MissingPartRow(Look(LIGHT, scale, moves=False))
    qtbot.addWidget(row)
    row.show_part(replace(missing_parts.NO_MODEL, details=Message("Nothing answers.")))
    sentence, button = row.findChildren(StyledLabel)[1], row.button
    assert sentence.text() == row.texts[1]
    for width in range(480, 1080, 40):
        row.resize(width, row.height())
        activate_layouts(row)
        assert sentence.geometry().right() < row.more.x(), width
        assert row.more.geometry().right() < button.x(), width


def test_what_blocks_first_stands_below_the_bar_and_the_next_comes_when_it_is_there(
    environment: dict[str, str], folders: Folders, qtbot: QtBot
) -> None:
    with running(environment) as desktop:
        walk_through(desktop.overlay, folders, qtbot)


def walk_through(overlay: Overlay, folders: Folders, qtbot: QtBot) -> None:
    overlay.summon()
    qtbot.waitUntil(overlay.missing.isVisible)
    assert overlay.missing.texts == (
        "Web search is not set up",
        "It can ask five public engines from this computer.",
        "Use built-in search",
    )
    assert overlay.ask_bar.field.hasFocus()
    QTest.keyClick(overlay.ask_bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: overlay.missing.texts[0] != "Web search is not set up")
    assert "given" in folders.settings_file.read_text("utf-8")
    assert overlay.missing.part is not None
    assert overlay.missing.part.icon == "chip"
    assert not COMMAND.search(" ".join(overlay.missing.texts))


def test_a_full_disk_is_said_and_saved_pages_are_cleared(
    environment: dict[str, str], folders: Folders, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pages() -> int:
        with closing(PageCache(folders.page_cache, 9, pytest.fail)) as cache:
            return cache.contents().pages

    url = "https://example.org/"
    with closing(PageCache(folders.page_cache, 9, pytest.fail)) as cache:
        cache.store(Page(url, PageStatus.OK, final_url=url, markdown="words", words=1))
    monkeypatch.setattr("askance.app.checks.first_steps.is_full", lambda _: pages() > 0)
    monkeypatch.setattr("askance.presentation.missing_parts._WORTH_CLEARING", 1)
    with running(environment) as desktop:
        row = desktop.overlay.missing
        desktop.overlay.summon()
        qtbot.waitUntil(lambda: row.texts[0] == "The disk is full")
        assert row.texts[1].endswith("GB are in saved pages.")
        assert row.texts[2] == "Clear saved pages"
        row.button.click()
        qtbot.waitUntil(lambda: row.texts[0] != "The disk is full")
        assert pages() == 0


def test_a_file_that_cannot_be_read_can_be_left_out(
    environment: dict[str, str], tmp_path: Path, qtbot: QtBot
) -> None:
    packed = tmp_path / "backup.tar.gz"
    packed.write_bytes(b"\x1f\x8b" + bytes(60))
    with running(environment | {"ASKANCE_SEARCH__IN_PROCESS": "given"}) as desktop:
        row, files = desktop.overlay.missing, desktop.session.files
        desktop.overlay.summon()
        files.add_paths((packed,))
        qtbot.waitUntil(lambda: any(one.is_failed for one in files.attachments))
        desktop.missing_parts._take(())
        assert row.texts == (
            "backup.tar.gz cannot be read",
            "Archives are not opened. Unpack it and drop the files.",
            "Ask without it",
        )
        desktop.overlay.ask_bar.field.set_text("What do owls eat?")
        QTest.keyClick(desktop.overlay, Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
        assert files.attachments == ()
        assert [view.asked.text for view in desktop.session.views] == ["What do owls eat?"]
        assert not COMMAND.search(" ".join(row.texts))
