"""The typefaces come with the program, and hold all that it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QFont, QFontInfo, QRawFont
from PySide6.QtWidgets import QApplication, QLabel

from askance.ui.design.frame import Frame
from askance.ui.design.theme import LIGHT, Look, apply_look, code_font, load_fonts, text_font
from askance.ui.settings.window import SettingsWindow
from sampled import sampled
from system.x_server import XVFB, XServer, serve_x
from ui.settings.room import room
from waiting import PATIENCE_S

CHILD = Path(__file__).with_name("typeface_child.py")
# By `XDG_CURRENT_DESKTOP`: those for which Qt takes the fonts of GTK.
GTK_DESKTOPS = ("GNOME", "XFCE", "MATE", "X-Cinnamon", "Unity", "Pantheon")
KDE_FONTS = """[General]
font=DejaVu Sans,10,-1,5,50,0,0,0,0,0
menuFont=DejaVu Sans Mono,10,-1,5,50,0,0,0,0,0
toolBarFont=DejaVu Sans Mono,10,-1,5,50,0,0,0,0,0
"""


@pytest.fixture(autouse=True)
def loaded(qapp: QApplication) -> None:
    load_fonts()


def bundled(name: str) -> QRawFont:
    """One of our files."""
    return QRawFont(str(files("askance.ui.design").joinpath("fonts", name)), 15)


def test_words_and_code_are_set_in_our_own() -> None:
    assert QFontInfo(text_font(15)).family() == "Inter"
    assert QFontInfo(code_font(13)).family() == "JetBrains Mono"


def test_code_has_a_sign_for_every_key_of_a_keyboard() -> None:
    face = bundled("JetBrainsMono-Regular.ttf")
    letters = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA1, 0x100)])) + "αβγабв€…–—"
    assert [c for c in letters if not face.supportsCharacter(ord(c))] == []


@pytest.fixture(scope="module")
def server() -> Iterator[XServer]:
    if XVFB is None:
        pytest.skip("platform themes load on a screen only: install the package xvfb")
    with serve_x() as served:
        yield served


@pytest.mark.parametrize("desktop", sampled(["KDE", "LXQt", *GTK_DESKTOPS], every=4))
def test_every_widget_is_set_in_it_whatever_the_fonts_of_the_desktop_are(
    server: XServer, tmp_path: Path, desktop: str
) -> None:
    (tmp_path / "kdeglobals").write_text(KDE_FONTS, "utf-8")
    around = {
        "DISPLAY": server.name,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_CURRENT_DESKTOP": desktop,
        "XDG_CONFIG_HOME": str(tmp_path),
        "KDE_SESSION_VERSION": "6",
    }
    child = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, str(CHILD), "libgtk-3.so.0" if desktop in GTK_DESKTOPS else ""],
        env={**os.environ, **around},
        stdout=subprocess.PIPE,
        check=True,
        timeout=PATIENCE_S,
    )
    data = json.loads(child.stdout)
    if data is None:
        pytest.skip("no GTK, whose fonts Qt takes there: install the package libgtk-3-0")
    at_the_start, after_a_change = data
    assert set(at_the_start.values()) == {"Inter"}, at_the_start
    assert set(after_a_change.values()) == {"Inter"}, after_a_change


def test_a_change_of_the_desktops_theme_does_not_bring_its_fonts(
    qapp: QApplication, tmp_path: Path
) -> None:
    look = Look(LIGHT, moves=False)
    apply_look(qapp, look)
    with room(tmp_path) as place:
        for window in (Frame(look), SettingsWindow(look, place.surroundings)):
            # As Qt does before it sends the event. The stub asks for bytes, Qt for a string.
            QApplication.setFont(QFont("JetBrains Mono"), "QLabel")  # pyright: ignore[reportArgumentType]
            QApplication.sendEvent(window, QEvent(QEvent.Type.ThemeChange))
            label = QLabel("text", window)
            label.ensurePolished()
            assert QFontInfo(label.font()).family() == "Inter"
