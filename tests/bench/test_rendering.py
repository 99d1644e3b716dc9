"""The measuring of the window: it measures what it says, on small cases."""

from __future__ import annotations

from bench.rendering import answering, resuming, stage
from pytestqt.qtbot import QtBot


def test_an_answer_streams_to_its_end_and_is_checked(qtbot: QtBot) -> None:
    conversation = stage()
    qtbot.addWidget(conversation)
    measured = answering(conversation, 1_200, every_s=0.002)
    assert measured.characters >= 1_200
    assert 0 < measured.streaming.median_ms <= measured.streaming.longest_ms
    assert measured.checking.count > 0
    exchange = conversation.exchanges[-1]
    assert len(exchange.answer.answer.markers) > 5
    assert exchange.answer.accessibleDescription()


def test_a_conversation_is_resumed_to_its_first_exchange(qtbot: QtBot) -> None:
    conversation = stage()
    qtbot.addWidget(conversation)
    measured = resuming(conversation, 5)
    assert len(conversation.exchanges) == 5
    assert measured.total_ms >= measured.longest_ms > 0
