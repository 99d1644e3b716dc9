"""Charts as pictures, drawn by a process of its own without a screen: JSON comes in, a PNG goes out.

The JSON is an `askance.presentation.statistics.Chart`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QImage,
    QPainter,
    QPen,
    QPolygonF,
)

from askance.presentation.statistics import BarGroup, Chart, ChartForm, Panel
from askance.ui.design import theme
from askance.ui.design.drawing import write
from askance.ui.design.theme import LIGHT, load_fonts, text_font

# Twice the size at which it is looked at.
SCALE = 2
_EDGE = 28
_MIDDLE = Qt.AlignmentFlag.AlignCenter


def draw(chart: Chart) -> QImage:
    """Return the picture. A `QGuiApplication` is there, with our typefaces loaded."""
    width, height = (_BARS_WIDTH, _bars_height(chart)) if chart.groups else _PANELS_SIZE
    # Opaque, since viewers show a transparent ground in any colour, and the text is dark.
    image = QImage(width * SCALE, height * SCALE, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.paper))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(SCALE, SCALE)
    (_draw_groups if chart.groups else _draw_panels)(painter, chart)
    painter.end()
    return image


def _write_title(painter: QPainter, title: str, area: QRectF) -> None:
    write(painter, title, area, text_font(theme.BODY_TEXT + 3, QFont.Weight.DemiBold), LIGHT.ink)


_BARS_WIDTH = 760
_LABELS, _VALUES = 200, 52
_BAR, _GAP, _APART = 12, 3, 14
_ABOVE, _LINE = 76, 22
_BAR_SHADES = (LIGHT.accent, LIGHT.ink_3, LIGHT.amber, LIGHT.edge)


def _group_height(chart: Chart) -> int:
    return len(chart.names) * (_BAR + _GAP) + _APART


def _bars_height(chart: Chart) -> int:
    return _ABOVE + _group_height(chart) * len(chart.groups) + _LINE * len(chart.names) + _EDGE


def _draw_groups(painter: QPainter, chart: Chart) -> None:
    wide, small = _BARS_WIDTH - 2 * _EDGE, text_font(theme.LABEL_TEXT)
    _write_title(painter, chart.title, QRectF(_EDGE, 16, wide, 26))
    write(painter, chart.subtitle, QRectF(_EDGE, 42, wide, 20), small, LIGHT.ink_2)
    top = float(_ABOVE)
    for group in chart.groups:
        _draw_group(painter, group, top, small)
        top += _group_height(chart)
    for n, name in enumerate(chart.names):
        painter.fillRect(QRectF(_EDGE, top + 5, _BAR, _BAR), _shade(n, _BAR_SHADES))
        area = QRectF(_EDGE + 2 * _BAR, top, _BARS_WIDTH - 3 * _EDGE, _LINE)
        write(painter, name, area, small, LIGHT.ink)
        top += _LINE


def _draw_group(painter: QPainter, group: BarGroup, top: float, font: QFont) -> None:
    height = len(group.shares) * (_BAR + _GAP)
    area = QRectF(_EDGE, top, _LABELS - 12, height)
    write(painter, group.label, area, font, LIGHT.ink)
    left, room = _EDGE + _LABELS, _BARS_WIDTH - 2 * _EDGE - _LABELS - _VALUES
    for n, share in enumerate(group.shares):
        y = top + n * (_BAR + _GAP)
        painter.fillRect(QRectF(left, y, room, _BAR), QColor(LIGHT.line))
        painter.fillRect(QRectF(left, y, room * (share or 0.0), _BAR), _shade(n, _BAR_SHADES))
        # None where nothing was counted, which is not nought per cent.
        label = "–" if share is None else f"{share:.0%}"
        write(painter, label, QRectF(left + room + 8, y - 2, _VALUES, _BAR + 4), font, LIGHT.ink_2)


_PANELS_SIZE = 1000, 600
_HEAD, _BETWEEN = 72, 32
_AXIS, _FOOT, _TITLE, _LEGEND = 50, 36, 22, 20
_DOT, _THICK = 2.6, 1.8
# So far a date may stand out to the right.
_OVER = 20
_WIDEST_BAR, _BAR_SHARE = 34.0, 0.72
_SHADES = (LIGHT.accent, LIGHT.amber, LIGHT.edge, LIGHT.red)
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


@dataclass(frozen=True, slots=True)
class _Plot:
    """Where a panel draws its values, and which place of the picture a value has."""

    area: QRectF
    panel: Panel

    def x(self, value: float) -> float:
        """Return where a place of the axis is; one alone stands in the middle."""
        low, high = min(self.panel.x), max(self.panel.x)
        if high == low:
            return self.area.center().x()
        # Half a slot stays free at both ends: the first and the last bar are as wide as the others.
        half = self.slot / 2
        return (
            self.area.left() + half + (self.area.width() - 2 * half) * (value - low) / (high - low)
        )

    def y(self, value: float) -> float:
        low, high = self.panel.y_ticks[0].at, self.panel.y_ticks[-1].at
        return self.area.bottom() - self.area.height() * (value - low) / (high - low)

    @property
    def slot(self) -> float:
        """The room of one place."""
        # One place alone does not get a bar over the whole panel.
        return self.area.width() / max(len(self.panel.x), 2)


def _draw_panels(painter: QPainter, chart: Chart) -> None:
    width, height = _PANELS_SIZE
    wide = width - 2 * _EDGE
    _write_title(painter, chart.title, QRectF(_EDGE, 14, wide, 26))
    if chart.panels:
        small = text_font(theme.SMALL_TEXT)
        write(painter, chart.subtitle, QRectF(_EDGE, 40, wide, 20), small, LIGHT.ink_2)
    else:
        everywhere = QRectF(_EDGE, _HEAD, wide, height - 2 * _HEAD)
        font = text_font(theme.BODY_TEXT)
        write(painter, chart.subtitle, everywhere, font, LIGHT.ink_2, where=_MIDDLE)
    for panel, area in zip(chart.panels, _areas(len(chart.panels)), strict=False):
        _draw_panel(painter, panel, area)


def _areas(count: int) -> list[QRectF]:
    """Return the room of each panel, two beside one another where there is more than one."""
    (width, height), columns = _PANELS_SIZE, min(count, 2)
    # Rounded up: an odd number of panels has one alone in the last row.
    rows = -(-count // 2)
    wide = (width - 2 * _EDGE - (columns - 1) * _BETWEEN) / max(columns, 1)
    high = (height - _HEAD - 16 - (rows - 1) * 14) / max(rows, 1)
    return [
        QRectF(_EDGE + i % 2 * (wide + _BETWEEN), _HEAD + i // 2 * (high + 14), wide, high)
        for i in range(count)
    ]


def _draw_panel(painter: QPainter, panel: Panel, room: QRectF) -> None:
    heading = text_font(theme.SMALL_TEXT, QFont.Weight.DemiBold)
    write(
        painter,
        panel.title,
        QRectF(room.left(), room.top(), room.width(), _TITLE),
        heading,
        LIGHT.ink,
    )
    _draw_legend(painter, panel, QRectF(room.left(), room.top() + _TITLE, room.width(), _LEGEND))
    above = _TITLE + _LEGEND + 8
    area = room.adjusted(_AXIS, above, 0, -_FOOT)
    plot = _Plot(area, panel)
    _draw_axes(painter, plot)
    if panel.form is ChartForm.BARS:
        _draw_bars(painter, plot)
    else:
        _draw_lines(painter, plot)


def _draw_legend(painter: QPainter, panel: Panel, area: QRectF) -> None:
    font = text_font(theme.LABEL_TEXT)
    left = area.left()
    for n, series in enumerate(panel.series):
        painter.fillRect(QRectF(left, area.center().y() - 5, 10, 10), _shade(n))
        wide = QFontMetrics(font).horizontalAdvance(series.name) + 4
        room = QRectF(left + 15, area.top(), min(wide, area.right() - left - 15), area.height())
        write(painter, series.name, room, font, LIGHT.ink_2)
        left = room.right() + 14


def _draw_axes(painter: QPainter, plot: _Plot) -> None:
    area, font = plot.area, text_font(theme.KEY_TEXT)
    for tick in plot.panel.y_ticks:
        y = plot.y(tick.at)
        painter.setPen(QPen(QColor(LIGHT.line), 1))
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        room = QRectF(area.left() - _AXIS, y - 8, _AXIS - 8, 16)
        write(painter, tick.label, room, font, LIGHT.ink_2, where=_RIGHT)
    painter.setPen(QPen(QColor(LIGHT.edge), 1))
    painter.drawLine(area.bottomLeft(), area.bottomRight())
    for tick in plot.panel.x_ticks:
        x = plot.x(tick.at)
        painter.setPen(QPen(QColor(LIGHT.edge), 1))
        painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 4))
        wide = QFontMetrics(font).horizontalAdvance(tick.label) + 4
        left = min(x - wide / 2, area.right() - wide + _OVER)
        write(
            painter,
            tick.label,
            QRectF(left, area.bottom() + 4, wide, 16),
            font,
            LIGHT.ink_2,
            where=_MIDDLE,
        )
    below = QRectF(area.left(), area.bottom() + 19, area.width(), 16)
    write(painter, plot.panel.x_title, below, font, LIGHT.ink_3, where=_MIDDLE)


def _draw_bars(painter: QPainter, plot: _Plot) -> None:
    wide = min(plot.slot * _BAR_SHARE, _WIDEST_BAR)
    base = plot.panel.y_ticks[0].at
    for i, place in enumerate(plot.panel.x):
        height = base
        for n, series in enumerate(plot.panel.series):
            # What is not known adds nothing to a stack; in lines it is a gap.
            value = series.values[i] or 0.0
            top, bottom = plot.y(height + value), plot.y(height)
            painter.fillRect(QRectF(plot.x(place) - wide / 2, top, wide, bottom - top), _shade(n))
            height += value


def _draw_lines(painter: QPainter, plot: _Plot) -> None:
    for n, series in enumerate(plot.panel.series):
        points = [
            QPointF(plot.x(place), plot.y(value))
            for place, value in zip(plot.panel.x, series.values, strict=True)
            if value is not None
        ]
        painter.setPen(QPen(_shade(n), _THICK))
        painter.drawPolyline(QPolygonF(points))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_shade(n))
        for point in points:
            painter.drawEllipse(point, _DOT, _DOT)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _shade(n: int, shades: tuple[str, ...] = _SHADES) -> QColor:
    return QColor(shades[n % len(shades)])


def main() -> int:
    """Draw what standard input describes, and write the picture to standard output."""
    # Without the arguments, of which Qt takes those that it knows for itself.
    application = QGuiApplication(sys.argv[:1])
    load_fonts()
    image, buffer = draw(Chart.model_validate_json(sys.stdin.buffer.read())), QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # pyright: ignore[reportCallIssue, reportArgumentType]
    sys.stdout.buffer.write(buffer.data().data())
    application.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
