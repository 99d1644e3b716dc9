"""The answer while it is written: set block by block, in slices, and in the end as if at once."""

from __future__ import annotations

from time import perf_counter

import pytest
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from askance.ui.overlay.answer.answer_draft import AnswerDraft
from askance.ui.overlay.answer.answer_view import AnswerView
from ui.widgets.lighthouse import (
    SOURCES,
    TEXT,
    picture_of,
    rendered,
)


def read(view: AnswerView, text: str) -> None:
    view.show_pieces(rendered(text).pieces)
    view.finish()


@pytest.mark.parametrize("text", [TEXT, "# A\n\n- b\n  - c\n- d\n\n> e\n\n***\n\n```\nf\n```\n"])
def test_an_answer_that_streams_ends_as_one_drawn_at_once(view: AnswerView, text: str) -> None:
    stream = AnswerDraft()
    stream.know(SOURCES)
    for character in text:
        stream.add(character)
        draft = stream.view
        if draft is not None:
            view.show_pieces(draft.pieces, draft.tail)
            view.finish()
    read(view, text)
    streamed = picture_of(view), view.heightForWidth(600)
    read(view, "")
    read(view, text)
    assert (picture_of(view), view.heightForWidth(600)) == streamed


def test_every_kind_of_block_can_take_the_place_of_every_other(view: AnswerView) -> None:
    texts = [
        "Words.",
        "# Head",
        "- one\n  - two",
        "> quote\n> on\n>\n> and on",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\ncode\nmore\n```",
        "***",
        "",
    ]
    for before in texts:
        for after in texts:
            read(view, f"First.\n\n{before}\n\nLast.")
            read(view, f"First.\n\n{after}\n\nLast.")
            changed = view.toPlainText(), view.heightForWidth(600)
            read(view, "")
            read(view, f"First.\n\n{after}\n\nLast.")
            assert (view.toPlainText(), view.heightForWidth(600)) == changed, (before, after)


def test_a_finished_block_is_set_once_while_the_answer_streams(view: AnswerView) -> None:
    stream = AnswerDraft()
    stream.add("The first block, which is done.\n\n")
    changes = QSignalSpy(view.document().contentsChange)
    for word in ["And", " then", " more", " and", " more."]:
        stream.add(word)
        draft = stream.view
        assert draft is not None
        view.show_pieces(draft.pieces, draft.tail)
        view.finish()
    touched = [changes.at(n)[0] for n in range(changes.count())]
    assert len(touched) > 5
    assert all(at >= len("The first block, which is done.") for at in touched[1:])


def test_words_that_come_to_the_end_are_told_alone(view: AnswerView) -> None:
    """A screen reader is given what the document says was added: each time all of it was read from its start."""
    stream = AnswerDraft()
    stream.know(SOURCES)
    stream.add("It was lit in")
    changes = QSignalSpy(view.document().contentsChange)
    for words in (" 1863", " by its keeper", " [1]", " and went out", " *soon* after."):
        stream.add(words)
        draft = stream.view
        assert draft is not None
        view.show_pieces(draft.pieces, draft.tail)
        view.finish()
    told = [changes.at(n)[1:] for n in range(changes.count())]
    whole = len(view.toPlainText())
    # The first is the whole beginning; what follows takes nothing away.
    assert [removed for removed, _ in told[1:]] == [0] * len(told[1:])
    assert sum(added for _, added in told[1:]) < whole


def test_a_long_answer_is_set_in_slices(view: AnswerView, qtbot: QtBot) -> None:
    pieces = rendered("\n\n".join([TEXT] * 60)).pieces
    settled = QSignalSpy(view.settled)
    began = perf_counter()
    view.show_pieces(pieces)
    first_s = perf_counter() - began
    assert not view.is_settled
    qtbot.waitUntil(lambda: view.is_settled)
    assert settled.count() == 1
    assert len(view.answer.markers) == 60 * 5
    assert first_s < perf_counter() - began


def test_the_open_end_is_not_set_anew_for_every_token(view: AnswerView, qtbot: QtBot) -> None:
    drafting = AnswerDraft()
    changes = QSignalSpy(view.document().contentsChange)
    for n in range(200):
        drafting.add(f"w{n} ")
        draft = drafting.view
        assert draft is not None
        view.show_pieces(draft.pieces, draft.tail)
    assert changes.count() < 40
    qtbot.waitUntil(lambda: view.toPlainText().endswith("w199"))


def test_what_came_while_blocks_were_being_set_is_not_lost(view: AnswerView, qtbot: QtBot) -> None:
    pieces = rendered("\n\n".join([TEXT] * 60)).pieces
    last = rendered("The very last words.").pieces
    view.show_pieces(pieces, pieces[:1])
    view.show_pieces(pieces, last)
    qtbot.waitUntil(lambda: view.is_settled)
    assert view.toPlainText().endswith("The very last words.")
