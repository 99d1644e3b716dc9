"""Every scene of the pictures for those who hear it, who see or aim less well, or who read German: in the light and in the dark."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QScreen
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shots import scenes
from shots.capture import still
from shots.stage import Stage

from askance.ui.design.focus import reading_order
from askance.ui.design.glyphs import GlyphButton
from askance.ui.design.theme import DARK, LIGHT, Look, load_fonts
from askance.ui.settings.page_tables import PAGES
from askance.ui.settings.window import SettingsWindow
from askance.ui.shell.catalogues import use_language
from sampled import sampled
from ui.accessible import complaints, name, reachable, telling
from ui.test_language_window import cut_off
from ui.test_look import contrast

# Letters are drawn larger, so that their strokes have all of their ink.
_RATIO = 2
# That of the largest text.
_LINE = 24
pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        sys.platform != "linux", reason="other systems have no scenes: run it on Linux"
    ),
]


# On the screen of the tests a window with large text is laid out as a narrow one.
@pytest.mark.parametrize(
    ("language", "scale"),
    sampled([("de", 1.5), ("en", 1.0), ("de", 1.0), ("en", 1.5)], every=4, are_tuples=True),
)
def test_every_scene_has_names_ink_an_order_and_room(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, scale: float
) -> None:
    def dress(stage: Stage, *, is_dark: bool) -> None:
        stage._set_look(Look(DARK if is_dark else LIGHT, scale, moves=False))

    monkeypatch.setattr(Stage, "dress", dress)
    # As low as that of the other tests, and with room for all columns of a wide window.
    monkeypatch.setattr(QScreen, "availableGeometry", lambda _: QRect(0, 0, 1920, 600))
    both = tuple((scene, scenes.SCHEMES) for scene, _ in scenes.SCENES)
    monkeypatch.setattr(scenes, "SCENES", both)
    load_fonts()
    try:
        faults = {
            name: [fault for window in _windows() for fault in _faults_of_pages(window)]
            for name, _ in scenes.take_all(qapp, tmp_path, language)
        }
    finally:
        use_language(qapp, "en")
    assert len(faults) == (len(both) + len(scenes.LARGE)) * len(scenes.SCHEMES)
    assert {scene: found for scene, found in faults.items() if found} == {}


def _windows() -> list[QWidget]:
    return [window for window in QApplication.topLevelWidgets() if window.isVisible()]


def _faults_of_pages(window: QWidget) -> list[str]:
    """What is wrong with a window; with all pages of the settings, where they are at the one of which a picture is taken."""
    found = faults_of(window)
    if isinstance(window, SettingsWindow) and not window.side.search.text():
        shown = window.side.list.currentRow()
        for page in PAGES if PAGES[shown].title == "Search" else ():
            window.show_page(page.title)
            still(lambda: window.grab().toImage())
            found += [f"{page.title}: {fault}" for fault in faults_of(window)]
        window.side.choose(shown)
    return found


def faults_of(window: QWidget) -> list[str]:
    """What is wrong with a window, whatever is shown in it."""
    order = reading_order(window)
    left_out = [part for part in reachable(window) if part not in order]
    lost = [f"Tab does not come to {name(part)!r}" for part in left_out]
    return [
        *complaints(window),
        *pale(window),
        *lost,
        *(f"cut: {text}" for text in cut_off(window)),
    ]


def pale(window: QWidget) -> list[str]:
    """The texts and glyphs that are drawn too near to the colour of their ground."""
    picture = QImage(window.size() * _RATIO, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(_RATIO)
    picture.fill(window.palette().window().color())
    window.render(picture)
    found: list[str] = []
    for words, place, least in _drawn(window):
        seen = QRect(place.topLeft() * _RATIO, place.size() * _RATIO) & picture.rect()
        ink = strongest(picture.copy(seen)) if not seen.isEmpty() else 21.0
        if ink < least:
            found.append(f"{words!r} has a contrast of {ink:.1f}")
    return found


def _drawn(window: QWidget) -> Iterator[tuple[str, QRect, float]]:
    """Yield what is to be read or recognised in a window, where it is, and the contrast that it needs."""
    for part in telling(window):
        place = part.visibleRegion().boundingRect()
        place.translate(part.mapTo(window, place.topLeft()) - place.topLeft())
        match part:
            # What does nothing now may be pale (WCAG 2.2, 1.4.3), and of what is scrolled away letters are cut.
            case _ if not part.isEnabled() or place.height() < min(part.height(), _LINE):
                pass
            case GlyphButton():
                yield name(part), place, 3.0
            case QLabel() if part.text().strip():
                yield part.text(), place, 4.5
            case QAbstractButton():
                yield name(part), place, 4.5 if part.text() else 3.0
            case QLineEdit():
                words = part.text() or part.placeholderText()
                # Of an empty one its edge is to be seen.
                yield words or name(part), place, 4.5 if words else 3.0
            case QListView():
                yield from _rows(part, window)
            case _:
                pass


def _rows(view: QListView, window: QWidget) -> Iterator[tuple[str, QRect, float]]:
    model, port = view.model(), view.viewport()
    for number in range(model.rowCount()):
        index = model.index(number, 0)
        place = view.visualRect(index) & port.rect()
        if not place.isEmpty() and place.height() == view.visualRect(index).height():
            place.translate(port.mapTo(window, place.topLeft()) - place.topLeft())
            yield str(index.data()), place, 4.5


def strongest(drawn: QImage) -> float:
    """The contrast of the colour that stands out most from the one that there is most of."""
    row, height = drawn.bytesPerLine(), drawn.height()
    pixels = memoryview(drawn.constBits()).cast("I")
    colours = Counter(pixels[: row // 4 * height])
    ground = QColor.fromRgb(colours.most_common(1)[0][0]).name()
    return max(contrast(QColor.fromRgb(colour).name(), ground) for colour in colours)


def test_what_is_pale_unnamed_or_out_of_reach_is_seen(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet("background: #FFFFFF")
    label, button = QLabel("Quiet words", window), QPushButton("", window)
    label.setStyleSheet("color: #AAAAAA")
    label.setGeometry(10, 10, 180, 30)
    button.setGeometry(10, 50, 180, 30)
    window.resize(200, 100)
    window.show()
    found = faults_of(window)
    assert "'Quiet words' has a contrast of 2.3" in found
    assert "QPushButton of QWidget has no name" in found
    label.setStyleSheet("color: #444444")
    button.setText("Press")
    assert faults_of(window) == []
