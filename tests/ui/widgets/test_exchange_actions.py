"""The buttons below an answer: none moves under the pointer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from askance.ui.design.theme import LIGHT, Look
from askance.ui.overlay.conversation.exchange import ExchangeAction
from askance.ui.overlay.conversation.exchange_view import ExchangeActions

Action = ExchangeAction


@pytest.mark.parametrize(
    "actions",
    [(Action.COPY, Action.RETRY, Action.WITHOUT_WEB), (Action.WITH_WEB, Action.COPY, Action.RETRY)],
)
def test_the_second_click_of_a_double_click_on_copy_is_for_copy_too(
    qtbot: QtBot, actions: tuple[Action, ...]
) -> None:
    row = ExchangeActions(Look(LIGHT))
    qtbot.addWidget(row)
    row.resize(672, 30)
    row.show_actions(actions, "4 pages read")
    row.show()
    chosen: list[Action] = []
    row.chosen.connect(chosen.append)
    row.chosen.connect(lambda action: row.thank() if action is Action.COPY else None)
    before = {action: row.buttons[action].geometry() for action in actions}
    copy = before[Action.COPY]
    for x in range(copy.left(), copy.right() + 1, 5):
        chosen.clear()
        for _ in range(2):
            under = row.childAt(QPoint(x, copy.center().y()))
            assert isinstance(under, QAbstractButton)
            QTest.mouseClick(under, Qt.MouseButton.LeftButton)
            placing = row.layout()
            assert placing is not None
            placing.activate()
        assert chosen == [Action.COPY, Action.COPY]
    assert {action: row.buttons[action].geometry() for action in actions} == before
