"""The tokens of the look: colours of both schemes, sizes of type, spaces. Nothing of Qt in here.

Contrast of text on every ground is at least 4.5:1 in both schemes (WCAG 2.2, 1.4.3), that of the
edges of controls at least 3:1 (1.4.11); a test holds it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one scheme, as `#RRGGBB`."""

    paper: str
    """The window."""
    raised: str
    """Fields, the trace, pop-ups."""
    line: str
    """Hairlines, one pixel wide, between things that are seen without them."""
    edge: str
    """The edges of what is pressed or typed into."""
    ink: str
    """Text."""
    ink_2: str
    """Secondary text."""
    ink_3: str
    """Labels, hosts, hints."""
    accent: str
    """Commands, numbers, progress, focus."""
    accent_soft: str
    """Selection, behind numbers, quoted words."""
    amber: str
    """Notes, weak statements, pages that were not read."""
    amber_soft: str
    """Behind notes."""
    red: str
    """Failure, unsupported statements."""


LIGHT = Palette(
    paper="#FBFAF7",
    raised="#FFFFFF",
    line="#E7E3DB",
    edge="#8C877D",
    ink="#1F1E1B",
    ink_2="#5F5B53",
    ink_3="#6C675E",
    accent="#2C6B5E",
    accent_soft="#E4EFEB",
    amber="#8A5A0F",
    amber_soft="#FBF2DF",
    red="#A8362C",
)
DARK = Palette(
    paper="#1A1B1A",
    raised="#222423",
    line="#323533",
    edge="#7E817E",
    ink="#ECEAE4",
    ink_2="#ABA9A0",
    ink_3="#9D9A93",
    accent="#84C9B6",
    accent_soft="#22352F",
    amber="#E2B566",
    amber_soft="#382E1A",
    red="#F0968B",
)

# Sizes of type and measures, in pixels at 100 % text size.
FIELD_TEXT = 18
BODY_TEXT = 15
BODY_LINE = 23
SMALL_TEXT = 13
SMALL_LINE = 20
LABEL_TEXT = 12
KEY_TEXT = 11
CODE_TEXT = 13
# Sizes with the heights of their lines.
BODY = (BODY_TEXT, BODY_LINE)
SMALL = (SMALL_TEXT, SMALL_LINE)

WINDOW_WIDTH = 720
WINDOW_RADIUS = 14
WINDOW_SHARE_OF_SCREEN = 0.7
# A screen lower than that: at 540 pixels, the actions below a short answer were cut off.
LOW_SCREEN = 700
WINDOW_SHARE_OF_LOW_SCREEN = 0.85
FIELD_HEIGHT = 56
BOTTOM_BAR_HEIGHT = 34
CONTROL_RADIUS = 8
# The least height of what is clicked (WCAG 2.2, 2.5.8).
TARGET = 24
PANEL_RADIUS = 10
PROGRESS_HEIGHT = 2
MOTION_MS = 120

SPACE_XS, SPACE_S, SPACE_M, SPACE_L, SPACE_XL = 4, 8, 12, 18, 24
