"""The typefaces: Inter and JetBrains Mono come with the program."""

from __future__ import annotations

from importlib.resources import files

from PySide6.QtGui import QFont, QFontDatabase

TEXT_FAMILY = "Inter"
CODE_FAMILY = "JetBrains Mono"


def load_fonts() -> None:
    """Make the bundled typefaces known to Qt. Those of the system stand in for one that fails."""
    for file in files("askance.ui.design").joinpath("fonts").iterdir():
        if file.name.endswith((".otf", ".ttf")):
            QFontDatabase.addApplicationFontFromData(file.read_bytes())


def text_font(
    pixels: float, weight: QFont.Weight = QFont.Weight.Normal, *, of_system: bool = False
) -> QFont:
    """Return the typeface of text at a size in pixels: ours, or that of the system."""
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).families()
    return _sized(QFont(system if of_system else [TEXT_FAMILY, *system]), pixels, weight)


def code_font(pixels: float) -> QFont:
    """Return the typeface of code at a size in pixels."""
    font = QFont([CODE_FAMILY, "monospace"])
    font.setStyleHint(QFont.StyleHint.Monospace)
    return _sized(font, pixels, QFont.Weight.Normal)


def _sized(font: QFont, pixels: float, weight: QFont.Weight) -> QFont:
    font.setPixelSize(max(1, round(pixels)))
    font.setWeight(weight)
    # Hinting at these sizes makes stems uneven where the screen scales.
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font
