"""The program's icon in the forms of Windows and macOS, drawn from the one of the desktop."""

from __future__ import annotations

from pathlib import Path

from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

_DRAWING = "deploy/desktop/icons/hicolor/scalable/apps/io.github.askance.Askance.svg"
_LARGEST = 1024
_ICO_SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)


def write_icon(root: Path, file: Path) -> None:
    """Write the icon as the name of the file says: `.ico`, or `.icns`. Its folder is made."""
    file.parent.mkdir(parents=True, exist_ok=True)
    drawn = _drawn(root / _DRAWING)
    if file.suffix == ".ico":
        drawn.save(file, sizes=[(size, size) for size in _ICO_SIZES])
    else:
        drawn.save(file)


def _drawn(drawing: Path) -> Image.Image:
    image = QImage(_LARGEST, _LARGEST, QImage.Format.Format_RGBA8888)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(drawing)).render(painter)
    painter.end()
    size = (_LARGEST, _LARGEST)
    return Image.frombytes("RGBA", size, bytes(image.constBits()))
