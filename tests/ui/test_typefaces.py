"""The typefaces come with the program, and hold all that it says."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtGui import QFontInfo, QRawFont
from PySide6.QtWidgets import QApplication
from tools.catalogue import LANGUAGES, texts, translations

from askance.config.sources import field_names
from askance.ui.design.theme import code_font, load_fonts, text_font
from askance.ui.settings.source import SettingsSource, explained
from askance.ui.shell.language import TRANSLATED


@pytest.fixture(autouse=True)
def loaded(qapp: QApplication) -> None:
    load_fonts()


def bundled(name: str) -> QRawFont:
    """One of our files."""
    return QRawFont(str(files("askance.ui.design").joinpath("fonts", name)), 15)


def test_words_and_code_are_set_in_our_own() -> None:
    assert QFontInfo(text_font(15)).family() == "Inter"
    assert QFontInfo(code_font(13)).family() == "JetBrains Mono"


def test_no_other_typeface_is_needed_for_what_the_program_says() -> None:
    # A character that ours lacks comes from another one, whose lines have another height.
    source = SettingsSource(Path("nowhere"), {})
    said = [explained(source.describe(name)) for name in field_names()]
    said += [form for text in texts() for form in (text.source, text.singular)]
    for language in TRANSLATED:
        known = translations(LANGUAGES / f"askance_{language}.ts")
        said += [form for forms in known.values() for form in forms]
    face = bundled("Inter-Regular.otf")
    missing = {c for c in "".join(said) if c != "\n" and not face.supportsCharacter(ord(c))}
    assert not missing, {f"U+{ord(c):04X}" for c in missing}


def test_code_has_a_sign_for_every_key_of_a_keyboard() -> None:
    face = bundled("JetBrainsMono-Regular.ttf")
    letters = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA1, 0x100)])) + "αβγабв€…–—"
    assert [c for c in letters if not face.supportsCharacter(ord(c))] == []
