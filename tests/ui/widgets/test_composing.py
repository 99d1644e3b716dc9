"""What windows are put together with: another look reaches every part, and distances grow with it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QPushButton,
    QScrollArea,
    QStyle,
    QStyleOptionButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, LineField, column_of, row_of, style
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import DARK, LIGHT, Look, apply_look, style_sheet

SMALL, LARGE = Look(LIGHT), Look(LIGHT, scale=2.0)


@pytest.fixture
def whole(qtbot: QtBot) -> Composite:
    made = Composite(SMALL)
    qtbot.addWidget(made)
    return made


def test_what_is_first_seen_after_a_change_of_scheme_has_the_colours_of_that(
    qtbot: QtBot, qapp: QApplication
) -> None:
    apply_look(qapp, SMALL)
    whole, dark = Composite(SMALL), Look(DARK)
    qtbot.addWidget(whole)
    labels = [StyledLabel(SMALL, tone, "Words", whole) for tone in TextStyle]
    plain = style(QLabel("Words", whole), SMALL, ink="ink_3")
    apply_look(qapp, dark)
    whole.set_look(dark)
    whole.show()
    for label, tone in zip(labels, TextStyle, strict=True):
        wanted = QColor(getattr(DARK, tone.value[2]))
        assert label.palette().windowText().color() == wanted, tone
    assert plain.palette().windowText().color() == QColor(DARK.ink_3)
    apply_look(qapp, SMALL)


def test_another_look_reaches_what_lies_in_layouts_and_in_what_scrolls(whole: Composite) -> None:
    words, button = StyledLabel(SMALL, TextStyle.BODY, "Words"), Button(SMALL, "Press")
    scrolled, inside = QScrollArea(), QWidget()
    inside.setLayout(column_of(SMALL, button))
    scrolled.setWidget(inside)
    whole.setLayout(row_of(SMALL, column_of(SMALL, words), scrolled))

    whole.set_look(LARGE)

    assert whole.look is LARGE
    assert words.font().pixelSize() == LARGE.font(theme.SMALL_TEXT).pixelSize()
    assert button.font().pixelSize() == LARGE.font(theme.SMALL_TEXT).pixelSize()


def test_distances_grow_with_the_text(whole: Composite) -> None:
    inner = row_of(SMALL, QLabel("a"), QLabel("b"), gap=theme.SPACE_XS)
    outer = column_of(SMALL, inner)
    whole.setLayout(outer)
    assert (inner.spacing(), outer.spacing()) == (theme.SPACE_XS, theme.SPACE_S)

    whole.set_look(LARGE)

    assert (inner.spacing(), outer.spacing()) == (2 * theme.SPACE_XS, 2 * theme.SPACE_S)


def test_one_part_takes_the_room_that_is_left(whole: Composite) -> None:
    wide, narrow = QLabel("a"), QLabel("b")
    made = row_of(SMALL, wide, narrow, wide=wide)
    whole.setLayout(made)
    assert [made.stretch(i) for i in range(made.count())] == [1, 0]


def test_a_field_is_called_as_its_prompt_unless_it_has_a_name(qtbot: QtBot) -> None:
    unnamed, named = LineField(SMALL, "Filter"), LineField(SMALL, "Such as *.log", name="Patterns")
    for field in (unnamed, named):
        qtbot.addWidget(field)
    assert unnamed.accessibleName() == unnamed.placeholderText() == "Filter"
    assert named.accessibleName() == "Patterns"


@pytest.mark.parametrize("kind", ["", "primary", "quiet", "small", "link"])
def test_the_words_of_a_button_are_whole_and_stay_where_they_are_with_the_focus(
    kind: str, qtbot: QtBot
) -> None:
    button = QPushButton("Evaluate")
    button.setStyleSheet(style_sheet(SMALL))
    qtbot.addWidget(button)
    # A link is a quiet button in the colour of links.
    for name in {kind, *(("quiet",) if kind == "link" else ())} - {""}:
        button.setProperty(name, True)
    button.ensurePolished()
    button.resize(button.sizeHint())

    def room(state: QStyle.StateFlag) -> QRect:
        option = QStyleOptionButton()
        button.initStyleOption(option)
        option.state |= state
        return button.style().subElementRect(
            QStyle.SubElement.SE_PushButtonContents, option, button
        )

    without = room(QStyle.StateFlag.State_None)
    focused = room(QStyle.StateFlag.State_HasFocus)
    # Words stand in the middle between top and bottom.
    assert (focused.left(), focused.right()) == (without.left(), without.right())
    assert focused.center() == without.center()
    assert without.width() >= button.fontMetrics().horizontalAdvance(button.text())
