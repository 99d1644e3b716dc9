"""The page of an answer: as high as its words, set in slices of time, with a button on each code panel."""

from __future__ import annotations

from itertools import islice
from time import perf_counter

from PySide6.QtCore import QRect, QRectF, QSignalBlocker, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QTextBrowser, QWidget

from askance.presentation.i18n import tr
from askance.ui.answer.answer_document import AnswerDocument
from askance.ui.answer.answer_paint import AnswerPaint, ground_of, panel_of, stretches
from askance.ui.design import icons
from askance.ui.design.focus import announce
from askance.ui.design.labels import set_tip
from askance.ui.design.styling import Styled
from askance.ui.design.theme import Look
from askance.ui.design.timers import single_shot_timer
from askance.ui.model.markup import Piece

SLICE_MS = 3
"""After how long no further block is set in a turn of the event loop; drawing comes on top."""
TAIL_MS = 50
"""How often the open end of an answer is set anew, at most."""
# An open end that takes long to set is set so much less often that the window mostly idles.
_IDLE_SHARE = 8
_BUTTON_INSET = 6
# An answer of nothing but blocks of code has thousands, and each button is a widget.
_MOST_BUTTONS = 50


class AnswerPage(Styled, QTextBrowser):
    """Shows the blocks of an answer. It has no scroll bar: it is as high as it needs to be."""

    height_changed = Signal()
    settled = Signal()
    """Everything that was to be shown is shown."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self.answer = AnswerDocument(look)
        self.lit_marker: int | None = None
        """The number, from 0, of the marker that is drawn with the focus."""
        self._paint = AnswerPaint(self.answer, look)
        self._committed: tuple[Piece, ...] = ()
        self._tail: tuple[Piece, ...] = ()
        self._is_behind = False
        self._buttons: list[CopyButton] = []
        self._tail_set_at = 0.0
        self._tail_every_s = TAIL_MS / 1000
        self._reported_height = 0
        self._work = single_shot_timer(self)
        self._work.timeout.connect(self._work_on)
        # PySide hands a document that is set over to C++, where nobody deletes it.
        self.answer.document.setParent(self)
        self.setDocument(self.answer.document)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setOpenLinks(False)
        self.viewport().setAutoFillBackground(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMinimumSize(0, 0)
        self.setAccessibleName(tr("Answer"))

    def _restyle(self) -> None:
        self.answer.set_look(self.look)
        self._paint = AnswerPaint(self.answer, self.look)
        self._want()

    def show_pieces(self, committed: tuple[Piece, ...], tail: tuple[Piece, ...] = ()) -> None:
        """Show blocks; `tail` are those that are still being written."""
        self._committed, self._tail = committed, tail
        self._want()

    def finish(self) -> None:
        """Set all that is left at once, for pictures and for tests."""
        self._take(perf_counter())
        while not self.answer.is_done:
            self.answer.step()
        self._settle()

    @property
    def is_settled(self) -> bool:
        """Whether all that was given is shown."""
        return self.answer.is_done and not self._is_behind

    def marker_rect(self, index: int) -> QRect:
        """Return where a marker is, in the view's coordinates."""
        position, marker = self.answer.markers[index]
        rect = QRectF()
        for stretch in stretches(self.answer.document, position, marker.length):
            rect = rect.united(ground_of(stretch, self.look))
        return rect.toAlignedRect()

    # Setting the blocks.

    @property
    def _all(self) -> tuple[Piece, ...]:
        return (*self._committed, *self._tail)

    def _want(self) -> None:
        now = perf_counter()
        ready_at = self._tail_set_at + self._tail_every_s
        if not self._tail or now >= ready_at:
            self._take(now)
            self._work_on()
            return
        self._is_behind = True
        if not self._work.isActive():
            self._work.start(max(1, round(1000 * (ready_at - now))))

    def _take(self, now: float) -> None:
        self.answer.want(self._all)
        self._tail_set_at, self._is_behind = now, False

    def _work_on(self) -> None:
        """Set blocks for one slice of time; the rest waits for the next turn of the event loop."""
        began = perf_counter()
        if self._is_behind and self.answer.is_done:
            self._take(began)
        while not self.answer.is_done:
            self.answer.step()
            if 1000 * (perf_counter() - began) >= SLICE_MS:
                break
        self._tail_every_s = max(TAIL_MS / 1000, _IDLE_SHARE * (perf_counter() - began))
        if not self.answer.is_done:
            self._report_height()
            self._work.start(0)
            return
        self._settle()
        if self._is_behind:
            self._work.start(round(1000 * self._tail_every_s))

    def _settle(self) -> None:
        """Bring what lies around the words up to date with them."""
        self._report_height()
        self._place_buttons()
        self._describe()
        self.settled.emit()

    def _report_height(self) -> None:
        height = self.heightForWidth(self.width())
        # A hidden one may not have been given the width yet at which it will be seen.
        if height != self._reported_height or not self.isVisible():
            self._reported_height = height
            self.updateGeometry()
            self.height_changed.emit()

    def _describe(self) -> None:
        descriptions = [
            tr("{words}: {support}", words=doubtful.words, support=doubtful.doubt.word)
            for _, doubtful in self.answer.doubts
        ]
        description = "\n".join(descriptions)
        if description != self.accessibleDescription():
            self.setAccessibleDescription(description)
            # A doubt changes nothing in the document, so nobody else would draw it.
            self.viewport().update()

    # Its size.

    def hasHeightForWidth(self) -> bool:
        """Its height follows from its width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return how high the words are at a width."""
        document = self.answer.document
        if width > 0 and document.textWidth() != width:
            document.setTextWidth(width)
            if document.textWidth() != width:
                # Qt has heard of it, and broke the lines for the width that the view has now: none
                # at all where it was never shown.
                with QSignalBlocker(document.documentLayout()):
                    document.setTextWidth(width)
        return round(document.size().height() + 0.49)

    def sizeHint(self) -> QSize:
        """Return the size at the present width."""
        return QSize(self.width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        """Nothing is too small for it."""
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew."""
        super().resizeEvent(event)
        self._place_buttons()
        self._report_height()

    def _place_buttons(self) -> None:
        shown_codes = (
            (i, shown.piece.code.text)
            for i, shown in enumerate(self.answer.shown)
            if shown.piece.code is not None
        )
        codes = list(islice(shown_codes, _MOST_BUTTONS))
        while len(self._buttons) > len(codes):
            spare = self._buttons.pop()
            spare.hide()
            spare.deleteLater()
        while len(self._buttons) < len(codes):
            self._buttons.append(CopyButton(self.look, self))
        for button, (i, code) in zip(self._buttons, codes, strict=True):
            panel = panel_of(self.answer, i, self.look, self.width())
            inset = self.look.px(_BUTTON_INSET)
            button.code = code
            button.move(round(panel.right()) - button.width() - inset, round(panel.top()) + inset)
            button.show()

    # What is drawn, and what is never loaded.

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what lies under the words, then the words."""
        painter = QPainter(self.viewport())
        self._paint.under(painter, QRectF(event.rect()), self.lit_marker)
        painter.end()
        super().paintEvent(event)

    def loadResource(self, type: int, name: QUrl | str) -> QImage:  # noqa: A002, ARG002 - Qt's interface
        """Load nothing, whatever an answer names."""
        return QImage()


SIDE = 26
_ICON = 15
_THANKS_MS = 1200
# So many characters of the code tell it from others.
_LONGEST_CODE = 40


class CopyButton(Styled, QPushButton):
    """Copies the code of one panel, and says for a moment that it did."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._code = ""
        self.setProperty("quiet", True)
        # Tab gets there through the answer, between the numbers above and below.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._back = single_shot_timer(self)
        self._back.timeout.connect(self._rest)
        self.clicked.connect(self._copy)
        self.look = look
        self._restyle()

    @property
    def code(self) -> str:
        """What it copies."""
        return self._code

    @code.setter
    def code(self, code: str) -> None:
        if code != self._code:
            self._code = code
            self._name()

    def _restyle(self) -> None:
        side = self.look.px(SIDE)
        self.setFixedSize(side, side)
        self.setIconSize(QSize(self.look.px(_ICON), self.look.px(_ICON)))
        self._rest()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.code)
        self.setIcon(icons.icon("check", self.look.colours.accent, self.look.px(_ICON)))
        self.setAccessibleName(tr("Copied"))
        announce(self, tr("Copied"))
        self._back.start(_THANKS_MS)

    def _rest(self) -> None:
        self.setIcon(icons.icon("copy", self.look.colours.ink_3, self.look.px(_ICON)))
        self._name()

    def _name(self) -> None:
        """Say which code it is: an answer may have several."""
        first = next((line.strip() for line in self._code.splitlines() if line.strip()), "")
        if len(first) > _LONGEST_CODE:
            first = first[:_LONGEST_CODE].rstrip() + "…"
        does = tr("Copy the code")
        set_tip(self, does)
        self.setAccessibleName(f"{does}: {first}" if first else does)
