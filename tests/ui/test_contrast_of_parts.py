"""Contrast of what is drawn by hand: each ink on the ground that it really has, in both schemes, with the keyboard and without."""

from __future__ import annotations

from itertools import product

import pytest
from PySide6.QtGui import QColor

from askance.ui.design.glyphs import _HOVER
from askance.ui.design.theme import DARK, LIGHT, Palette
from askance.ui.overlay.bar.mode_switch import _OUT_OF_FOCUS
from askance.ui.overlay.bar.tool_row import SendState
from askance.ui.overlay.find_bar import _HIT
from ui.test_look import contrast

SCHEMES = (LIGHT, DARK)
PAPERS = ("paper", "raised")


def over(colour: str, share: float, ground: str) -> str:
    """A colour that is seen through, on a ground."""
    top, below = QColor(colour).getRgb()[:3], QColor(ground).getRgb()[:3]  # type: ignore[index]
    mixed = (round(share * a + (1 - share) * b) for a, b in zip(top, below, strict=True))
    return QColor(*mixed).name()


@pytest.mark.parametrize("c", SCHEMES, ids=["light", "dark"])
def test_words_can_be_read_on_every_ground_that_is_seen_through(c: Palette) -> None:
    grounds = [(f"hover on {p}", over(c.ink, _HOVER, getattr(c, p))) for p in PAPERS]
    # The keys at the end of a next question, a title, the words of menus and of buttons.
    rows = [
        (ink, name, ground) for (name, ground), ink in product(grounds, ("ink", "ink_2", "ink_3"))
    ]
    hits = over(c.amber, _HIT, c.paper)
    rows += [("ink", "found words", hits), ("accent", "found words", hits)]
    away = over(c.ink, _OUT_OF_FOCUS, c.paper)
    rows += [
        ("ink_2", "mode without the keyboard", away),
        ("ink_3", "bar without the keyboard", c.paper),
    ]
    rows += [
        ("paper", "toast", c.ink),
        ("paper", "current hit", c.amber),
        ("accent", "pressed in", c.accent_soft),
        # A chosen row of the history, its time and its way back; what is lit of a page; keys on caps.
        *((ink, "chosen row", c.accent_soft) for ink in ("ink", "ink_2", "ink_3", "accent")),
        ("ink_3", "key", c.raised),
        ("ink_3", "time on raised", c.raised),
        # A chip's name and what there is to say of it; a command that is chosen; what a drop does.
        *((ink, "chip", c.raised) for ink in ("ink", "ink_3", "amber", "red")),
        *((ink, "chosen command", c.accent_soft) for ink in ("ink", "ink_2")),
        *((ink, "drop", over(c.accent_soft, 0.97, c.paper)) for ink in ("accent", "ink_2")),
    ]
    failing = [
        (ink, name, round(contrast(getattr(c, ink), ground), 2))
        for ink, name, ground in rows
        if contrast(getattr(c, ink), ground) < 4.5
    ]
    assert failing == []


@pytest.mark.parametrize("c", SCHEMES, ids=["light", "dark"])
@pytest.mark.parametrize("state", SendState)
def test_the_button_that_sends_is_seen_in_every_state(c: Palette, state: SendState) -> None:
    # Its glyph names it, so that it needs no edge.
    _, ink, ground, _ = state.value
    assert contrast(getattr(c, ink), getattr(c, ground or "paper")) >= 3


@pytest.mark.parametrize("c", SCHEMES, ids=["light", "dark"])
def test_glyphs_and_marks_are_seen_on_what_they_lie_on(c: Palette) -> None:
    hover = over(c.ink, _HOVER, c.paper)
    pairs = [
        *product(("ink_2", "ink_3", "accent", "amber", "red"), (c.paper, c.raised, hover)),
        # Chosen rows of lists, chips in the focus, cards that are chosen.
        *product(("ink_3", "accent", "edge"), (c.accent_soft,)),
        ("edge", c.raised),
    ]
    assert [(ink, g) for ink, g in pairs if contrast(getattr(c, ink), g) < 3] == []
