"""The model switch: rows to choose from by keys and pointer, and what does not fit."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from askance.app.model_choices import ModelChoice
from askance.domain.errors import ServiceDown
from askance.domain.messages import Message
from askance.ui.design.focus import LinkButton
from askance.ui.design.theme import LIGHT, Look, load_fonts
from askance.ui.overlay.bar.model_switch import ModelSwitch, SwitchRow

Key = Qt.Key
CHOICES = (
    ModelChoice("wren:4b", 3_300_000_000, True, 21, Message("good for research"), True),
    ModelChoice("wren:8b", 5_200_000_000, words_a_second=9),
    ModelChoice("owl:24b", 15_000_000_000, free_bytes=11_000_000_000),
)


@pytest.fixture
def switch(qtbot: QtBot) -> ModelSwitch:
    load_fonts()
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(720, 400)
    button = QWidget(window)
    window.show()
    made = ModelSwitch(Look(LIGHT, moves=False), window)
    made.set_choices(CHOICES, "wren:4b")
    made.open_below(button)
    made.list.setFocus()
    return made


def rows(switch: ModelSwitch) -> list[str]:
    model = switch.list.model()
    role = Qt.ItemDataRole.AccessibleTextRole
    return [model.index(n, 0).data(role) for n in range(model.rowCount())]


def test_each_row_says_what_is_known_of_its_model(switch: ModelSwitch) -> None:
    assert rows(switch) == [
        "wren:4b, chosen, 3.3 GB · in memory · about 21 words a second here, good for research",
        "wren:8b, 5.2 GB · about 9 words a second here · not evaluated yet",
        "owl:24b, 15 GB: more than the 11 GB that are free",
        "Download a model…, D",
    ]
    assert switch.list.row == 0


@pytest.mark.parametrize("keys", [(Key.Key_Down, Key.Key_Return), (Key.Key_2,)])
def test_the_arrows_and_enter_or_a_number_choose(
    switch: ModelSwitch, keys: tuple[Qt.Key, ...]
) -> None:
    chosen = QSignalSpy(switch.chosen)
    for key in keys:
        QTest.keyClick(switch.list, key)
    assert [chosen.at(n) for n in range(chosen.count())] == [["wren:8b"]]
    assert not switch.isVisible()


def test_the_list_keeps_the_keyboard_where_a_row_has_a_button(switch: ModelSwitch) -> None:
    for row in (1, 2, 1):
        switch.list.choose(row)
        assert switch.focusWidget() is switch.list


def test_one_that_does_not_fit_is_not_chosen(switch: ModelSwitch) -> None:
    chosen = QSignalSpy(switch.chosen)
    QTest.keyClick(switch.list, Key.Key_3)
    assert chosen.count() == 0
    assert switch.isVisible()


def test_downloads_stand_below_and_another_one_is_a_letter_away(switch: ModelSwitch) -> None:
    paused: list[str] = []
    switch.set_downloads(
        [
            SwitchRow(
                "Qwen3 4B",
                "1.1 of 2.5 GB",
                "Pause",
                glyph="download",
                press=lambda: paused.append("it"),
            )
        ]
    )
    assert rows(switch)[3] == "Qwen3 4B, 1.1 of 2.5 GB, Pause"
    wanted = QSignalSpy(switch.download_wanted)
    QTest.keyClick(switch.list, Key.Key_D)
    assert (wanted.count(), paused) == (1, [])


@pytest.mark.parametrize("by", ["mouse", "letter", "tab"])
def test_a_model_that_nobody_knows_is_evaluated_by_its_button(switch: ModelSwitch, by: str) -> None:
    wanted = QSignalSpy(switch.evaluation_wanted)
    (button,) = switch.list.findChildren(LinkButton)
    assert button.accessibleName() == "wren:8b: Evaluate"
    row = switch.list.visualRect(switch.list.model().index(1, 0))
    assert row.contains(button.geometry())
    assert button.geometry().right() > row.right() - 30
    match by:
        case "mouse":
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        case "letter":
            QTest.keyClick(switch.list, Key.Key_E)  # the chosen row is known
            QTest.keyClick(switch.list, Key.Key_Down)
            QTest.keyClick(switch.list, Key.Key_E)
        case _:
            switch.focusNextPrevChild(True)
            assert switch.focusWidget() is button
            QTest.keyClick(button, Key.Key_Space)
    assert [wanted.at(n) for n in range(wanted.count())] == [["wren:8b"]]
    assert switch.isVisible()
    # What is evaluated stands below, and takes no button away.
    switch.set_downloads([SwitchRow("wren:8b", "Evaluating: 3 of 24", "Stop", glyph="chip")])
    assert rows(switch)[3] == "wren:8b, Evaluating: 3 of 24, Stop"
    kept = switch.list.findChildren(LinkButton)
    switch.set_downloads([SwitchRow("wren:8b", "Evaluating: 4 of 24", "Stop", glyph="chip")])
    assert switch.list.findChildren(LinkButton) == kept
    assert rows(switch)[3] == "wren:8b, Evaluating: 4 of 24, Stop"


def test_a_right_click_offers_to_use_one_everywhere(switch: ModelSwitch) -> None:
    chosen = QSignalSpy(switch.chosen_for_all)
    at = switch.list.visualRect(switch.list.model().index(1, 0)).center()
    switch.list.customContextMenuRequested.emit(at)
    (menu,) = [m for m in switch.findChildren(QMenu) if m.isVisible()]
    menu.actions()[0].trigger()
    menu.close()
    assert chosen.at(0) == ["wren:8b"]


def test_why_there_are_none_stands_above(switch: ModelSwitch) -> None:
    switch.set_choices(
        ServiceDown("Ollama", "http://127.0.0.1", Message("Ollama does not answer.")), ""
    )
    QApplication.processEvents()
    assert switch.state.text() == "Ollama does not answer."
    assert rows(switch) == ["Download a model…, D"]
