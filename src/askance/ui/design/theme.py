"""The look: its tokens, which are the colours of both schemes, sizes of type and spaces; the look in force made of them;
and Qt's palette, style sheet and typefaces for it.

Contrast of text on every ground is at least 4.5:1 in both schemes (WCAG 2.2, 1.4.3), that of the
edges of controls at least 3:1 (1.4.11); a test holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from askance.config.choices import Theme
from askance.config.settings import WindowSettings


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one scheme, as `#RRGGBB`."""

    paper: str
    """The window."""
    raised: str
    """Fields, the trace, pop-ups."""
    line: str
    """Hairlines, one pixel wide, between things that are seen without them."""
    line_2: str
    """The edge of a window without a shadow, of menus, and of what a word or a glyph names already."""
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


# In light and in dark.
_COLOURS = {
    "paper": ("#FBFAF7", "#1A1B1A"),
    "raised": ("#FFFFFF", "#222423"),
    "line": ("#E7E3DB", "#323533"),
    "line_2": ("#D6D1C7", "#454947"),
    "edge": ("#8C877D", "#7E817E"),
    "ink": ("#1F1E1B", "#ECEAE4"),
    "ink_2": ("#5F5B53", "#ABA9A0"),
    "ink_3": ("#6C675E", "#9D9A93"),
    "accent": ("#2C6B5E", "#84C9B6"),
    "accent_soft": ("#E4EFEB", "#22352F"),
    "amber": ("#8A5A0F", "#E2B566"),
    "amber_soft": ("#FBF2DF", "#382E1A"),
    "red": ("#A8362C", "#F0968B"),
}
LIGHT = Palette(**{name: light for name, (light, _) in _COLOURS.items()})
DARK = Palette(**{name: dark for name, (_, dark) in _COLOURS.items()})

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
CONTROL_RADIUS = 8
# The least height of what is clicked (WCAG 2.2, 2.5.8).
TARGET = 24
# What is pressed with a glyph alone, and rows of actions.
GLYPH_TARGET = 28
GLYPH = 17
# Buttons and fields of forms.
CONTROL_HEIGHT = 32
MENU_ROW_RADIUS = 7
PANEL_RADIUS = 10
PROGRESS_HEIGHT = 2
MOTION_MS = 120

SPACE_XS, SPACE_S, SPACE_M, SPACE_L, SPACE_XL = 4, 8, 12, 18, 24


TEXT_FAMILY = "Inter"
CODE_FAMILY = "JetBrains Mono"


@dataclass(frozen=True, slots=True)
class Look:
    """What widgets draw with.

    `scale` multiplies every size of type and every measure around it.
    """

    colours: Palette
    scale: float = 1.0
    moves: bool = True

    @property
    def is_dark(self) -> bool:
        """Whether it is the dark scheme."""
        return self.colours is DARK

    def px(self, measure: float) -> int:
        """Return a measure of the tokens in logical pixels of this look."""
        # Whole pixels: Qt's layouts have no others, and halves would blur edges.
        return round(measure * self.scale)

    def font(self, pixels: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """Return the typeface of text at a size of the tokens."""
        return text_font(pixels * self.scale, weight)

    def code_font(self) -> QFont:
        """Return the typeface of code."""
        return code_font(CODE_TEXT * self.scale)

    @property
    def motion_ms(self) -> int:
        """How long a movement takes; 0 where nothing is to move."""
        return MOTION_MS if self.moves else 0


def chosen_look(settings: WindowSettings) -> Look:
    """Return the look of the settings, which may follow the system's scheme; light where that has none."""
    is_dark = settings.theme is Theme.DARK
    if settings.theme is Theme.SYSTEM:
        # Where the desktop has no scheme, Qt says that it is unknown.
        is_dark = QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark
    return Look(DARK if is_dark else LIGHT, settings.text_size, settings.animations)


def apply_look(application: QApplication, look: Look) -> None:
    """Make a look the application's: its style, its palette, its font, its tool tips."""
    if not application.styleSheet():
        application.setStyle("Fusion")
    application.setPalette(palette_of(look.colours))
    # Qt lays out every widget of the program anew, also for the sheet that is already in force.
    if application.styleSheet() != (sheet := style_sheet(look)):
        application.setStyleSheet(sheet)
    apply_font(look)


def apply_font(look: Look) -> None:
    """Make the typeface of a look that of all widgets.

    Platform themes have fonts of their own for labels, menus, buttons and other classes. Qt reads
    them with the first style sheet and with every change of the desktop's theme, and forgets them
    when the application's font is set: so it is set after both.
    """
    QApplication.setFont(look.font(BODY_TEXT))


def palette_of(colours: Palette) -> QPalette:
    """Return Qt's palette for a scheme."""
    palette, role = QPalette(), QPalette.ColorRole
    # Each colour, and what has it.
    roles = (
        (colours.paper, (role.Window, role.AlternateBase)),
        (colours.raised, (role.Base, role.Button, role.ToolTipBase, role.Light)),
        (colours.line, (role.Midlight, role.Mid, role.Shadow)),
        (colours.ink, (role.WindowText, role.Text, role.ButtonText)),
        (colours.ink, (role.HighlightedText, role.ToolTipText)),
        (colours.ink_3, (role.PlaceholderText, role.Dark)),
        (colours.accent, (role.Link, role.LinkVisited, role.Accent)),
        (colours.accent_soft, (role.Highlight,)),
        (colours.red, (role.BrightText,)),
    )
    for colour, parts in roles:
        for part in parts:
            palette.setColor(part, QColor(colour))
    for part in (role.Text, role.ButtonText, role.WindowText):
        # After the others: a colour without a group is set for all of them, this one too.
        palette.setColor(QPalette.ColorGroup.Disabled, part, QColor(colours.ink_3))
    return palette


def style_sheet(look: Look) -> str:
    """Return the style of the controls that Fusion draws otherwise: buttons, fields, scroll bars."""
    c, px = look.colours, look.px
    radius = px(CONTROL_RADIUS)
    # With the focus a border is one pixel wider and the padding one less, so that nothing moves.
    # `combobox-popup: 0` opens choices as a list below the field, not as a menu over it.
    return f"""
    QToolTip {{ background: {c.raised}; color: {c.ink}; border: 1px solid {c.line};
        padding: {px(6)}px {px(8)}px; }}
    QPushButton {{ background: {c.raised}; color: {c.ink}; border: 1px solid {c.edge};
        border-radius: {radius}px; padding: {px(7)}px {px(13)}px; outline: none; }}
    QPushButton:hover {{ border-color: {c.ink_2}; }}
    QPushButton:pressed {{ background: {c.accent_soft}; }}
    QPushButton:focus {{ border: 2px solid {c.accent}; padding: {px(7) - 1}px {px(13) - 1}px; }}
    QPushButton:disabled {{ color: {c.ink_3}; }}
    QPushButton[primary="true"] {{ background: {c.accent}; color: {c.paper};
        border-color: {c.accent}; }}
    QPushButton[primary="true"]:focus {{ border: 2px solid {c.ink}; padding: {px(7) - 1}px {px(13) - 1}px; }}
    QPushButton[quiet="true"] {{ background: transparent; border: 1px solid transparent;
        color: {c.ink_2}; padding: {px(2)}px {px(4)}px; border-radius: {px(5)}px;
        min-height: {px(TARGET) - 2 * px(2) - 2}px; }}
    QPushButton[small="true"] {{ padding: 0 {px(9)}px; border-radius: {px(MENU_ROW_RADIUS)}px; }}
    QPushButton[small="true"]:focus {{ padding: 0 {px(9) - 1}px; }}
    QPushButton[link="true"] {{ color: {c.accent}; padding: {px(2)}px 1px; }}
    QPushButton[quiet="true"]:hover {{ color: {c.ink}; }}
    QPushButton[quiet="true"]:focus {{ border: 2px solid {c.accent}; color: {c.ink};
        padding: {px(2) - 1}px {px(4) - 1}px; }}
    QPushButton[link="true"]:focus {{ padding: {px(2) - 1}px 0; }}
    QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit[field="true"] {{
        background: {c.raised}; color: {c.ink}; border: 1px solid {c.edge};
        border-radius: {radius}px; padding: {px(6)}px {px(10)}px;
        selection-background-color: {c.accent_soft}; selection-color: {c.ink};
        placeholder-text-color: {c.ink_3}; }}
    QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus,
    QPlainTextEdit[field="true"]:focus {{
        border: 2px solid {c.accent}; padding: {px(6) - 1}px {px(10) - 1}px; }}
    QComboBox {{ combobox-popup: 0; }}
    QComboBox QListView {{ background: transparent; border: none; outline: none; }}
    QComboBox::drop-down {{ border: none; width: {px(22)}px; }}
    LineList, ReadingPane QTextEdit {{ background: {c.raised}; color: {c.ink};
        border: 1px solid {c.line}; border-radius: {radius}px; }}
    LineList {{ padding: {px(3)}px; }}
    ReadingPane QTextEdit {{ padding: {px(6)}px {px(8)}px;
        selection-background-color: {c.accent}; selection-color: {c.paper}; }}
    LineList:focus, ReadingPane QTextEdit:focus {{ border-color: {c.accent}; }}
    FoundList, HistoryPopover QListView, QuestionsColumn QListView {{ background: transparent; border: none; }}
    Sidebar QListWidget {{ background: transparent; border: none; outline: none; }}
    Sidebar QListWidget::item {{ color: {c.ink_2}; height: {px(31)}px; padding-left: {px(13)}px;
        border: 1px solid transparent; border-radius: {px(MENU_ROW_RADIUS)}px; }}
    Sidebar QListWidget::item:hover {{ color: {c.ink}; }}
    Sidebar QListWidget::item:selected {{ background: {c.accent_soft}; color: {c.ink}; }}
    Sidebar QListWidget::item:disabled {{ color: {c.ink_3}; }}
    Sidebar QListWidget[keyed="true"]::item:selected:focus {{ border: 2px solid {c.accent};
        padding-left: {px(13) - 1}px; }}
    QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: none; }}
    QScrollBar:vertical {{ background: transparent; width: {px(10)}px; margin: 0; }}
    QScrollBar::handle:vertical {{ background: {c.line_2}; border-radius: {px(2)}px;
        margin: 0 {px(3)}px; min-height: {px(28)}px; }}
    QScrollBar::handle:vertical:hover {{ background: {c.ink_3}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ height: 0; width: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
    QMenu {{ background: {c.raised}; color: {c.ink}; border: 1px solid {c.line_2};
        border-radius: {px(PANEL_RADIUS)}px; padding: {px(6)}px; font-size: {px(SMALL_TEXT)}px;
        icon-size: {px(GLYPH)}px; }}
    QMenu[plain="true"] {{ border-radius: 0; }}
    QMenu::item {{ padding: {px(6)}px {px(9)}px; min-height: {px(18)}px;
        border-radius: {px(MENU_ROW_RADIUS)}px; }}
    QMenu::item:selected {{ background: {c.accent_soft}; }}
    QMenu::item:disabled {{ color: {c.ink_3}; }}
    QMenu::icon {{ padding-left: {px(9)}px; }}
    QMenu::separator {{ height: 1px; background: {c.line}; margin: {px(6)}px {px(9)}px; }}
    """


@cache
def load_fonts() -> None:
    """Make the bundled typefaces known to Qt, once. Those of the system stand in for one that fails."""
    for file in files("askance.ui.design").joinpath("fonts").iterdir():
        if file.name.endswith((".otf", ".ttf")):
            # From bytes: in a package that is not unpacked the file has no path.
            QFontDatabase.addApplicationFontFromData(file.read_bytes())


def text_font(pixels: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the typeface of text at a size in pixels."""
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).families()
    # Behind ours the system's families, for the letters that ours has not, such as Chinese ones.
    return _sized(QFont([TEXT_FAMILY, *system]), pixels, weight)


def code_font(pixels: float) -> QFont:
    """Return the typeface of code at a size in pixels."""
    font = QFont([CODE_FAMILY, "monospace"])
    # Where neither is installed Qt looks for another one with letters of one width.
    font.setStyleHint(QFont.StyleHint.Monospace)
    # Without ligatures: `->` is two signs to whoever copies it, and the parts of one change places behind
    # letters from right to left.
    font.setFeature(QFont.Tag("calt"), 0)
    return _sized(font, pixels, QFont.Weight.Normal)


def _sized(font: QFont, pixels: float, weight: QFont.Weight) -> QFont:
    # Qt warns of a size of zero, and leaves the font as it is.
    font.setPixelSize(max(1, round(pixels)))
    font.setWeight(weight)
    # Hinting at these sizes makes stems uneven where the screen scales.
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font
