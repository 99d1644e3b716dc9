"""Formulas in an answer: LaTeX as a picture in lines. What the library cannot set stays as it was written."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from types import FrameType

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from askance.citations.markdown.tex_spans import tex_of

OBJECT = "\N{OBJECT REPLACEMENT CHARACTER}"
"""What stands for a formula in the document."""
_KIND = QTextFormat.ObjectTypes.UserObject.value
_SOURCE = QTextFormat.Property.ImageAltText
_TALL = QTextCharFormat.VerticalAlignment.AlignMiddle
# The profiler's events: about a second of a laptop. A formula takes 30,000 to 700,000 of them; each level of
# brackets doubles it, and a hostile one never ends. Time would make it depend on the machine what can be set.
_MOST_EVENTS = 3_000_000
_PACKAGES = ("ziamath", "ziafont", "latex2mathml")
# A continued fraction of seven levels has eight rows within each other, and takes half a second.
_DEEPEST = 8
_TAG = re.compile(r"\\tag(\*?)\{([\w.,'-]{1,12})\}")
_ROW = re.compile(r"<(/?)mrow(?![^<>]{0,200}/>)")
# In widths of an em; more is no formula that anybody could read.
_WIDEST, _HIGHEST = 120.0, 40.0
_SIZE = 24.0
# The letters of the library's typeface (STIX Two) are smaller than those of ours at the same size.
_TO_TEXT = 1.13
# A line has so much room above and below its letters, in shares of an em.
_FREE = 0.2


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as SVG in black. Measures are in ems of the text."""

    svg: str
    width: float
    ascent: float
    descent: float


SET_FORMULAS: dict[str, Formula | None] = {}
"""What was set, by the sources; None where that cannot be done."""
_MOST_SET = 2_000


def set_formula(source: str) -> None:
    """Set a formula, with at most as many calls as take about a second: in a thread beside the window."""
    before, made = sys.getprofile(), None
    # Whatever it stumbles over, the source can be read.
    with suppress(Exception):
        # Takes half a second, and only answers with formulas need it; its calls are not the formula's.
        from ziamath.config import config  # noqa: PLC0415

        # Qt draws SVG 1.2 Tiny, which has no symbols.
        config.svg2 = False
        sys.setprofile(_limit(_MOST_EVENTS))
        # None goes again, for an answer may show it.
        made = _set(*tex_of(source)) if len(SET_FORMULAS) < _MOST_SET else None
    sys.setprofile(before)
    SET_FORMULAS[source] = made


def _limit(events: int) -> Callable[..., None]:
    """Return the profiler that ends the work of its thread after so many calls and returns."""
    seen, end = 0, events

    def count(frame: FrameType, *_: object) -> None:
        nonlocal seen, end
        seen += 1
        # Only out of functions of these packages: Python calls others to tidy up, and what is raised in those is
        # lost, and its hook with it.
        if seen > end and frame.f_globals.get("__name__", "").startswith(_PACKAGES):
            # Again a little later, if somebody caught it: not at once, for what is left tidies up.
            end = seen + events // 10
            raise TimeoutError

    return count


def _rows_within(mathml: str) -> int:
    """Return how deep rows of a formula are nested."""
    opened = (-1 if row[1] else 1 for row in _ROW.finditer(mathml))
    return max(accumulate(opened), default=0)


def _set(tex: str, is_display: bool) -> Formula | None:
    from ziamath.tex import tex2mml  # noqa: PLC0415 - as in `set_formula`
    from ziamath.zmath import Latex  # noqa: PLC0415

    # The library knows no numbers of formulas: they are written behind them, as books do.
    if number := _TAG.search(tex):
        words = number[2] if number[1] else f"({number[2]})"
        tex = f"{_TAG.sub('', tex)} \\qquad {words}"
    # The limit alone would let each of these take a second.
    if _rows_within(tex2mml(tex, inline=not is_display)) > _DEEPEST:
        return None
    made = Latex(tex, size=_SIZE, inline=not is_display, margin=0)
    # A command that the library does not know comes back as its own name, and a letter that it has not as a box.
    words = "".join(made.mathml.itertext())
    if "\\" in words or not all(made.font.glyphindex(c) for c in words if not c.isspace()):
        return None
    scale = _TO_TEXT / _SIZE
    width, height = made.getsize()
    ascent, descent = (height + made.getyofst()) * scale, -made.getyofst() * scale
    if not 0 < width * scale < _WIDEST or not 0 < height * scale < _HIGHEST:
        return None
    return Formula(made.svg(), width * scale, ascent, descent)


def formula_format(source: str, formula: Formula, text: QTextCharFormat) -> QTextCharFormat:
    """Return how a formula is set within words of a format."""
    made = QTextCharFormat(text)
    made.setObjectType(_KIND)
    made.setProperty(_SOURCE, source)
    font = text.font()
    em, metrics = font.pixelSize(), QFontMetricsF(font)
    above, below = formula.ascent * em - metrics.ascent(), formula.descent * em - metrics.descent()
    if max(above, below) > _FREE * em:
        made.setVerticalAlignment(_TALL)
    return made


def is_tall_format(chars: QTextCharFormat) -> bool:
    """Whether a formula of this format needs more room than a line of text has."""
    return bool(source_of(chars)) and chars.verticalAlignment() is _TALL


def source_of(chars: QTextFormat) -> str:
    """Return the source of a formula by its format; empty if it is none."""
    return str(chars.property(_SOURCE) or "") if chars.objectType() == _KIND else ""


class FormulaPainter(QPyTextObject):
    """Measures and draws the formulas of one document, in the colour of the words around them."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._drawn: dict[str, QSvgRenderer] = {}
        document.documentLayout().registerHandler(_KIND, self)

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:  # noqa: A002, ARG002, N803 - Qt's interface
        """Return the room in its line. One that is not tall takes none above or below that letters do not take."""
        chars = format.toCharFormat()
        formula = SET_FORMULAS.get(source_of(format))
        if formula is None:
            return QSizeF()
        em = self._em(doc, chars, formula)
        ascent, descent = formula.ascent * em, formula.descent * em
        metrics = QFontMetricsF(chars.font())
        if not is_tall_format(chars):
            return QSizeF(formula.width * em, min(ascent, metrics.ascent()))
        # Qt sets its middle a quarter of the letters' height over the base line.
        half = QFontMetricsF(chars.font()).xHeight() / 2
        return QSizeF(formula.width * em, max(2 * ascent - half, 2 * descent + half))

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,  # noqa: ARG002, N803 - Qt's interface
        format: QTextFormat,  # noqa: A002 - Qt's interface
    ) -> None:
        """Draw it with its base line on that of the words."""
        chars, source = format.toCharFormat(), source_of(format)
        formula = SET_FORMULAS.get(source)
        if formula is None:
            return
        rect = QRectF(rect)
        em, base = self._em(doc, chars, formula), rect.bottom()
        if is_tall_format(chars):
            half = QFontMetricsF(chars.font()).xHeight() / 2
            base = rect.top() + (rect.height() + half) / 2
        top = QPointF(rect.left(), base - formula.ascent * em)
        size = QSizeF(formula.width * em, (formula.ascent + formula.descent) * em)
        self._picture(formula, chars.foreground().color().name()).render(painter, QRectF(top, size))

    def _em(self, document: QTextDocument, chars: QTextCharFormat, formula: Formula) -> float:
        """Return how large its letters are: those of the text, or as small as it takes to have room on the line."""
        em, room = float(chars.font().pixelSize()), document.textWidth()
        return min(em, room / formula.width) if room > 0 else em

    def _picture(self, formula: Formula, colour: str) -> QSvgRenderer:
        svg = formula.svg.replace('"black"', f'"{colour}"')
        if svg not in self._drawn:
            self._drawn[svg] = QSvgRenderer(svg.encode(), self)
        return self._drawn[svg]
